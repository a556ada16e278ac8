// Every file-system call of a lock made to fail in turn: it is never lost to everybody.
import { describe, expect, it } from "vitest";
import { flock } from "../../src/backends/disk/lock/flock.ts";
import { linkLock } from "../../src/backends/disk/lock/link-lock.ts";
import { withFault } from "../support/faults.ts";
import { temporaryDirectory } from "./journal-fixture.ts";

describe.each([flock, linkLock])("$kind", (kind) => {
  it.each([false, true])("can be taken again after a failure (lasting: %s)", async (lasting) => {
    for (let failAt = 1; ; failAt++) {
      const dir = temporaryDirectory();
      const [mine, other] = [kind.open(dir), kind.open(dir)];
      const { hit } = await withFault({ code: "EIO", failAt, lasting }, async () => {
        if (mine.take(true)) mine.drop();
      });
      mine.giveUp();
      expect(mine.take(true)).toBe(true);
      expect(other.take(false)).toBe(false);
      mine.drop();
      expect(other.take(false)).toBe(true);
      other.drop();
      mine.close();
      other.close();
      if (hit === undefined) return;
    }
  });
});
