// The net change of a session, an agent or a time: what all its steps together made of each file.
import type { Backend, Entry, EntryChange, LogFilter, Path, Sha, Version } from "../../core/backend.ts";
import { Deadline } from "../../core/deadline.ts";
import { Refusal } from "../../core/failure.ts";
import { LIMITS } from "../../core/limits.ts";
import { validate } from "../../core/options.ts";
import { versionOf } from "../../core/version.ts";
import { CALL_OPTIONS, type CallOptions, NET_OF } from "../options.ts";
import { runInWorker } from "../run-in-worker.ts";
import { decode, encodeWhole } from "../text/text.ts";
import type { Workspace } from "../workspace.ts";
import { happened, pulseOf } from "./journal.ts";
import { type UndoStatus, undoStatusOf } from "./taken-back.ts";

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
  /** The steps. */
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

/** Entries that are added up at most: they are in memory at once. */
const MAX_ENTRIES = 20_000;

/** Adds up what happened; steps that were taken back are left out, and of others the parts that were. */
export async function netChanges(
  { backend }: Workspace,
  of: NetOf,
  call: Pick<CallOptions, "progress" | "signal" | "deadline"> = {},
): Promise<NetChanges> {
  validate(of, NET_OF, { noObject: "Whose steps are added up is given as an object.", noun: "condition" });
  validate(call, CALL_OPTIONS);
  const pulse = pulseOf(call);
  const isOfSomebody = of.session !== undefined || of.agent !== undefined;
  const outcomes = isOfSomebody ? (["applied"] as const) : (["applied", "external"] as const);
  const all: Entry[] = [];
  for await (const entry of happened(backend, { ...of, outcomes })) {
    await pulse(() => `read ${all.length} entries`);
    all.push(entry);
    if (all.length > MAX_ENTRIES) throw tooMany();
  }
  const { takenBack, parts } = await undoStatusOf(backend, all);
  const states = new Map<Path, State>();
  const steps = all.filter(({ seq }) => !takenBack.has(seq));
  for (const entry of inOrder([...steps, ...backOf(steps, parts)])) {
    await pulse(() => `added up ${states.size} files`);
    await addUp(backend, states, entry);
  }
  const own = new Set(steps.map(({ seq }) => seq));
  const files = [...states].flatMap(([path, state]) => fileOf(path, state, own) ?? []);
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files, entries: steps.length, takenBack: all.length - steps.length };
}

/** What took back a part of these steps, and of no others, is added up with them: what is left of them is the sum. */
function backOf(steps: readonly Entry[], parts: UndoStatus["parts"]): Entry[] {
  const own = new Set(steps.map(({ seq }) => seq));
  return steps.flatMap(({ seq }) => parts.get(seq) ?? []).filter(({ of = [] }) => of.every((seq) => own.has(seq)));
}

/** Each once. */
function inOrder(entries: readonly Entry[]): Entry[] {
  return [...new Map(entries.map((entry) => [entry.seq, entry])).values()].sort((a, b) => a.seq - b.seq);
}

interface State {
  readonly origin: Path;
  readonly before: Sha | null;
  own: Sha | Version | null;
  readonly entries: number[];
  others?: "merged" | "included";
}

async function addUp(backend: Backend, states: Map<Path, State>, { seq, changes }: Entry): Promise<void> {
  const bySource = new Map(changes.map((change) => [change.path, change]));
  /** To a name that was free: the file takes its history along. */
  const isPlainMove = ({ from, to, movedFrom }: EntryChange): boolean =>
    from === null && to !== null && movedFrom !== undefined && bySource.get(movedFrom)?.to === null;
  const left = new Set(changes.flatMap((change) => (isPlainMove(change) ? [change.movedFrom!] : [])));
  for (const change of changes) {
    if (isPlainMove(change)) await moved(backend, states, change, { seq, source: bySource.get(change.movedFrom!)! });
    else if (!left.has(change.path)) await changed(backend, states, change.path, { ...change, seq });
  }
}

interface Step {
  readonly from: Sha | null;
  readonly to: Sha | null;
  readonly seq: number;
}

async function moved(
  backend: Backend,
  states: Map<Path, State>,
  { path, to, movedFrom }: EntryChange,
  { seq, source }: { readonly seq: number; readonly source: EntryChange },
): Promise<void> {
  const known = states.get(movedFrom!);
  states.delete(movedFrom!);
  const state = known ?? { origin: movedFrom!, before: source.from, own: source.from, entries: [] };
  states.set(path, state);
  await changed(backend, states, path, { from: source.from, to, seq });
}

async function changed(backend: Backend, states: Map<Path, State>, path: Path, { from, to, seq }: Step): Promise<void> {
  const state = states.get(path) ?? { origin: path, before: from, own: from, entries: [] };
  states.set(path, state);
  state.entries.push(seq);
  if (nameOf(state.own) === from) {
    state.own = to;
    return;
  }
  const merged = await ownLines(backend, { base: from, own: state.own, next: to });
  state.others = merged === undefined ? "included" : (state.others ?? "merged");
  state.own = merged ?? to;
}

/** The step carried over to what the earlier steps made of the file; undefined where that cannot be done line by line. */
async function ownLines(
  backend: Backend,
  { base, own, next }: { readonly base: Sha | null; readonly own: Sha | Version | null; readonly next: Sha | null },
): Promise<Version | undefined> {
  const versions = await Promise.all([base, own, next].map((each) => loaded(backend, each)));
  const [from, ours, to] = versions;
  if (!from || !ours || !to) return undefined;
  try {
    const text = decode(ours.parts);
    const given = [decode(from.parts).body, text.body, decode(to.parts).body] as const;
    const merged = await runInWorker("merge3", [...given], new Deadline(LIMITS.callMs));
    return merged.ok ? versionOf(encodeWhole(text, merged.text), to.mode) : undefined;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

async function loaded(backend: Backend, version: Sha | Version | null): Promise<Version | null> {
  if (version === null || typeof version !== "string") return version;
  return backend.recall(version, { maxBytes: LARGEST }).catch((error: unknown) => {
    if (error instanceof Refusal) return null;
    throw error;
  });
}

/** Beyond that nothing is merged line by line. */
const LARGEST = 8 * 1024 * 1024;

function fileOf(path: Path, state: State, steps: ReadonlySet<number>): NetFile | undefined {
  const { origin, before, own, entries, others } = state;
  if (nameOf(own) === before && origin === path) return undefined;
  return {
    path,
    ...(origin !== path && before !== null && { movedFrom: origin }),
    before,
    after: own,
    entries: entries.filter((seq) => steps.has(seq)),
    ...(others !== undefined && { others }),
  };
}

function nameOf(version: Sha | Version | null): Sha | null {
  return version === null || typeof version === "string" ? version : version.sha;
}

function tooMany(): Refusal {
  return new Refusal("too_many_files", `More than ${MAX_ENTRIES} entries fit; so many are not added up at once.`, {
    next: "Choose a shorter time.",
  });
}
