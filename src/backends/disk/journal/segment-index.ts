// The entries of a closed segment in short: where each line is, who wrote it, which paths and versions it changes.
import type { Entry, LogFilter, Path, Sha, Use } from "../../../core/backend.ts";
import { readLine } from "../../journal/entry.ts";
import { aspectsOf, isOfKind, type Kind, periodOf } from "../../journal/entry-filter.ts";
import { bytesOfNumbers, type Derived, numbersIn, timesIn } from "./derived-file.ts";
import { linesForward } from "./segment.ts";

/** The segment that an index is of. Its last hash stands for all of its entries: each names the hash of the one before. */
export interface Described {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly size: number;
  readonly lastHash: Sha;
}

/** Where the line of an entry is, without its line end. */
export interface LineAt {
  readonly seq: number;
  readonly start: number;
  readonly end: number;
}

export interface IndexParts {
  readonly index: Derived;
  readonly uses: Derived;
}

/** Null unless every line of the segment is an entry in its place, unaltered, and follows the one before. */
export function summarised(fd: number, segment: Described): IndexParts | null {
  const kinds = new Numbered<string>();
  const paths = new Numbered<Path>();
  const shas = new Numbered<Sha>();
  const offsets: number[] = [];
  const kindOf: number[] = [];
  const times: number[] = [];
  const changed: number[] = [];
  const moved: number[] = [];
  const versions: number[] = [];
  let [offset, since, until] = [0, LATEST, ""];
  let last: Entry | null = null;
  for (const lines of linesForward(fd, 0, segment.size)) {
    for (const line of lines) {
      const { entry, intact, unfit } = readLine(line);
      const seq = segment.firstSeq + offsets.length;
      if (entry === null || !intact || entry.seq !== seq || (last !== null && entry.prev !== last.hash)) return null;
      const { at, outcome, session, agent = null, tool } = entry;
      const kind: Kind = [outcome, session, agent, tool, aspectsOf(entry)];
      for (const { path, from, to, movedFrom } of entry.changes) {
        changed.push(offsets.length, paths.of(path));
        versions.push(from === null ? NONE : shas.of(from), to === null ? NONE : shas.of(to));
        if (movedFrom !== undefined) moved.push(offsets.length, paths.of(movedFrom));
      }
      if (unfit === null && at < since) since = at;
      if (unfit === null && at > until) until = at;
      kindOf.push(kinds.of(unfit === null ? JSON.stringify(kind) : "null"));
      times.push(Date.parse(at));
      offsets.push(offset);
      offset += line.length + 1;
      last = entry;
    }
  }
  if (offset !== segment.size || last?.seq !== segment.lastSeq || last.hash !== segment.lastHash) return null;
  const numbers = [offsets, kindOf, changed, moved].map((each) => bytesOfNumbers(Uint32Array.from(each)));
  const texts = [`[${kinds.all.join(",")}]`, JSON.stringify(paths.all)].map((text) => Buffer.from(text));
  const ofVersions = [bytesOfNumbers(Float64Array.from(times)), bytesOfNumbers(Uint32Array.from(versions))];
  return {
    index: { head: { ...segment, since, until }, parts: [...texts, ...numbers] },
    uses: { head: { ...segment }, parts: [...ofVersions, Buffer.from(shas.all.join(""), "hex")] },
  };
}

export function describes({ head }: Derived, { firstSeq, lastSeq, size, lastHash }: Described): boolean {
  const fits = head.firstSeq === firstSeq && head.lastSeq === lastSeq;
  return fits && head.size === size && head.lastHash === lastHash;
}

