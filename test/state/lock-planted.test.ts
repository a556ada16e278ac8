// Owners of a lock that nobody can have written as stet does: they are left alone, and nothing is made of their names.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openLock } from "../../src/backends/disk/lock/lock.ts";
import { isDead, parseOwner, thisOwner } from "../../src/backends/disk/lock/owner.ts";
import { arena } from "../races/lock-processes.ts";

describe.runIf(process.platform === "linux")("the owner of a lock", () => {
  it("without a nonce, although it is dead, keeps it busy, and nothing is named after it", async () => {
    const { pid } = spawnSync("true");
    const owner = { ...thisOwner(""), pid, thread: pid, start: "1" };
    const dir = `${arena("link")}/lock`;
    expect(isDead(owner, dir)).toBe(true);
    const content = JSON.stringify(owner);
    writeFileSync(`${dir}/held`, content);
    const lock = openLock(dir);
    expect(lock.tryAcquire()).toBeNull();
    await expect(lock.acquire({ timeoutMs: 10 })).rejects.toMatchObject({ kind: "busy" });
    lock.close();
    expect(readFileSync(`${dir}/held`, "utf8")).toBe(content);
    expect(readdirSync(dir).sort()).toEqual(["held", "lock-kind"]);
  });

  it("has numbers as the kernel gives them", () => {
    const me = thisOwner("f".repeat(16));
    const read = (facts: object) => parseOwner(JSON.stringify({ ...me, ...facts }));
    expect(read({ pid: 2 ** 31 - 1, thread: 2 ** 31 - 1 })).not.toBeNull();
    for (const number of [2 ** 31, 2 ** 53, -1, 1.5, "1", null]) {
      expect(read({ pid: number }), `pid ${number}`).toBeNull();
      expect(read({ thread: number }), `thread ${number}`).toBeNull();
    }
    expect(read({ pid: 0 })).toBeNull();
  });
});
