// Every state that a power failure, or the end of a process, may leave of what was recorded.
import { createHash } from "node:crypto";
import type { Op, Recording } from "./recorded.ts";

/**
 * kill: the process ends; everything it did up to some call is there.
 * The others: the power fails. Bytes that were not flushed are there, half there, there as zeros in part or as a whole,
 * or not there. Of a change only the log is flushed before the files change places. So until stet is used again, another
 * program may find each file old, new, or, while the flush of its new bytes has not ended, torn: empty, cut or with
 * zeros. No file is torn once that has ended, and none by the end of a process. Names:
 * weak: flushing a directory makes its names safe, and nothing else does; of the others any may be missing, but a name
 *   that was changed twice is not at its later state without the earlier one.
 * ordered: names and sizes become safe in the order in which they were changed, and flushing a file or a directory
 *   makes all safe up to its own last change (ext4, XFS).
 * logged: as `ordered`, but flushing a file makes only its own names safe, ahead of others (Btrfs).
 */
export type Model = "kill" | "weak" | "ordered" | "logged";

export interface CrashState {
  /** How many steps had been reported as done. */
  readonly done: number;
  readonly names: ReadonlyMap<number, ReadonlyMap<string, number>>;
  readonly bytes: ReadonlyMap<number, Buffer>;
  /** Those whose flush has ended. */
  readonly flushed: ReadonlySet<number>;
  /** Where, and what was lost. */
  readonly label: string;
}

export interface Effort {
  /** So many states at most for each moment at which the power can fail; beyond that they are drawn. */
  readonly perMoment: number;
  /** Also what is there when nothing is lost, after each call. */
  readonly everyCall: boolean;
  readonly seed: number;
  /** Only moments after so many calls. */
  readonly from?: number;
}

/** Each once. */
export function* crashStates(recording: Recording, model: Model, effort: Effort): Generator<CrashState> {
  const seen = new Set<string>();
  const random = randomFrom(effort.seed);
  for (const choice of choices(recording.ops, model, effort, random)) {
    const state = stateAfter(recording, choice);
    const id = digest(state);
    if (seen.has(id)) continue;
    seen.add(id);
    yield state;
  }
}

/** After so many calls, with nothing lost: what the end of the process leaves. */
export function stateWhole(recording: Recording, end: number): CrashState {
  return stateAfter(recording, { end, fates: new Map() });
}

/** What became of an operation: lost or there; for bytes also torn in the middle, all zeros, or zeros in one of the halves. */
type Fate = "lost" | "half" | "zeros" | "front" | "back" | "kept";

interface Choice {
  readonly end: number;
  readonly fates: ReadonlyMap<number, Fate>;
}

function* choices(ops: readonly Op[], model: Model, effort: Effort, random: () => number): Generator<Choice> {
  const { from = 0 } = effort;
  for (let end = from; effort.everyCall && end <= ops.length; end++) {
    yield { end, fates: new Map() };
    const last = ops[end - 1];
    if (last?.kind === "write") yield { end, fates: new Map([[end - 1, "half"]]) };
  }
  if (model === "kill") return;
  // What can be lost before a flush can be lost at every moment since the one before it.
  const safe = new Set<number>();
  for (let end = 0; end <= ops.length; end++) {
    const op = ops[end];
    if (op !== undefined && op.kind !== "flush") continue;
    const isAsked = end >= from;
    if (isAsked) for (const fates of fatesAt(ops, end, safe, model, effort.perMoment, random)) yield { end, fates };
    if (op !== undefined) for (const made of madeSafe(ops, end, model)) safe.add(made);
  }
}

