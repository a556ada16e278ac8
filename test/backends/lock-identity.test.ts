// A lock that was deleted while somebody had it open is never mistaken for another one, although the system reuses its numbers.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openLock } from "../../src/backends/disk/lock/lock.ts";
import { directoryWith } from "../support/workspace.ts";

describe.each(["flock", "link"] as const)("the %s lock", (flavour) => {
  it("of a directory that is gone does not stand for that of a new one", () => {
    const base = directoryWith({});
    const open = (name: string) => {
      mkdirSync(join(base, name));
      return openLock(join(base, name), { flavour });
    };
    const locks = Array.from({ length: 20 }, (_, n) => {
      const lock = open(`${n}`);
      const release = lock.tryAcquire();
      rmSync(join(base, `${n}`), { recursive: true });
      return { lock, release };
    });
    expect(locks.filter(({ release }) => release === null)).toEqual([]);
    for (const { lock, release } of locks) {
      release?.();
      lock.close();
    }
  });
});
