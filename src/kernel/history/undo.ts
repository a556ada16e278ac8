// Undo: the changes of some entries taken back in one new change, which is itself an entry and can be undone.
import {
  type Backend,
  type Entry,
  type EntryChange,
  LINK_MODE,
  type LogFilter,
  type Outcome,
  type Path,
  type Sha,
  type Version,
} from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { only, validate } from "../../core/options.ts";
import { versionOf } from "../../core/version.ts";
import { merge3 } from "../../edit/diff/merge.ts";
import { conflictsOf, type Next } from "../change/plan.ts";
import { CHANGE_OPTIONS, UNDO_OPTIONS, UNDO_WHAT } from "../options.ts";
import type { Changed, ChangeOptions, Session, Target } from "../session.ts";
import { decode, encodeWhole } from "../text/text.ts";
import { happened, journallingRefusals, type Pulse, pathInHistory, pulseOf } from "./journal.ts";
import { entriesTakenBack, partDetails, partOf } from "./taken-back.ts";

/** One entry or one file of it, or every entry of a session, of an agent, since a time; the conditions add up. */
export type UndoWhat =
  | {
      /** The number of one entry. */
      readonly entry: number;
      /** Only what it did to this file; where it moved the file, from and to. */
      readonly path?: string;
    }
  | {
      /** Of the session with this id. */
      readonly session?: string;
      /** Of the agent with this name. */
      readonly agent?: string;
      /** From this time on: ISO 8601. */
      readonly since?: string;
      /** From the entry with this number on. */
      readonly sinceSeq?: number;
      /** That changed this file. */
      readonly path?: string;
    };

/** With the path as the journal has it. */
type Wanted =
  | { readonly entry: number; readonly path?: Path }
  | Pick<LogFilter, "session" | "agent" | "since" | "sinceSeq" | "path">;

/** How changes are taken back. */
export interface UndoOptions extends ChangeOptions {
  /** Where later changes exist: refuse, or take back only the undone lines by a three-way merge. */
  readonly onLaterChanges?: "refuse" | "merge";
  /** Only these of the entries that fit, which the owner was shown. */
  readonly among?: ReadonlySet<number>;
}

/** What an undo did. */
export interface Undone extends Changed {
  /** The entries that it took back. */
  readonly undone: readonly number[];
  /** Files that get another mode, or come back as a link or a program. Nothing but the journal knows modes. */
  readonly modes: ReadonlyMap<Path, ModeBack>;
}

/** A change of permission bits that an undo brings with it. */
export interface ModeBack {
  /** Of the file that is there. */
  readonly before?: number;
  /** Of the file as it will be. */
  readonly after: number;
}

/** Without a session or an agent, what others changed outside stet is taken back too; it counts from when it was noticed. */
export async function undo(session: Session, what: UndoWhat, options: UndoOptions = {}): Promise<Undone> {
  checkWhat(what);
  validate(options, UNDO_OPTIONS);
  const call = { tool: "undo", ...options };
  const asked = { action: "undo", ...("path" in what && { path: what.path }) } as const;
  const { targets, nexts, undone, ...rest } = await journallingRefusals(session, asked, call, async () =>
    wayBack(session, await wantedOf(session.workspace.backend, what), call),
  );
  const isPart = "entry" in what && what.path !== undefined;
  const details = { ...call.details, ...(isPart && partDetails(targets.map(({ path }) => path as Path))) };
  const changed = await session.change(targets, () => nexts, {
    ...only(call, CHANGE_OPTIONS),
    ...(Object.keys(details).length > 0 && { details }),
    onStale: "reject",
    of: undone,
  });
  return { ...changed, undone, ...rest };
}

const NO_CONDITION = "Name what to undo: an entry, or at least one condition.";

/** No condition would fit everything that ever happened, and so would one that is misspelt. */
function checkWhat(what: Readonly<Record<string, unknown>>): void {
  validate(what, UNDO_WHAT, { noObject: NO_CONDITION, noun: "condition" });
  if (Object.values(what).every((value) => value === undefined || value === null)) {
    throw new Refusal("invalid_input", NO_CONDITION, {
      next: `The conditions are ${Object.keys(UNDO_WHAT.shape).join(", ")}.`,
    });
  }
  const [other] = Object.keys(what).filter((name) => name !== "entry" && name !== "path" && what[name] !== undefined);
  if (!Object.hasOwn(what, "entry") || other === undefined) return;
  throw new Refusal(
    "invalid_input",
    `An undo takes one entry, or conditions: entry and ${other} cannot both be given.`,
    {
      next: `Leave out ${other} to take back entry ${what.entry}, or leave out entry.`,
    },
  );
}

