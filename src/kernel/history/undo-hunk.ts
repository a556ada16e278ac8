// Undoes one hunk of one entry: the lines that it changed are as before, all that came later stays.
import type { Entry, Path, Version } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { validate } from "../../core/options.ts";
import { versionOf } from "../../core/version.ts";
import { merge3 } from "../../edit/diff/merge.ts";
import { hunksOf, physicalLines } from "../../edit/diff/unified.ts";
import { conflictsOf } from "../change/plan.ts";
import { CHANGE_OPTIONS, HUNK_WHAT } from "../options.ts";
import type { Changed, ChangeOptions, Session } from "../session.ts";
import { decode, encodeWhole } from "../text/text.ts";
import { happened, journallingRefusals, pathInHistory } from "./journal.ts";
import { partDetails } from "./taken-back.ts";

/** Which lines are meant. */
export interface HunkWhat {
  /** The number of the entry. */
  readonly entry: number;
  /** The file. */
  readonly path: string;
  /** The hunk's place in the unified diff of that file with three lines of context, from 1 on. */
  readonly hunk: number;
}

/** Takes back one hunk of what an entry did to a file that was there before and after. Later changes of other lines stay; of the same lines: `merge_conflict`. */
export async function undoHunk(session: Session, what: HunkWhat, options: ChangeOptions = {}): Promise<Changed> {
  validate(what, HUNK_WHAT, { noObject: "A hunk is named by an object.", noun: "field" });
  validate(options, CHANGE_OPTIONS);
  const call = { tool: "undo", ...options };
  const { path, now, next } = await journallingRefusals(session, { path: what.path, action: "undo" }, call, () =>
    wayBack(session, what),
  );
  const proof = { by: "sha256", sha256: now.sha } as const;
  return session.change([{ path, proof, action: "undo", link: true, existed: true }], () => [{ version: next }], {
    ...call,
    onStale: "reject",
    of: [what.entry],
    details: { ...call.details, ...partDetails([]), hunk: what.hunk },
  });
}

async function wayBack(session: Session, { entry: seq, path: raw, hunk }: HunkWhat) {
  const { backend, policy } = session.workspace;
  const path = await pathInHistory(backend, raw);
  policy.check(path, "undo");
  const entry = await entryAt(session, seq);
  const change = entry.changes.find((each) => each.path === path);
  if (change === undefined) throw noSuch(`Entry ${seq} did not change ${path}.`, path);
  if (change.from === null || change.to === null)
    throw noSuch(`Entry ${seq} made or deleted ${path}; that is one thing. Undo the whole file of it.`, path);
  const [before, after, now] = await Promise.all([
    backend.recall(change.from),
    backend.recall(change.to),
    backend.read(path),
  ]);
  if (before === null || after === null)
    throw new Refusal("not_kept", `A version of ${path} that this needs is no longer kept.`, {
      path,
      next: "Change the file itself instead.",
    });
  if (now === null) throw noSuch(`${path} is not there any more.`, path);
  const without = withoutHunk(textOf(before, path), textOf(after, path), hunk);
  if (without === undefined) throw noSuch(`Entry ${seq} has no hunk ${hunk} in ${path}.`, path);
  return { path, now, next: onTop(now, { after, without, path, seq }) };
}

/** The text after the change, with the lines of one hunk as before it. */
function withoutHunk(before: string, after: string, hunk: number): string | undefined {
  const regions = hunksOf(before, after)[hunk - 1];
  if (regions === undefined) return undefined;
  const [old, lines] = [physicalLines(before), physicalLines(after)];
  let text = "";
  let at = 0;
  for (const { aStart, aEnd, bStart, bEnd } of regions) {
    text += lines.slice(at, bStart).join("") + old.slice(aStart, aEnd).join("");
    at = bEnd;
  }
  return text + lines.slice(at).join("");
}

interface TakenOut {
  readonly after: Version;
  readonly without: string;
  readonly path: Path;
  readonly seq: number;
}

function onTop(now: Version, { after, without, path, seq }: TakenOut): Version {
  const current = decode(now.parts, { path });
  const merged = merge3(textOf(after, path), current.body, without);
  if (!merged.ok)
    throw new Refusal("merge_conflict", `Later changes of ${path} touch the same lines as this part of entry ${seq}.`, {
      path,
      next: "Undo the later changes first, or edit the file.",
      details: { conflicts: conflictsOf(merged), entry: seq },
    });
  if (merged.text === current.body)
    throw new Refusal("no_change", `These lines of ${path} have been taken back already.`, { path, next: "Leave it." });
  return versionOf(encodeWhole(current, merged.text), now.mode);
}

async function entryAt({ workspace: { backend } }: Session, seq: number): Promise<Entry> {
  if (Number.isSafeInteger(seq))
    for await (const entry of happened(backend, { sinceSeq: seq, untilSeq: seq })) return entry;
  throw noSuch(`Entry ${seq} is not a change that can be undone.`);
}

function textOf(version: Version, path: Path): string {
  return decode(version.parts, { path }).body;
}

function noSuch(why: string, path?: Path): Refusal {
  return new Refusal("not_found", why, { ...(path !== undefined && { path }), next: "Look at the log and the entry." });
}
