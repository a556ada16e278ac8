// Explains a refused proof: what is there now, what changed since the caller looked, and who changed it.
import type { Backend, Entry, Path, Sha, Version } from "../../core/backend.ts";
import { Deadline } from "../../core/deadline.ts";
import { Refusal, reworded, STALE_ACTION } from "../../core/failure.ts";
import { LIMITS, type Limits } from "../../core/limits.ts";
import type { ChangedBy, SinceVersion } from "../../core/refusal-details.ts";
import { isSha } from "../../core/version.ts";
import type { UnifiedDiff as Diff } from "../../edit/diff/unified.ts";
import { entryAt } from "../history/journal.ts";
import type { Action } from "../policy/policy.ts";
import { runInWorker } from "../run-in-worker.ts";
import type { Session } from "../session.ts";
import { decode } from "../text/text.ts";
import { NOTHING, type Verdict } from "./gate.ts";

interface At {
  readonly path: Path;
  readonly raw: string;
  readonly current: Version | null;
  /** What was to be done there. Default: an edit. */
  readonly action?: Action;
  /** The session has read it. */
  readonly seen?: boolean;
  /** The place was to be free. */
  readonly arrival?: boolean;
  /** It is a symbolic link with no file behind it that could be read. */
  readonly bareLink?: boolean;
}

export async function refusalFor(session: Session, verdict: Extract<Verdict, { ok: false }>, at: At): Promise<Refusal> {
  const { raw, current, action } = at;
  if (at.bareLink && (verdict.kind === "unread_file" || verdict.kind === "stale_file"))
    return bareLinkRefusal(verdict.kind, at);
  switch (verdict.kind) {
    case "already_exists":
      return new Refusal("already_exists", `${raw} already exists.`, {
        path: raw,
        next:
          action === "restore"
            ? "Give another place for it as `to`, or move what is there away first."
            : "Read it and edit or overwrite it, or choose another path.",
        details: { ...(current !== null && { file: true }) },
      });
    case "not_found":
      return missing(session, at);
    case "unread_file":
      return new Refusal("unread_file", `${raw} has not been read in this session.`, {
        path: raw,
        next: "Read it first.",
        details: { ...(current !== null && { size: current.size }), ...(action !== undefined && { action }) },
      });
    case "stale_file":
      return staleRefusal(session, verdict.expected, at);
  }
}

async function missing(session: Session, { path, raw, action, seen }: At): Promise<Refusal> {
  const { backend, policy } = session.workspace;
  const { last, at } = await followMoves(backend, path);
  const details = last === undefined ? {} : { deletedBy: byOf(last) };
  const isLeaving = action === "delete" || action === "move";
  if (!seen) {
    const next = isLeaving ? "Check the path." : "Check the path, or create the file.";
    return new Refusal("not_found", `${raw} does not exist.`, { path: raw, next, details });
  }
  const to = at !== undefined && policy.allows(at, "read") ? at : undefined;
  const how = to === undefined ? "deleted" : `moved to ${to}`;
  const who = last === undefined ? "" : ` It was ${how} by ${describe(byOf(last), session)}.`;
  const without = isLeaving ? "Go on without it." : "Create it again if it is still needed.";
  return new Refusal("stale_file", `${raw} is gone since you read it.${who}`, {
    path: raw,
    next: to === undefined ? without : `Read ${to} and go on there.`,
    details: { cause: "not_found", changedSinceRead: true, ...details },
  });
}

/** The last entry that moved or deleted a file that is gone, and where the file is now; nowhere if it was deleted. */
async function followMoves(backend: Backend, path: Path, before?: Entry): Promise<{ last?: Entry; at?: Path }> {
  const last = await lastChange(backend, path, null);
  if (last === undefined) return before ? { last: before, at: path } : {};
  const to = last.changes.find(({ movedFrom }) => movedFrom === path)?.path;
  return to === undefined ? { last } : followMoves(backend, to, last);
}

/** To look at it first is no advice: the link itself is all there is to prove. */
function bareLinkRefusal(kind: "unread_file" | "stale_file", { raw, current, action = "edit" }: At): Refusal {
  return new Refusal(kind, `${raw} is a symbolic link that leads to no file that can be read here.`, {
    path: raw,
    next: `Give the sha256 of the link itself, ${current?.sha}, to ${action} it.`,
    details: { ...(current !== null && { currentSha256: current.sha }), bareLink: true },
  });
}

async function staleRefusal(session: Session, expected: string, at: At): Promise<Refusal> {
  const { raw, action = "edit", arrival } = at;
  const details = await sinceVersion(session, expected, at);
  if (expected === NOTHING) {
    return new Refusal("stale_file", `${raw} exists, and you expect no file there.`, {
      path: raw,
      next: arrival ? "Read it to see what is there, or choose another path." : staleAction(action),
      details: { ...details, exists: true },
    });
  }
  const { changedBy } = details;
  const who = changedBy === undefined ? "" : ` It was changed by ${describe(changedBy, session)}.`;
  return new Refusal("stale_file", `${raw} is not the version you saw.${who}`, {
    path: raw,
    next: staleAction(action),
    details: { ...details },
  });
}

