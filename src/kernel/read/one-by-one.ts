// Adding to what was seen, one after the other: of two that read it at the same moment and write more, one would be lost.
import type { Path } from "../../core/backend.ts";

/** Runs what is given for the same path in turn. What one of them throws is not told to the next. */
export function oneByOne(): (path: Path, work: () => Promise<void>) => Promise<void> {
  const last = new Map<Path, Promise<void>>();
  return async (path, work) => {
    const before = last.get(path);
    const working = before === undefined ? work() : before.then(work);
    const over = working.catch(() => {});
    last.set(path, over);
    await working.finally(() => {
      if (last.get(path) === over) last.delete(path);
    });
  };
}