/** In the order of the journal: all that fit and perhaps some that do not. Null when it is not worth it: most fit. */
export function linesFor({ head, parts }: Derived, filter: LogFilter): readonly LineAt[] | null {
  const [since, until] = periodOf(filter);
  if (since !== undefined && (head.until as string) < since) return [];
  if (until !== undefined && (head.since as string) > until) return [];
  const fitting = (textIn(parts[0]) as (Kind | null)[]).map((kind) => kind !== null && isOfKind(kind, filter));
  if (!fitting.includes(true)) return [];
  const { firstSeq, lastSeq, size } = head as unknown as Described;
  const offsets = numbersIn(parts[2]!);
  const kindOf = numbersIn(parts[3]!);
  const found: LineAt[] = [];
  const touching = filter.path === undefined ? null : entriesWith(filter.path, parts);
  const most = offsets.length * WORTH;
  for (const at of touching ?? offsets.keys()) {
    const seq = firstSeq + at;
    if (seq < (filter.sinceSeq ?? firstSeq) || seq > (filter.untilSeq ?? lastSeq)) continue;
    if (!fitting[kindOf[at]!]) continue;
    found.push({ seq, start: offsets[at]!, end: (offsets[at + 1] ?? size) - 1 });
    if (found.length > most) return null;
  }
  return found;
}

/** Of these versions, by entries that changed files; in the order of the journal. */
export function* usesIn(index: Derived, uses: Derived, ofVersions: ReadonlySet<Sha>): Generator<Use> {
  const shas = asked(uses.parts[2]!, ofVersions);
  if (shas.size === 0) return;
  const changing = (textIn(index.parts[0]) as (Kind | null)[]).map((kind) => kind !== null && isOfKind(kind, CHANGING));
  const paths = textIn(index.parts[1]) as Path[];
  const [kindOf, changed] = [numbersIn(index.parts[3]!), numbersIn(index.parts[4]!)];
  const [times, versions] = [timesIn(uses.parts[0]!), numbersIn(uses.parts[1]!)];
  const { firstSeq } = index.head as unknown as Described;
  for (let n = 0; n < versions.length; n++) {
    const sha = versions[n] === NONE ? undefined : shas.get(versions[n]!);
    if (sha === undefined) continue;
    const change = n - (n % 2);
    const at = changed[change]!;
    if (changing[kindOf[at]!]) yield { seq: firstSeq + at, at: times[at]!, path: paths[changed[change + 1]!]!, sha };
  }
}

const LATEST = "\uffff";
const NONE = 0xffffffff;
/** Lines are read one by one; when it is more of them than this, reading all is as quick. */
const WORTH = 1 / 8;
const SHA_BYTES = 32;
const CHANGING = { outcomes: ["applied", "external"] } as const;

class Numbered<T> {
  readonly all: T[] = [];
  readonly #numbers = new Map<T, number>();

  of(value: T): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    this.#numbers.set(value, this.all.length);
    return this.all.push(value) - 1;
  }
}

function textIn(part: Uint8Array | undefined): unknown {
  return JSON.parse(Buffer.from(part!.buffer, part!.byteOffset, part!.byteLength).toString("utf8"));
}

/** Places of the entries that have the path in a change, under its new or its old name. */
function entriesWith(path: Path, parts: readonly Uint8Array[]): Iterable<number> {
  const texts = parts[1]!;
  const named = Buffer.from(texts.buffer, texts.byteOffset, texts.byteLength).includes(JSON.stringify(path));
  const number = named ? (textIn(texts) as Path[]).indexOf(path) : -1;
  if (number === -1) return [];
  const places = new Set<number>();
  for (const rows of [numbersIn(parts[4]!), numbersIn(parts[5]!)])
    for (let n = 0; n < rows.length; n += 2) if (rows[n + 1] === number) places.add(rows[n]!);
  return [...places].sort((a, b) => a - b);
}

/** Which numbers stand for versions that are asked for. */
function asked(shas: Uint8Array, wanted: ReadonlySet<Sha>): ReadonlyMap<number, Sha> {
  const text = Buffer.from(shas.buffer, shas.byteOffset, shas.byteLength).toString("hex");
  const found = new Map<number, Sha>();
  for (let n = 0; n * SHA_BYTES < shas.length; n++) {
    const sha = text.slice(n * 2 * SHA_BYTES, (n + 1) * 2 * SHA_BYTES) as Sha;
    if (wanted.has(sha)) found.set(n, sha);
  }
  return found;
}