function* fatesAt(
  ops: readonly Op[],
  end: number,
  safe: ReadonlySet<number>,
  model: Model,
  most: number,
  random: () => number,
): Generator<ReadonlyMap<number, Fate>> {
  const open = [...ops.keys()].filter((i) => i < end && !safe.has(i) && FATES[ops[i]!.kind].length > 0);
  const names = open.filter((i) => ops[i]!.kind === "names");
  const data = open.filter((i) => ops[i]!.kind !== "names");
  const nameChoices = model === "weak" ? 2 ** names.length : names.length + 1;
  const total = data.reduce((product, i) => product * FATES[ops[i]!.kind].length, nameChoices);
  const pick = (namesKept: (n: number) => boolean, undoStatusOf: (i: number) => Fate): ReadonlyMap<number, Fate> => {
    const lost = closed(ops, names, namesKept);
    // Where names are in order, so are the sizes of files, without which what was appended to them cannot be seen.
    const isTooLate = (i: number): boolean => model !== "weak" && lost.length > 0 && i > lost[0]!;
    return new Map([
      ...lost.map((i): [number, Fate] => [i, "lost"]),
      ...data.map((i): [number, Fate] => [i, isTooLate(i) ? "lost" : undoStatusOf(i)]),
    ]);
  };
  if (total <= most) {
    for (let number = 0; number < total; number++) {
      let rest = number;
      const take = (count: number): number => {
        const taken = rest % count;
        rest = Math.floor(rest / count);
        return taken;
      };
      const nth = take(nameChoices);
      const fates = new Map(data.map((i) => [i, FATES[ops[i]!.kind][take(FATES[ops[i]!.kind].length)]!]));
      yield pick(
        (n) => (model === "weak" ? Math.floor(nth / 2 ** n) % 2 === 1 : n < nth),
        (i) => fates.get(i)!,
      );
    }
    return;
  }
  let left = most;
  for (const fates of telling(names, data, ops, model, pick)) {
    if (left-- <= 0) return;
    yield fates;
  }
  for (; left > 0; left--) {
    const rate = random();
    const upTo = Math.floor(random() * (names.length + 1));
    yield pick(
      (n) => (model === "weak" ? random() < rate : n < upTo),
      (i) => drawn(FATES[ops[i]!.kind], random),
    );
  }
}

/** One thing lost, or one thing kept: what a protocol forgot shows here first. */
function* telling(
  names: readonly number[],
  data: readonly number[],
  ops: readonly Op[],
  model: Model,
  pick: (namesKept: (n: number) => boolean, undoStatusOf: (i: number) => Fate) => ReadonlyMap<number, Fate>,
): Generator<ReadonlyMap<number, Fate>> {
  for (const fate of ["kept", "lost"] as const) {
    yield pick(
      () => true,
      () => fate,
    );
    yield pick(
      () => false,
      () => fate,
    );
  }
  const without = (each: number, other: Fate) =>
    pick(
      (n) => (model === "weak" ? n !== each : n < each),
      () => other,
    );
  for (const each of names.keys()) yield without(each, "kept");
  for (const each of data)
    for (const fate of FATES[ops[each]!.kind])
      for (const other of ["kept", "lost"] as const)
        yield pick(
          () => true,
          (i) => (i === each ? fate : other),
        );
  for (const each of names.keys()) {
    yield without(each, "lost");
    if (model !== "weak") continue;
    for (const other of ["kept", "lost"] as const)
      yield pick(
        (n) => n === each,
        () => other,
      );
  }
}

/** Zeros come in blocks: of one block all of the bytes have reached the disk, or none. */
const BLOCK = 4096;

const FATES: Readonly<Record<Op["kind"], readonly Fate[]>> = {
  names: ["lost", "kept"],
  write: ["lost", "half", "zeros", "front", "back", "kept"],
  cut: ["lost", "kept"],
  flush: [],
  done: [],
};

function drawn<T>(of: readonly T[], random: () => number): T {
  return of[Math.floor(random() * of.length)]!;
}

/** Which of the operations on names are lost: those that were not kept, and what was done to the same names later. */
function closed(ops: readonly Op[], names: readonly number[], kept: (n: number) => boolean): number[] {
  const stale = new Set<string>();
  return names.filter((i, n) => {
    const touched = namesIn(ops[i]!);
    if (kept(n) && !touched.some((name) => stale.has(name))) return false;
    for (const name of touched) stale.add(name);
    return true;
  });
}

function namesIn(op: Op): string[] {
  return op.kind === "names" ? op.set.map(({ dir, name }) => `${dir}/${name}`) : [];
}

