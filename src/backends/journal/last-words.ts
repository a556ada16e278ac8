// The journal's last word on every path, kept up to date entry by entry.
import type { Entry, Head, Path, Sha } from "../../core/backend.ts";

export class Heads {
  readonly #words = new Map<Path, Word>();
  readonly #aborted = new Set<number>();
  readonly #lookBack: (path: Path) => Head | null;

  /** `lookBack` searches the journal itself: needed when an abort reaches further back than is remembered here. */
  constructor(known: Iterable<readonly [Path, Head]>, lookBack: (path: Path) => Head | null) {
    for (const [path, head] of known) this.#words.set(path, { ...head, before: UNKNOWN });
    this.#lookBack = lookBack;
  }

  /** The same object until there is another word, so that what follows from it can be kept with it. */
  get(path: Path): Head | null {
    const word = this.#words.get(path);
    if (word === undefined) return null;
    word.asked ??= { seq: word.seq, sha: word.sha };
    return word.asked;
  }

  get size(): number {
    return this.#words.size;
  }

  *all(): Generator<readonly [Path, Head]> {
    for (const [path, word] of this.#words) yield [path, word];
  }

  /** The entry must be the next one of the journal. */
  apply(entry: Entry): void {
    if (entry.outcome === "aborted") this.#abort(entry.of ?? []);
    if (!speaks(entry)) return;
    for (const change of entry.changes) {
      const before = this.#words.get(change.path) ?? NOTHING;
      this.#words.set(change.path, { seq: entry.seq, sha: change.to, before });
      forget(before, REMEMBERED);
    }
  }

  /** The entry is held no longer: neither are files that it deleted. */
  drop(entry: Entry): void {
    for (const { path, to } of entry.changes)
      if (to === null && this.#words.get(path)?.seq === entry.seq) this.#words.delete(path);
  }

  /** The entry, the last one of the journal, was removed again. False when only a fresh start can tell the state now. */
  takeBack(entry: Entry): boolean {
    if (entry.outcome === "aborted") return false;
    if (!speaks(entry)) return true;
    for (const { path } of entry.changes) this.#stepBack(path, (seq) => seq === entry.seq);
    return true;
  }

  #abort(seqs: readonly number[]): void {
    for (const seq of seqs) this.#aborted.add(seq);
    for (const [path, word] of this.#words) {
      if (this.#aborted.has(word.seq)) this.#stepBack(path, (seq) => this.#aborted.has(seq));
    }
  }

  #stepBack(path: Path, over: (seq: number) => boolean): void {
    let word: Before = this.#words.get(path) ?? NOTHING;
    while (typeof word === "object" && over(word.seq)) word = word.before;
    if (word === UNKNOWN) {
      const head = this.#lookBack(path);
      word = head === null ? NOTHING : { ...head, before: UNKNOWN };
    }
    if (word === NOTHING) this.#words.delete(path);
    if (typeof word === "object") this.#words.set(path, word);
  }
}

/** The same answer from the entries alone, newest first. Entries that do not concern `path` may be left out, aborts not. */
export function lastWord(newestFirst: Iterable<Entry>, path: Path): Head | null {
  const aborted = new Set<number>();
  for (const entry of newestFirst) {
    if (entry.outcome === "aborted") for (const seq of entry.of ?? []) aborted.add(seq);
    if (!speaks(entry) || aborted.has(entry.seq)) continue;
    const change = entry.changes.findLast((each) => each.path === path);
    if (change !== undefined) return { seq: entry.seq, sha: change.to };
  }
  return null;
}

/** Words below the newest kept for each path: an abort is written by recovery, soon after what it takes back. */
const REMEMBERED = 3;
const UNKNOWN = "unknown";
const NOTHING = "nothing";

type Before = Word | typeof UNKNOWN | typeof NOTHING;

interface Word {
  readonly seq: number;
  readonly sha: Sha | null;
  before: Before;
  asked?: Head;
}

const speaks = (entry: Entry) => entry.outcome === "applied" || entry.outcome === "external";

function forget(word: Before, depth: number): void {
  let at = word;
  for (let left = depth; left > 1 && typeof at === "object"; left--) at = at.before;
  if (typeof at === "object" && at.before !== NOTHING) at.before = UNKNOWN;
}
