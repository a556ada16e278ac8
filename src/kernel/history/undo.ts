// Undo: takes back the changes of some entries in one new change, which is itself an entry and can be undone.
import { only, validate } from "../../api/options.ts";
import type { Backend, Entry, EntryChange, LogFilter, Outcome, Path, Sha, Version } from "../../core/backend.ts";
import { Deadline } from "../../core/deadline.ts";
import type { Refusal } from "../../core/failure.ts";
import { LIMITS } from "../../core/limits.ts";
import type { MergeConflict } from "../../core/refusal-details.ts";
import { versionOf } from "../../core/version.ts";
import { hunksOf, physicalLines } from "../../edit/diff/unified.ts";
import { isUnusual } from "../../words/history.ts";
import { refuse } from "../../words/index.ts";
import { conflictsOf, type Next } from "../change/plan.ts";
import { CHANGE_OPTIONS, HUNK_WHAT, UNDO_OPTIONS, UNDO_WHAT } from "../options.ts";
import { pulseOf } from "../progress.ts";
import { runInWorker } from "../run-in-worker.ts";
import type { Changed, ChangeOptions, Session, Target } from "../session.ts";
import { decode, encodeWhole } from "../text/text.ts";
import { happened, journallingRefusals, pathInHistory } from "./journal.ts";
import { partOf, undoStatusOf } from "./taken-back.ts";

/** One entry or one file of it, or every entry of a session, of an agent, since a time; the conditions add up. */
export type UndoWhat =
  | {
      /** The number of one entry. */
      readonly entry: number;
      /** Only what it did to this file; where it moved the file, from and to. */
      readonly path?: string;
    }
  | (Pick<LogFilter, "session" | "agent" | "since" | "sinceSeq"> & {
      /** That changed this file. */
      readonly path?: string;
    });

/** One hunk of what an entry did to a file. */
export interface HunkWhat {
  /** The number of the entry. */
  readonly entry: number;
  /** The file. */
  readonly path: string;
  /** The hunk's place in the unified diff of that file with three lines of context, from 1 on. */
  readonly hunk: number;
}

/** All conditions, with the path as the journal has it. */
type Wanted = Pick<LogFilter, "session" | "agent" | "since" | "sinceSeq" | "path"> & Partial<Omit<HunkWhat, "path">>;

/** How changes are taken back. */
export interface UndoOptions extends ChangeOptions {
  /** If the file changed later: refuse, or take back only the undone lines by a three-way merge. */
  readonly onLaterChanges?: "refuse" | "merge";
  /** Only these of the entries that fit, which the owner was shown. */
  readonly among?: ReadonlySet<number>;
}

/** What an undo did. */
export interface Undone extends Changed {
  /** The entries that it took back. */
  readonly undone: readonly number[];
  /** Files that get another mode, or come back as a link or a program. Only the journal says so, so a person should look. */
  readonly modes: ReadonlyMap<Path, ModeBack>;
}

/** A change of permission bits that an undo brings with it. */
export interface ModeBack {
  /** Of the file that is there. */
  readonly before?: number;
  /** Of the file as it will be. */
  readonly after: number;
}

/** Takes back entries as one new change. Without a session or an agent, that includes external changes, dated by when they were noticed. */
export async function undo(session: Session, what: UndoWhat, options: UndoOptions = {}): Promise<Undone> {
  validate(what, UNDO_WHAT, { noObject: "What to undo is named by an object.", noun: "condition" });
  validate(options, UNDO_OPTIONS);
  const given = Object.entries(what).filter(([, value]) => value !== undefined);
  // Without a condition, everything that ever happened would match.
  if (given.length === 0) throw refuse("undo_without_condition", { conditions: Object.keys(UNDO_WHAT.shape) });
  const { entry } = what as Wanted;
  const [other] = given.flatMap(([name]) => (name === "entry" || name === "path" ? [] : name));
  if (entry !== undefined && other !== undefined) throw refuse("undo_entry_with_condition", { entry, other });
  return takeBack(session, what, options);
}

/** Takes back one hunk of what an entry did to a file that was there before and after. Later changes of other lines stay; of the same lines: `merge_conflict`. */
export async function undoHunk(session: Session, what: HunkWhat, options: ChangeOptions = {}): Promise<Changed> {
  validate(what, HUNK_WHAT, { noObject: "A hunk is named by an object.", noun: "field" });
  validate(options, CHANGE_OPTIONS);
  const { undone: _, modes: __, ...changed } = await takeBack(session, what, { ...options, onLaterChanges: "merge" });
  return changed;
}

