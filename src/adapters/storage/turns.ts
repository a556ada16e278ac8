// What Mastra's tools do with a file system, told apart by the turn of the event loop in which they do it.
//
// A file system is not told for what a file is read. Mastra's read tool asks for the `stat` of a file and reads it in the
// turn in which it is answered; its edit tools write a file in the turn in which they were given it; the next call of a
// model comes later. So a read counts as shown when it follows a `stat`, and what comes next is no write: the end of the
// turn, or another look at the file. All other reads, those of searches, indexes and edits, show nothing.
import type { Sha } from "../../core/backend.ts";

export interface Turns {
  /** The `stat` of this file is given now. */
  asked(path: string): void;
  /** A read begins: whether it is one to be shown. */
  toShow(path: string): boolean;
  /** This version is given now. `show` is called when the turn is over, unless a write came first. */
  given(path: string, sha: Sha, show: (() => Promise<void>) | undefined): void;
  /** A write begins: the version that it was made of, if one was given in this turn. */
  source(path: string): Sha | undefined;
  /** All that was to be shown has been. */
  settled(): Promise<void>;
}

export function turns(): Turns {
  const stats = new Set<string>();
  const reads = new Map<string, Given>();
  const showing = new Set<Promise<void>>();
  const show = (read: Given | undefined): void => {
    if (read?.show === undefined) return;
    const shown = read.show().finally(() => showing.delete(shown));
    read.show = undefined;
    showing.add(shown);
    shown.catch(() => {});
  };
  return {
    asked(path) {
      show(reads.get(path));
      stats.add(path);
      setImmediate(() => stats.delete(path));
    },
    toShow(path) {
      show(reads.get(path));
      return stats.delete(path);
    },
    given(path, sha, toShow) {
      const other = reads.get(path);
      const read = { sha: other === undefined || other.sha === sha ? sha : UNCLEAR, show: toShow };
      reads.set(path, read);
      setImmediate(() => {
        show(read);
        if (reads.get(path) === read) reads.delete(path);
      });
    },
    source(path) {
      const read = reads.get(path);
      if (read !== undefined) read.show = undefined;
      return read?.sha;
    },
    async settled() {
      await Promise.all(showing);
    },
  };
}

interface Given {
  readonly sha: Sha;
  show: (() => Promise<void>) | undefined;
}

/** Two versions were given in one turn: what is written may be made of either, so it is no version that is there. */
const UNCLEAR = "" as Sha;