async function wantedOf(backend: Backend, what: UndoWhat): Promise<Wanted> {
  const { path, ...rest } = what;
  return path === undefined ? (rest as Wanted) : { ...rest, path: await pathInHistory(backend, path) };
}

interface WayBack extends Pick<Undone, "modes"> {
  readonly targets: readonly Target[];
  readonly nexts: readonly Next[];
  readonly undone: readonly number[];
}

async function wayBack(session: Session, what: Wanted, options: UndoOptions): Promise<WayBack> {
  const pulse = pulseOf(options);
  const fitting = await entriesToUndo(session, what, options);
  const entries = fitting.filter(({ seq }) => options.among?.has(seq) ?? true);
  if (entries.length === 0) {
    throw new Refusal("not_found", "What was to be taken back has been taken back by another process meanwhile.", {
      next: "Look at the log for the entries there are.",
    });
  }
  refuseTooMuch(entries, options.maxFiles ?? session.workspace.limits.maxFilesPerChange);
  const states = await statesBefore(session, entries, options.onLaterChanges === "merge", pulse);
  const targets = [...states].map(
    ([path, { now }]): Target => ({
      path,
      proof: now === null ? { by: "absence" } : { by: "sha256", sha256: now.sha },
      action: "undo",
      link: true,
      existed: true,
      createParents: true,
    }),
  );
  const nexts = [...states.values()].map((state) => nextOf(state, states));
  return {
    targets,
    nexts,
    undone: entries.map(({ seq }) => seq),
    modes: modesBack(states),
  };
}

interface States {
  readonly now: Version | null;
  was: Version | null;
  /** Where an undone move took the file. */
  movedTo?: Path;
}

/** Walks from the newest entry back and follows each path from what it is now to what it was before. */
async function statesBefore(
  session: Session,
  entries: readonly Entry[],
  merge: boolean,
  pulse: Pulse,
): Promise<Map<Path, States>> {
  const { backend } = session.workspace;
  const states = new Map<Path, States>();
  for (const [n, entry] of entries.entries()) {
    for (const change of entry.changes) {
      await pulse(() => `looking up entry ${n + 1} of ${entries.length}, ${states.size} files`);
      const { path, from, to } = change;
      const state = states.get(path) ?? (await startAt(backend, path));
      states.set(path, state);
      const original = await recalled(session, { entry, path, sha: from }, await modeBefore(backend, entry, change));
      if ((state.was?.sha ?? null) === to) state.was = original;
      else if (state.was === null || original === null || to === null)
        throw await laterChanges(session, entry, path, "Undo these first.");
      else if (merge) state.was = await merged(session, { entry, path, sha: to }, state.was, original);
      else throw await laterChanges(session, entry, path, LATER);
    }
    for (const { path, movedFrom } of entry.changes) {
      const source = movedFrom === undefined ? undefined : states.get(movedFrom);
      if (source !== undefined) source.movedTo = states.get(path)?.movedTo ?? path;
    }
  }
  return states;
}

async function startAt(backend: Backend, path: Path): Promise<States> {
  const now = await backend.read(path);
  return { now, was: now };
}

/** A file that goes back to where it was moved from is moved, not deleted and created. */
function nextOf({ was, movedTo }: States, states: ReadonlyMap<Path, States>): Next {
  if (was === null) return null;
  const there = movedTo === undefined ? undefined : states.get(movedTo);
  const leaves = there?.now?.sha === was.sha && there.was?.sha !== was.sha;
  return leaves && movedTo !== undefined ? { version: was, movedFrom: movedTo } : { version: was };
}

function modesBack(states: ReadonlyMap<Path, States>): ReadonlyMap<Path, ModeBack> {
  const modes = new Map<Path, ModeBack>();
  for (const [path, { now, was }] of states) {
    const [before, after] = [now?.mode, was?.mode];
    if (after === undefined || after === before) continue;
    if (now !== null || after === LINK_MODE || (after & NOT_ORDINARY) !== 0)
      modes.set(path, { ...(before !== undefined && { before }), after });
  }
  return modes;
}