async function takeBack(
  session: Session,
  { path, ...which }: UndoWhat | HunkWhat,
  options: UndoOptions,
): Promise<Undone> {
  const call = { tool: "undo", ...options };
  const { entry, hunk }: Wanted = which;
  const { undone, states } = await journallingRefusals(session, { path, action: "undo" }, call, async () => {
    const known = path === undefined ? undefined : await pathInHistory(session.workspace.backend, path);
    const entries = await entriesToUndo(session, { ...which, path: known }, call);
    refuseTooMuch(entries, call.maxFiles ?? session.workspace.limits.maxFilesPerChange);
    return { undone: entries.map(({ seq }) => seq), states: await statesBefore(session, entries, hunk, call) };
  });
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
  const part = hunk === undefined ? { part: [...states.keys()] } : { part: [], hunk };
  const changed = await session.change(targets, () => nexts, {
    ...only(call, CHANGE_OPTIONS),
    details: entry === undefined || path === undefined ? call.details : { ...call.details, ...part },
    onStale: "reject",
    of: undone,
  });
  return { ...changed, undone, modes: modesBack(states) };
}

interface State {
  readonly now: Version | null;
  was: Version | null;
  /** Where the undone move had put the file. */
  movedTo?: Path;
}

/** Follows each path from its current version back to the one before all these entries, which are newest first. */
async function statesBefore(
  session: Session,
  entries: readonly Entry[],
  hunk: number | undefined,
  options: UndoOptions,
): Promise<ReadonlyMap<Path, State>> {
  const { backend } = session.workspace;
  const pulse = pulseOf(options);
  const states = new Map<Path, State>();
  for (const [n, entry] of entries.entries()) {
    for (const change of entry.changes) {
      await pulse(() => `looking up entry ${n + 1} of ${entries.length}, ${states.size} files`);
      const now = states.has(change.path) ? null : await backend.read(change.path);
      const state = states.get(change.path) ?? { now, was: now };
      states.set(change.path, state);
      state.was = await before(session, { entry, change, hunk }, state.was, options.onLaterChanges === "merge");
    }
    for (const { path, movedFrom } of entry.changes) {
      const source = movedFrom === undefined ? undefined : states.get(movedFrom);
      if (source !== undefined) source.movedTo = states.get(path)?.movedTo ?? path;
    }
  }
  return states;
}

/** One change of an entry, or one hunk of it. */
interface Step {
  readonly entry: Entry;
  readonly change: EntryChange;
  readonly hunk: number | undefined;
}

/** The file without a step: as it was before, with later changes merged in. */
async function before(session: Session, step: Step, now: Version | null, mayMerge: boolean): Promise<Version | null> {
  const { entry, hunk } = step;
  const { path, to } = step.change;
  const original = await originalOf(session, step, now);
  if ((now?.sha ?? null) === to) return original;
  if (now === null && hunk !== undefined) throw refuse("hunk_file_gone", { path });
  const canMerge = now !== null && original !== null && to !== null;
  if (!canMerge || !mayMerge) throw await laterChanges(session, step, canMerge);
  const merged = await mergeStep({ from: await recalled(session, step, to), to: original }, now, path);
  if ("conflicts" in merged) throw refuse("undo_conflict", { path, entry: entry.seq, hunk, ...merged });
  if (hunk !== undefined && merged.sha === now.sha) throw refuse("hunk_taken_back", { path });
  return merged;
}

async function originalOf(session: Session, step: Step, now: Version | null): Promise<Version | null> {
  const { entry, change, hunk } = step;
  const { path, from, to } = change;
  if (hunk === undefined) {
    if (from === null) return null;
    const mode = await modeBefore(session.workspace.backend, entry, change);
    return { ...(await recalled(session, step, from)), ...(mode !== undefined && { mode }) };
  }
  if (from === null || to === null) throw refuse("hunk_of_whole_file", { path, entry: entry.seq });
  const [old, text] = [await recalled(session, step, from), await recalled(session, step, to)].map(({ parts }) =>
    decode(parts, { path }),
  );
  const without = withoutHunk(old!.body, text!.body, hunk);
  if (without === undefined) throw refuse("hunk_missing", { path, entry: entry.seq, hunk });
  return versionOf(encodeWhole(text!, without), now?.mode);
}

async function recalled(session: Session, { entry, change: { path } }: Step, sha: Sha): Promise<Version> {
  const version = await session.workspace.backend.recall(sha);
  if (version?.sha === sha) return version;
  throw refuse("undo_version_gone", { path, entry: entry.seq });
}

/** Merges what happened between two versions into a third one, which keeps its encoding and mode. */
export async function mergeStep(
  { from, to }: { readonly from: Version; readonly to: Version },
  onto: Version,
  path?: Path,
): Promise<Version | { readonly conflicts: readonly MergeConflict[] }> {
  const text = decode(onto.parts, { path });
  const [base, next] = [from, to].map(({ parts }) => decode(parts, { path }).body);
  const merged = await runInWorker("merge3", [base!, text.body, next!], new Deadline(LIMITS.callMs));
  return merged.ok ? versionOf(encodeWhole(text, merged.text), onto.mode) : { conflicts: conflictsOf(merged) };
}

/** The text after a change, with the lines of one hunk as before it. */
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

/** A change by another program was noticed too late to record the mode before it; the entry before has it. */
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

