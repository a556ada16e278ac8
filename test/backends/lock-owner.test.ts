// When the holder of a link lock counts as dead: by fact only, and never when nobody can tell.
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { describe, expect, it } from "vitest";
import { openLock } from "../../src/backends/disk/lock/lock.ts";
import { isDead, type Owner, parseOwner, thisOwner } from "../../src/backends/disk/lock/owner.ts";
import { arena } from "../races/lock-processes.ts";

/** Nonces as stet makes them: sixteen hex digits. */
const [A, B, C] = ["a", "b", "c"].map((digit) => digit.repeat(16)) as [string, string, string];
const me = thisOwner("0123456789abcdef");
const ended = { pid: spawnSync("true").pid, thread: 0, start: "1" };
const left = (facts: Partial<Owner>): Owner => ({
  ...me,
  nonce: "f".repeat(16),
  ...ended,
  thread: ended.pid,
  ...facts,
});

describe.runIf(process.platform === "linux")("an owner", () => {
  const dir = os.tmpdir();

  it("that runs is alive, and reads back", () => {
    expect(me).toMatchObject({ pid: process.pid, thread: expect.any(Number), start: expect.stringMatching(/^\d+$/) });
    expect(isDead(me, dir)).toBe(false);
    expect(parseOwner(JSON.stringify(me))).toEqual(me);
  });

  it("whose process ended is dead", () => expect(isDead(left({}), dir)).toBe(true));

  it("whose number another process has now is dead", () => {
    expect(isDead({ ...me, start: String(Number(me.start) - 1) }, dir)).toBe(true);
  });

  it("whose thread ended is dead though its process lives", () => {
    expect(isDead({ ...me, thread: ended.pid }, dir)).toBe(true);
  });

  it("that nobody waited for is dead", async () => {
    // the shell becomes a program that never asks for the end of the child it inherits
    const parent = spawn("sh", ["-c", "sleep 0.1 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
    const pid = await new Promise<number>((resolve) => parent.stdout.once("data", (data) => resolve(Number(data))));
    const stat = () => fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    while (!stat().includes(") Z ")) await new Promise((resolve) => setImmediate(resolve));
    const start = stat().split(") ")[1]!.split(" ")[19]!;
    expect(isDead({ ...me, pid, thread: pid, start }, dir)).toBe(true);
    parent.kill("SIGKILL");
  });

  it("of before a restart is dead on a local disk", () => {
    expect(isDead(left({ boot: "another" }), dir)).toBe(true);
    expect(isDead(left({ boot: "another" }), "/proc")).toBe(false);
  });

  it.each([
    ["of another pid namespace", { pidNamespace: "pid:[1]" }],
    ["without a start time", { start: "" }],
    ["without a boot id", { boot: "" }],
    ["without a pid namespace", { pidNamespace: "" }],
  ])("%s cannot be judged", (_, facts) => expect(isDead(left(facts), dir)).toBe(false));
});

describe.runIf(process.platform === "linux")("a link lock left behind", () => {
  function leave(content: string): string {
    const dir = `${arena("link")}/lock`;
    fs.writeFileSync(`${dir}/held`, content);
    return dir;
  }

  it("by a dead owner is taken over, also when others died while doing that", () => {
    const dir = leave(JSON.stringify(left({ nonce: A })));
    fs.writeFileSync(`${dir}/dead-${A}`, JSON.stringify(left({ nonce: B })));
    fs.writeFileSync(`${dir}/dead-${B}`, JSON.stringify(left({ nonce: C })));
    fs.writeFileSync(`${dir}/owner-${C}`, JSON.stringify(left({ nonce: C })));
    const lock = openLock(dir);
    const release = lock.tryAcquire();
    expect(parseOwner(fs.readFileSync(`${dir}/held`, "utf8"))?.pid).toBe(process.pid);
    release?.();
    lock.close();
    expect(fs.readdirSync(dir)).toEqual(["lock-kind"]);
  });

  it("by a dead owner is left to whoever is alive and about to take it over", () => {
    const dir = leave(JSON.stringify(left({ nonce: A })));
    fs.writeFileSync(`${dir}/dead-${A}`, JSON.stringify({ ...me, nonce: B }));
    const lock = openLock(dir);
    expect(lock.tryAcquire()).toBeNull();
    fs.unlinkSync(`${dir}/dead-${A}`);
    lock.tryAcquire()!();
    lock.close();
  });

  it("by a dead owner is not taken twice by those who found it dead at the same time", () => {
    const dir = leave(JSON.stringify(left({ nonce: A })));
    const lock = openLock(dir);
    const { linkSync } = fs;
    let overtaken = false;
    // just before the right to replace the dead one is asked for, somebody else gets it, uses it and gives it back
    fs.linkSync = (from, to) => {
      if (String(to).endsWith(`/dead-${A}`) && !overtaken) {
        fs.writeFileSync(`${dir}/held`, JSON.stringify({ ...me, nonce: B }));
        overtaken = true;
      }
      linkSync(from, to);
    };
    try {
      expect(lock.tryAcquire()).toBeNull();
    } finally {
      fs.linkSync = linkSync;
    }
    expect(overtaken).toBe(true);
    expect(parseOwner(fs.readFileSync(`${dir}/held`, "utf8"))?.nonce).toBe(B);
    lock.close();
  });

  it.each([
    [
      "another container",
      JSON.stringify(left({ pidNamespace: "pid:[1]" })),
      `process ${ended.pid} of another container`,
    ],
    ["nobody knows whom", "", "an unknown process"],
  ])("by %s stays, and the refusal says whose it is", async (_, content, holder) => {
    const dir = leave(content);
    const lock = openLock(dir);
    await expect(lock.acquire({ timeoutMs: 10 })).rejects.toMatchObject({
      kind: "busy",
      failure: { message: expect.stringContaining(holder) },
    });
    expect(fs.readFileSync(`${dir}/held`, "utf8")).toBe(content);
    lock.close();
  });
});
