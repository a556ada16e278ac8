// The net change of a session, an agent or a time: what its steps together made of each file.
import { validate } from "../../api/options.ts";
import type { Backend, Entry, EntryChange, LogFilter, Path, Sha, Version } from "../../core/backend.ts";
import { ifRefused } from "../../core/failure.ts";
import { refuse } from "../../words/index.ts";
import { CALL_OPTIONS, NET_OF } from "../options.ts";
import { type LongCall, pulseOf } from "../progress.ts";
import type { Workspace } from "../workspace.ts";
import { happened } from "./journal.ts";
import { undoStatusOf } from "./taken-back.ts";
import { mergeStep } from "./undo.ts";

/** Whose steps are added up. Without a session or an agent those of all, and what others changed outside stet. */
export type NetOf = Pick<LogFilter, "session" | "agent" | "since" | "until" | "sinceSeq" | "untilSeq">;

/** What the steps made of one file. */
export interface NetFile {
  /** Where it is. */
  readonly path: Path;
  /** Where it was before the first step, if elsewhere. */
  readonly movedFrom?: Path;
  /** Before the first step; null where there was no file. */
  readonly before: Sha | null;
  /** What these steps alone made of it: a kept version, or bytes that were never on the disk because others wrote in between. */
  readonly after: Sha | Version | null;
  /** Numbers of the entries that changed it. */
  readonly entries: readonly number[];
  /** Others changed the file in between. "merged": their lines are left out. "included": they could not be, and are in it. */
  readonly others?: "merged" | "included";
}

/** What all steps together did. */
export interface NetChanges {
  /** By path. Files that are as they were are left out. */
  readonly files: readonly NetFile[];
  /** How many steps were added up. */
  readonly entries: number;
  /** How many were left out because they have been taken back. */
  readonly takenBack: number;
}

/** All of them are in memory at once. */
const MAX_ENTRIES = 20_000;

/** Adds up what happened. Leaves out steps, and parts of steps, that were taken back. */
export async function netChanges({ backend }: Workspace, of: NetOf, call: LongCall = {}): Promise<NetChanges> {
  validate(of, NET_OF, { noObject: "Whose steps are added up is given as an object.", noun: "condition" });
  validate(call, CALL_OPTIONS);
  const pulse = pulseOf(call);
  const isOfAgent = of.session !== undefined || of.agent !== undefined;
  const outcomes = isOfAgent ? (["applied"] as const) : (["applied", "external"] as const);
  const all: Entry[] = [];
  for await (const entry of happened(backend, { ...of, outcomes })) {
    await pulse(() => `read ${all.length} entries`);
    all.push(entry);
    if (all.length > MAX_ENTRIES) throw refuse("net_too_long", { maxEntries: MAX_ENTRIES });
  }
  const { takenBack, parts } = await undoStatusOf(backend, all);
  const steps = all.filter(({ seq }) => !takenBack.has(seq));
  const own = new Set(steps.map(({ seq }) => seq));
  // Undos of parts of these steps, and of no others, are added up with them: the sum is what is left.
  const back = steps
    .flatMap(({ seq }) => parts.get(seq) ?? [])
    .filter(({ of = [] }) => of.every((seq) => own.has(seq)));
  const bySeq = new Map([...steps, ...back].map((entry) => [entry.seq, entry]));
  const states = new Map<Path, State>();
  for (const [, entry] of [...bySeq].sort(([a], [b]) => a - b)) {
    await pulse(() => `added up ${states.size} files`);
    await addUp(backend, states, entry);
  }
  const files = [...states].flatMap(([path, { origin, before, own: after, others, entries }]): NetFile[] => {
    if (nameOf(after) === before && origin === path) return [];
    const movedFrom = origin !== path && before !== null ? origin : undefined;
    const counted = entries.filter((seq) => own.has(seq));
    return [{ path, movedFrom, before, after, entries: counted, ...(others && { others }) }];
  });
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files, entries: steps.length, takenBack: all.length - steps.length };
}

interface State {
  readonly origin: Path;
  readonly before: Sha | null;
  own: Sha | Version | null;
  readonly entries: number[];
  others?: "merged" | "included";
}

async function addUp(backend: Backend, states: Map<Path, State>, { seq, changes }: Entry): Promise<void> {
  const byPath = new Map(changes.map((change) => [change.path, change]));
  /** A file that moved to a free name takes its history along. */
  const sourceOf = ({ from, to, movedFrom }: EntryChange): EntryChange | undefined => {
    const source = from === null && to !== null && movedFrom !== undefined ? byPath.get(movedFrom) : undefined;
    return source?.to === null ? source : undefined;
  };
  const left = new Set(changes.flatMap((change) => sourceOf(change)?.path ?? []));
  for (const change of changes) {
    const source = sourceOf(change);
    if (source === undefined && left.has(change.path)) continue;
    const { path: origin, from } = source ?? change;
    const state = states.get(origin) ?? { origin, before: from, own: from, entries: [] };
    states.delete(origin);
    states.set(change.path, state);
    state.entries.push(seq);
    await addStep(backend, state, from, change.to);
  }
}

/** Adds one step to the state of a file. A step that began with another version is merged in where that is possible. */
async function addStep(backend: Backend, state: State, from: Sha | null, to: Sha | null): Promise<void> {
  if (nameOf(state.own) === from) {
    state.own = to;
    return;
  }
  const [base, onto, next] = await Promise.all([from, state.own, to].map((each) => loaded(backend, each)));
  const merged = base && onto && next && (await mergeStep({ from: base, to: next }, onto).catch(ifRefused(null)));
  const isMerged = merged && !("conflicts" in merged);
  state.others = isMerged ? (state.others ?? "merged") : "included";
  state.own = isMerged ? merged : to;
}

async function loaded(backend: Backend, version: Sha | Version | null): Promise<Version | null> {
  if (version === null || typeof version !== "string") return version;
  return backend.recall(version, { maxBytes: MAX_MERGED_BYTES }).catch(ifRefused(null));
}

/** Larger files are not merged. */
const MAX_MERGED_BYTES = 8 * 1024 * 1024;

export function nameOf(version: Sha | Version | null): Sha | null {
  return version === null || typeof version === "string" ? version : version.sha;
}
