// The journal's last word on every path, kept up to date entry by entry.
import type { Entry, Head, Path } from "../../core/backend.ts";

export class Heads {
  readonly #heads: Map<Path, Head>;
  readonly #lookBack: (path: Path) => Head | null;

  /** `lookBack` searches the journal itself: for paths whose last word was aborted. */
  constructor(known: Iterable<readonly [Path, Head]>, lookBack: (path: Path) => Head | null) {
    this.#heads = new Map(known);
    this.#lookBack = lookBack;
  }

  /** The same object until there is another word, so that what follows from it can be kept with it. */
  get(path: Path): Head | null {
    return this.#heads.get(path) ?? null;
  }

  get size(): number {
    return this.#heads.size;
  }

  all(): Iterable<readonly [Path, Head]> {
    return this.#heads;
  }

  /** The entry must be the next one of the journal, which has it already. */
  apply(entry: Entry): void {
    if (entry.outcome === "aborted") this.#abort(new Set(entry.of));
    if (speaks(entry)) for (const { path, to } of entry.changes) this.#heads.set(path, { seq: entry.seq, sha: to });
  }

  /** The entry is held no longer: neither are files that it deleted. */
  drop({ seq, changes }: Entry): void {
    for (const { path, to } of changes) if (to === null && this.#heads.get(path)?.seq === seq) this.#heads.delete(path);
  }

  #abort(seqs: ReadonlySet<number>): void {
    for (const [path, { seq }] of this.#heads) {
      if (!seqs.has(seq)) continue;
      const before = this.#lookBack(path);
      if (before === null) this.#heads.delete(path);
      else this.#heads.set(path, before);
    }
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

const speaks = ({ outcome }: Entry): boolean => outcome === "applied" || outcome === "external";