/** The operations before a flush that it makes safe. */
function madeSafe(ops: readonly Op[], at: number, model: Model): Set<number> {
  const { id } = ops[at] as Extract<Op, { kind: "flush" }>;
  const before = [...ops.keys()].filter((i) => i < at);
  const own = before.filter((i) => concerns(ops[i]!, id));
  const safe = new Set(own.filter((i) => ops[i]!.kind !== "names"));
  const isName = (i: number): boolean => ops[i]!.kind === "names";
  if (model === "ordered") {
    const last = Math.max(-1, ...own);
    for (const i of before.filter((each) => each <= last && isName(each))) safe.add(i);
    return safe;
  }
  const inDirectory = (i: number): boolean => {
    const op = ops[i]!;
    return op.kind === "names" && op.set.some(({ dir }) => dir === id);
  };
  const held = own.filter((i) => isName(i) && (model === "logged" || inDirectory(i)));
  if (model === "logged") held.push(...waysTo(ops, before, held));
  // With a later state of a name come the earlier ones.
  const wanted = new Set<string>();
  for (const i of before.toReversed().filter(isName)) {
    const touched = namesIn(ops[i]!);
    if (!held.includes(i) && !touched.some((name) => wanted.has(name))) continue;
    safe.add(i);
    for (const name of touched) wanted.add(name);
  }
  return safe;
}

/** With a new name come the names of the new directories that lead to it. */
function waysTo(ops: readonly Op[], before: readonly number[], held: readonly number[]): number[] {
  const parents = held.flatMap((i) => {
    const op = ops[i]!;
    return op.kind === "names" ? op.set.map(({ dir }) => dir) : [];
  });
  const found = before.filter((i) => {
    const op = ops[i]!;
    return !held.includes(i) && op.kind === "names" && op.set.some(({ id }) => id !== null && parents.includes(id));
  });
  return found.length === 0 ? [] : [...found, ...waysTo(ops, before, [...held, ...found])];
}

function concerns(op: Op, id: number): boolean {
  if (op.kind === "write" || op.kind === "cut") return op.id === id;
  return op.kind === "names" && op.set.some((named) => named.dir === id || named.id === id);
}

function stateAfter({ inodes, start, ops }: Recording, { end, fates }: Choice): CrashState {
  const names = new Map([...start].map(([id, directory]) => [id, new Map(directory)]));
  const bytes = new Map<number, Buffer>();
  const bytesOf = (id: number): Buffer => bytes.get(id) ?? inodes[id]!.bytes ?? Buffer.alloc(0);
  const flushed = new Set<number>();
  let done = 0;
  for (const [i, op] of ops.slice(0, end).entries()) {
    const fate = fates.get(i) ?? "kept";
    if (op.kind === "done") done++;
    if (op.kind === "flush") flushed.add(op.id);
    if (fate === "lost") continue;
    if (op.kind === "names") {
      for (const { dir, name, id } of op.set) {
        if (!names.has(dir)) names.set(dir, new Map());
        if (id === null) names.get(dir)!.delete(name);
        else names.get(dir)!.set(name, id);
      }
    } else if (op.kind === "cut") bytes.set(op.id, resized(bytesOf(op.id), op.size));
    else if (op.kind === "write") {
      const there = fate === "half" ? op.bytes.subarray(0, op.bytes.length >> 1) : op.bytes;
      const now = Buffer.from(resized(bytesOf(op.id), Math.max(bytesOf(op.id).length, op.at + there.length)));
      there.copy(now, op.at);
      const middle = Math.max(op.at, BLOCK * Math.floor((op.at + there.length / 2) / BLOCK));
      if (fate === "zeros" || fate === "back") now.fill(0, op.at, middle);
      if (fate === "zeros" || fate === "front") now.fill(0, middle, op.at + there.length);
      bytes.set(op.id, now);
    }
  }
  const lost = [...fates].filter(([, fate]) => fate !== "kept").map(([i, fate]) => `${i} ${ops[i]!.call} ${fate}`);
  return {
    done,
    names,
    bytes,
    flushed,
    label: `after ${end} of ${ops.length} calls (${ops[end - 1]?.call}); ${lost.join(", ")}`,
  };
}

function resized(bytes: Buffer, size: number): Buffer {
  if (bytes.length >= size) return bytes.subarray(0, size);
  return Buffer.concat([bytes, Buffer.alloc(size - bytes.length)]);
}

function digest({ done, names, bytes }: CrashState): string {
  const hash = createHash("sha1").update(`${done}`);
  const visit = (id: number): void => {
    for (const [name, child] of [...(names.get(id) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))) {
      hash.update(`/${name}:${child}`);
      if (bytes.has(child)) hash.update(bytes.get(child)!);
      visit(child);
      hash.update(";");
    }
  };
  visit(0);
  return hash.digest("hex");
}

/** The same numbers for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