/** A moved file is moved back, not deleted and created. */
function nextOf({ was, movedTo }: State, states: ReadonlyMap<Path, State>): Next {
  if (was === null) return null;
  const there = movedTo === undefined ? undefined : states.get(movedTo);
  const leaves = there?.now?.sha === was.sha && there.was?.sha !== was.sha;
  return leaves && movedTo !== undefined ? { version: was, movedFrom: movedTo } : { version: was };
}

function modesBack(states: ReadonlyMap<Path, State>): ReadonlyMap<Path, ModeBack> {
  const modes = new Map<Path, ModeBack>();
  for (const [path, { now, was }] of states) {
    const [before, after] = [now?.mode, was?.mode];
    if (after !== undefined && after !== before && (now !== null || isUnusual(after)))
      modes.set(path, { before, after });
  }
  return modes;
}

/** Changes by other programs are noticed first: without a session or an agent they count, and a refusal names them. */
async function entriesToUndo(session: Session, what: Wanted, options: UndoOptions): Promise<readonly Entry[]> {
  let found = await permittedEntries(session, what);
  const paths = new Set(found.flatMap(({ changes }) => changes.map(({ path }) => path)));
  const noticed = await session.workspace.backend.notice(paths, session.author(options));
  if (noticed !== null) found = await permittedEntries(session, what);
  const entries = found.filter(({ seq }) => options.among?.has(seq) ?? true);
  if (entries.length === 0) throw refuse("undone_meanwhile", {});
  return entries;
}

function isOfAgent({ session, agent }: Wanted): boolean {
  return session !== undefined || agent !== undefined;
}

/** Asks the policy before it reads any content, so that a refusal about a denied path reveals none. */
async function permittedEntries({ workspace }: Session, what: Wanted): Promise<readonly Entry[]> {
  const { entry: seq, hunk, ...conditions } = what;
  const outcomes: readonly Outcome[] = isOfAgent(what) ? ["applied"] : ["applied", "external"];
  const filter = seq === undefined ? { ...conditions, newestFirst: true } : { sinceSeq: seq, untilSeq: seq };
  const entries: Entry[] = [];
  for await (const entry of happened(workspace.backend, { ...filter, outcomes }))
    entries.push(seq === undefined || what.path === undefined ? entry : partOf(entry, what.path, hunk));
  for (const { changes } of entries) for (const { path } of changes) workspace.policy.check(path, "undo");
  if (entries.length === 0)
    throw seq === undefined ? refuse("no_change_matches", {}) : refuse("entry_not_undoable", { entry: seq });
  if (seq !== undefined) return entries;
  const { takenBack } = await undoStatusOf(workspace.backend, entries);
  const left = entries.filter((entry) => !takenBack.has(entry.seq));
  if (left.length > 0) return left;
  const by = [...new Set(entries.map((entry) => takenBack.get(entry.seq)!))];
  throw refuse("all_taken_back", { takenBack: entries.map((entry) => entry.seq), by });
}

async function laterChanges({ workspace }: Session, { entry, change }: Step, mayMerge: boolean): Promise<Refusal> {
  const { path } = change;
  const { takenBack } = await undoStatusOf(workspace.backend, [entry]);
  const by = takenBack.get(entry.seq);
  if (by !== undefined) return refuse("entry_taken_back", { path, entry: entry.seq, by });
  const later: number[] = [];
  for await (const { seq } of happened(workspace.backend, { sinceSeq: entry.seq + 1, path })) later.push(seq);
  return refuse("changed_since_entry", { path, entry: entry.seq, later, mayMerge });
}

/** Content in memory at once. One entry always fits, as it did when it was made; so does one file, which cannot be split. */
const MAX_BYTES = 256 * 2 ** 20;

/** Goes by the sizes in the journal, before anything is read. The entries are newest first. */
function refuseTooMuch(entries: readonly Entry[], maxFiles: number): void {
  /** The largest earlier version of each file. It is in memory together with the current one. */
  const largest = new Map<Path, number>();
  let bytes = 0;
  /** How many of the newest entries can be taken back at once. */
  let fitting = 0;
  for (const [n, { changes }] of entries.entries()) {
    for (const { path, fromSize = 0, toSize = 0 } of changes) {
      const was = largest.get(path);
      bytes += was === undefined ? toSize + fromSize : Math.max(0, fromSize - was);
      largest.set(path, Math.max(was ?? 0, fromSize));
    }
    const isFew = bytes <= MAX_BYTES || n === 0 || largest.size === 1;
    if (fitting === n && largest.size <= maxFiles && isFew) fitting = n + 1;
  }
  if (fitting === entries.length) return;
  // `since` takes all entries of a moment, so the part begins after a moment that does not fit as a whole.
  const last = entries.slice(0, fitting).findLast(({ at }, n) => entries[n + 1]?.at !== at);
  const part = { newest: fitting === 0 ? undefined : entries[0]!.seq, since: last?.at };
  throw refuse("undo_too_large", { files: largest.size, maxFiles, bytes, maxBytes: MAX_BYTES, part });
}