/** What a file that is no program and nothing special has not. */
const NOT_ORDINARY = 0o7111;

/** What another program changed was noticed too late to see its mode; the entry before tells it. */
async function modeBefore(
  backend: Backend,
  { outcome, seq }: Entry,
  { path, from, fromMode }: EntryChange,
): Promise<number | undefined> {
  if (outcome !== "external") return fromMode;
  const before = { path, untilSeq: seq - 1, outcomes: ["applied", "external"], newestFirst: true } as const;
  for await (const { changes } of backend.log(before)) {
    const last = changes.find((change) => change.path === path);
    if (last?.to === from) return last.toMode;
  }
  return undefined;
}

async function entriesToUndo(session: Session, what: Wanted, options: UndoOptions): Promise<readonly Entry[]> {
  const found = await permittedEntries(session, what);
  if ("entry" in what || isOfSomebody(what)) return found;
  const paths = new Set(found.flatMap(({ changes }) => changes.map(({ path }) => path)));
  const noticed = await session.workspace.backend.notice(paths, session.author(options));
  return noticed === null ? found : permittedEntries(session, what);
}

/** Asks the policy before any content is looked at: a refusal about a denied path tells nothing of what is in it. */
async function permittedEntries({ workspace }: Session, what: Wanted): Promise<readonly Entry[]> {
  const one = "entry" in what;
  const part = one ? what.path : undefined;
  const filter: LogFilter = one ? { sinceSeq: what.entry, untilSeq: what.entry } : { ...what, newestFirst: true };
  const outcomes: readonly Outcome[] = !one && isOfSomebody(what) ? ["applied"] : ["applied", "external"];
  const entries: Entry[] = [];
  for await (const entry of happened(workspace.backend, { ...filter, outcomes }))
    entries.push(part === undefined ? entry : partOf(entry, part));
  for (const { changes } of entries) for (const { path } of changes) workspace.policy.check(path, "undo");
  if (one && entries.length > 0) return entries;
  const takenBack = await entriesTakenBack(workspace.backend, entries);
  const left = entries.filter(({ seq }) => !takenBack.has(seq));
  if (left.length > 0) return left;
  if (entries.length > 0) {
    const by = [...new Set(entries.map(({ seq }) => takenBack.get(seq)!))];
    throw new Refusal("not_found", `Every change that fits has already been taken back, by ${entriesInWords(by)}.`, {
      next: "Look at the log for the entries there are.",
      details: { takenBack: entries.map(({ seq }) => seq), by },
    });
  }
  const asked = one ? `Entry ${what.entry} is not a change that can be undone.` : "No change in the journal fits.";
  throw new Refusal("not_found", asked, { next: "Look at the log for the entries there are." });
}

/** Who noticed a change from outside did not make it. */
function isOfSomebody({ session, agent }: { readonly session?: string; readonly agent?: string }): boolean {
  return session !== undefined || agent !== undefined;
}

interface Kept {
  readonly entry: Entry;
  readonly path: Path;
  readonly sha: Sha | null;
}

async function recalled(session: Session, { entry, path, sha }: Kept, mode?: number): Promise<Version | null> {
  if (sha === null) return null;
  const version = await session.workspace.backend.recall(sha);
  if (version?.sha === sha) return mode === undefined ? version : { ...version, mode };
  throw new Refusal("not_kept", `A version of ${path} that the undo of entry ${entry.seq} needs is no longer kept.`, {
    path,
    next: "It cannot be taken back any more; change the file itself instead.",
    details: { entry: entry.seq },
  });
}

async function merged(session: Session, kept: Kept, now: Version, original: Version): Promise<Version> {
  const { entry, path } = kept;
  const base = await recalled(session, kept);
  const current = decode(now.parts, { path });
  const result = merge3(decode(base!.parts, { path }).body, current.body, decode(original.parts, { path }).body);
  if (result.ok) return versionOf(encodeWhole(current, result.text), now.mode);
  throw new Refusal("merge_conflict", `Later changes of ${path} touch the same lines as entry ${entry.seq}.`, {
    path,
    next: "Undo the later changes first, or edit the file.",
    details: { conflicts: conflictsOf(result), entry: entry.seq },
  });
}

