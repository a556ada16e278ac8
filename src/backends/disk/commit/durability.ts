// When bytes are safe: "full" waits until the disk has them, "fast" leaves that to the operating system.
import fs from "node:fs";
import { closeQuietly } from "../io.ts";

export type Durability = "full" | "fast";

/** Descriptors whose bytes must be on disk before the next step. They are flushed together, in one round. */
export interface FlushRound {
  /** Takes over the descriptor and closes it after the flush. */
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
      else fs.closeSync(fd);
    },
    addShared(fd) {
      if (durability === "full") shared.push(fd);
    },
    async flush() {
      const all = [...owned, ...shared];
      try {
        // Handing over to other threads costs more than it saves for the few files of an ordinary change.
        if (all.length <= FEW) for (const fd of all) fs.fdatasyncSync(fd);
        else await Promise.all(all.map(flushOne));
      } finally {
        drop();
      }
    },
    drop,
  };
}

const FEW = 1;

function flushOne(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.fdatasync(fd, (error) => (error ? reject(error) : resolve()));
  });
}
