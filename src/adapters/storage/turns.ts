// What Mastra's tools do with a file system, told apart by the turn of the event loop in which they do it.
//
// A file system is not told for what a file is read. Mastra's read tool asks for the `stat` of a file and reads it in the
// turn in which it is answered; its edit tools write a file in the turn in which they were given it; the next call of a
// model comes turns later. So a read counts as shown when it follows a `stat` and no write follows it. All other reads,
// those of searches, indexes and edits, show nothing.
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
  const reads = new Map<string, { readonly sha: Sha }>();
  const showing = new Set<Promise<void>>();
  return {
    asked(path) {
      stats.add(path);
      setImmediate(() => stats.delete(path));
    },
    toShow: (path) => stats.delete(path),
    given(path, sha, show) {
      const read = { sha };
      reads.set(path, read);
      setImmediate(() => {
        if (reads.get(path) !== read) return;
        reads.delete(path);
        if (show === undefined) return;
        const shown = show().finally(() => showing.delete(shown));
        showing.add(shown);
        shown.catch(() => {});
      });
    },
    source(path) {
      const read = reads.get(path);
      reads.delete(path);
      return read?.sha;
    },
    async settled() {
      await Promise.all(showing);
    },
  };
}