const MAX_NAMED = 20;

/** Shows as many whole diffs as fit. The sha256 of a file goes with its diff: without it the file must be read again. */
export function staleTogether(refusals: readonly Refusal[], maxBytes: number): Refusal {
  if (refusals.length === 1) return refusals[0]!;
  let left = maxBytes;
  const stale = refusals.map(({ failure: { path, details } }) => {
    const { diff = "", actualSha256, currentSha256, ...rest } = (details ?? {}) as Partial<SinceVersion>;
    left -= Buffer.byteLength(diff);
    return left < 0 ? { ...rest, path } : { ...details, path };
  });
  const diff = stale.flatMap((each) => ("diff" in each ? [each.diff] : [])).join("");
  const named = refusals.slice(0, MAX_NAMED).map(({ failure }) => failure.message);
  const more = stale.length > MAX_NAMED ? ` The same holds for ${stale.length - MAX_NAMED} more files.` : "";
  const next = "Re-read these files to obtain their current sha256 and re-apply your edit.";
  const details = { stale, ...(diff !== "" && { diff }) };
  return reworded(refusals[0]!, { message: `${named.join(" ")}${more}`, next, details });
}

/** An edit is made again; what is to go, or to be called otherwise, must first be looked at. */
export function staleAction(action: Action): string {
  if (action !== "delete" && action !== "move") return STALE_ACTION;
  return `Re-read the file to obtain the current sha256, and ${action} it if that is still right.`;
}

/**
 * Explains a stale proof: the diff and who made the change. Gives the current sha256 only with the whole diff, and never
 * in a strict workspace: there the file must be read again.
 */
export async function sinceVersion(
  session: Session,
  expected: string,
  { path, raw, current }: Omit<At, "action">,
): Promise<SinceVersion> {
  const { backend, limits, strict } = session.workspace;
  const base = await knownVersion(session, path, expected);
  const sha = current?.sha ?? null;
  const last = await lastChange(backend, path, sha);
  const diff = base !== null && current !== null ? await diffOf(base, current, raw, limits) : undefined;
  const isShown = current === null || (diff?.truncated === false && !strict);
  return {
    expectedSha256: expected,
    ...(isShown && { actualSha256: sha, currentSha256: sha }),
    ...(diff !== undefined && { diff: diff.text }),
    // A sha256 that never was a version of this path: no change led away from it.
    ...(last !== undefined && (base !== null || expected === NOTHING) && { changedBy: byOf(last) }),
  };
}

/** The version that a proof names, if it is one of this path: naming the sha256 of another file must show nothing of it. */
export async function knownVersion(session: Session, path: Path, sha: string): Promise<Version | null> {
  const { backend, recent } = session.workspace;
  if (!isSha(sha) || !(await belongsTo(session, path, sha))) return null;
  return recent.get(sha) ?? (await backend.recall(sha).catch(() => null));
}

async function belongsTo(session: Session, path: Path, sha: Sha): Promise<boolean> {
  const seen = await session.ledger.get(path);
  if (seen?.sha === sha) return true;
  for await (const { changes } of session.workspace.backend.log({ path, newestFirst: true, limit: LOOK_BACK })) {
    if (changes.some((change) => change.path === path && (change.from === sha || change.to === sha))) return true;
  }
  return false;
}

/** Entries of a path that are searched for the version a stale proof names. */
export const LOOK_BACK = 200;

/** Unified diff between two versions, or undefined where one of them is not text. */
export async function diffOf(from: Version, to: Version, path: string, limits: Limits): Promise<Diff | undefined> {
  if (Math.max(from.size, to.size) > LIMITS.sliceBytes) return undefined;
  try {
    const before = decode(from.parts, { path }).body;
    const after = decode(to.parts, { path }).body;
    const options = { path, maxBytes: limits.staleDiffBytes };
    const diff = await runInWorker("unifiedDiff", [before, after, options], new Deadline(limits.callMs));
    // Both sides of such a diff look alike.
    const isEndings = before !== after && before.replace(/\r\n?/g, "\n") === after.replace(/\r\n?/g, "\n");
    return isEndings ? { ...diff, text: `Only line endings changed:\n${diff.text}` } : diff;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

async function lastChange(backend: Backend, path: Path, sha: Sha | null): Promise<Entry | undefined> {
  const head = await backend.head(path);
  return head?.sha === sha ? entryAt(backend, head.seq) : undefined;
}

/** Who noticed what another program did is not who did it. */
function byOf({ seq, at, outcome, session, agent, tool }: Entry): ChangedBy {
  if (outcome === "external") return { seq, at, external: true, noticedBy: session };
  return { seq, at, session, tool, ...(agent !== undefined && { agent }) };
}

function describe(by: ChangedBy, { id }: Session): string {
  if (by.external) return `something outside stet (noticed ${by.at})`;
  const { agent, session, tool, at } = by;
  if (session === id) return `you with ${tool} at ${at}`;
  return `${agent ?? "session"} ${agent === undefined ? session : `(session ${session})`} with ${tool} at ${at}`;
}
