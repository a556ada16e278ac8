// When bytes are safe: "full" waits until the disk has them, "fast" leaves that to the operating system.
import fs from "node:fs";
import { closeQuietly } from "../io.ts";

export type Durability = "full" | "fast";

/** Descriptors whose bytes must be on disk before the next step. They are flushed together, in one round. */
export interface FlushRound {
  /** Takes over the descriptor and closes it after the flush. "fast" begins it at once and does not wait: see `begin`. */
  add(fd: number): void;
  /** Flushes a descriptor that stays open. */
  addShared(fd: number): void;
  flush(): Promise<void>;
  /** Closes what was taken over, without flushing. */
  drop(): void;
}

export function flushRound(durability: Durability): FlushRound {
  const owned: number[] = [];
  const shared: number[] = [];
  const drop = (): void => {
    for (const fd of owned.splice(0)) closeQuietly(fd);
  };
  return {
    add(fd) {
      if (durability === "full") owned.push(fd);
      else begin(fd);
    },
    addShared(fd) {
      if (durability === "full") shared.push(fd);
    },
    async flush() {
      if (begun.size > MAX_BEGUN) await Promise.race(begun);
      const all = [...owned, ...shared];
      try {
        // Handing over to another thread costs more than it saves for a single file.
        if (all.length === 1) fs.fdatasyncSync(all[0]!);
        else await Promise.all(all.map(flushOne));
      } finally {
        drop();
      }
    },
    drop,
  };
}

/** Flushes that no change waits for. */
const begun = new Set<Promise<void>>();
/** Each holds a descriptor. */
const MAX_BEGUN = 64;

/** Without it, ext4 may leave a file empty after a power loss that was exchanged for a whole one. */
function begin(fd: number): void {
  const flush = flushOne(fd)
    .catch(() => undefined)
    .then(() => {
      closeQuietly(fd);
      begun.delete(flush);
    });
  begun.add(flush);
}

/** Before a backend closes. */
export const flushesDone = (): Promise<unknown> => Promise.all(begun);

function flushOne(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.fdatasync(fd, (error) => (error ? reject(error) : resolve()));
  });
}
