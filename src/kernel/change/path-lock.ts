// Calls of one process that touch the same path take turns, in the order they came.
import type { Path } from "../../core/backend.ts";
import type { Deadline } from "../../core/deadline.ts";

export interface PathLock {
  /** Waits for all paths; taken in sorted order, so two calls can never wait for each other. */
  hold<T>(paths: readonly Path[], work: () => Promise<T>, deadline: Deadline): Promise<T>;
}

export function createPathLock(): PathLock {
  const tails = new Map<Path, Promise<void>>();

  function take(path: Path): { turn: Promise<void> | undefined; release: () => void } {
    const turn = tails.get(path);
    let release!: () => void;
    const done = new Promise<void>((resolve) => {
      release = resolve;
    });
    const tail = turn === undefined ? done : turn.then(() => done);
    tails.set(path, tail);
    const forget = (): void => {
      if (tails.get(path) === tail) tails.delete(path);
    };
    return {
      turn,
      release() {
        release();
        // A call that gave up while waiting leaves those before it where they are.
        if (turn === undefined) forget();
        else void turn.then(forget);
      },
    };
  }

  return {
    async hold(paths, work, deadline) {
      const releases: (() => void)[] = [];
      try {
        for (const path of [...new Set(paths)].sort()) {
          const { turn, release } = take(path);
          releases.push(release);
          if (turn !== undefined) await deadline.race(turn);
        }
        return await work();
      } finally {
        for (const release of releases) release();
      }
    },
  };
}