const LATER = 'Undo these first, or keep them and take back only the other lines, with onLaterChanges: "merge".';

async function laterChanges(session: Session, entry: Entry, path: Path, next: string): Promise<Refusal> {
  const later: number[] = [];
  for await (const other of happened(session.workspace.backend, { sinceSeq: entry.seq + 1, path }))
    later.push(other.seq);
  const by = (await entriesTakenBack(session.workspace.backend, [entry])).get(entry.seq);
  if (by !== undefined) {
    return new Refusal("stale_file", `Entry ${entry.seq} has already been taken back by entry ${by}.`, {
      path,
      next: `Leave it, or undo entry ${by} to have the change again.`,
      details: { entry: entry.seq, takenBackBy: by },
    });
  }
  const who = later.length === 0 ? "something outside stet" : entriesInWords(later.slice(-5));
  return new Refusal("stale_file", `${path} was changed after entry ${entry.seq} by ${who}.`, {
    path,
    next,
    details: { entry: entry.seq, later },
  });
}

function entriesInWords(seqs: readonly number[]): string {
  return `entr${seqs.length === 1 ? "y" : "ies"} ${seqs.join(", ")}`;
}

/** Of content at once. One entry alone was in memory at once when it was made, and one file cannot be taken back in parts. */
const MAX_BYTES = 256 * 2 ** 20;

/** Before anything is read. The entries are newest first. */
export function refuseTooMuch(entries: readonly Entry[], most: number): void {
  const part = newestPart(entries, most);
  if (part.count === entries.length) return;
  const { files, bytes } = newestPart(entries, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
  const why =
    files > most
      ? `This would take back changes of ${files} files at once; the limit is ${most}.`
      : `This would take back ${inMiB(bytes)} of content at once, in ${files === 1 ? "1 file" : `${files} files`}; the limit is ${inMiB(MAX_BYTES)}.`;
  throw new Refusal("too_many_files", why, {
    next: "Take back the newest entries first, then the others.",
    details: {
      files,
      ...(files > most ? { limit: most } : { bytes, limitBytes: MAX_BYTES }),
      ...(part.since !== undefined && { since: part.since }),
      ...(part.count > 0 && { newest: entries[0]!.seq }),
    },
  });
}

interface Part {
  /** How many entries, from the newest on, can be taken back at once. */
  readonly count: number;
  /** A time since which there are no more than these; none where a single moment has more. */
  readonly since?: string;
  readonly files: number;
  readonly bytes: number;
}

function newestPart(entries: readonly Entry[], maxFiles: number, maxBytes = MAX_BYTES): Part {
  /** What each file was before, at its largest; what it is now is held besides. */
  const largest = new Map<Path, number>();
  let part: Part = { count: 0, files: 0, bytes: 0 };
  let bytes = 0;
  for (const [n, { at, changes }] of entries.entries()) {
    for (const { path, fromSize = 0, toSize = 0 } of changes) {
      const was = largest.get(path);
      bytes += was === undefined ? toSize + fromSize : Math.max(0, fromSize - was);
      largest.set(path, Math.max(was ?? 0, fromSize));
    }
    const isFew = bytes <= maxBytes || n === 0 || largest.size === 1;
    if (largest.size > maxFiles || !isFew) return part;
    const since = entries[n + 1]?.at === at ? part.since : at;
    part = { count: n + 1, files: largest.size, bytes, ...(since !== undefined && { since }) };
  }
  return part;
}

function inMiB(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)} MiB`;
}

/** Where a file gets another mode than it has. */
export function modeBackInWords({ before, after }: ModeBack): string {
  const was = before === undefined ? "" : `${modeInWords(before)} -> `;
  return `${was}${modeInWords(after)} (as the journal says)`;
}

/** Undefined for an ordinary file, which cannot be run. */
export function unusualMode(mode: number | undefined): string | undefined {
  if (mode === undefined || (mode !== LINK_MODE && (mode & 0o7111) === 0)) return undefined;
  return `${modeInWords(mode)} (as the journal says)`;
}

function modeInWords(mode: number): string {
  return mode === LINK_MODE ? "a symbolic link" : `mode ${(mode & 0o7777).toString(8).padStart(3, "0")}`;
}
