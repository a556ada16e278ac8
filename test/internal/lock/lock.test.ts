// The lock of a workspace, in both its kinds: who gets it, in which order, who is refused, and what happens when its holder dies.
import { type ChildProcess, fork } from "node:child_process";
import fs from "node:fs";
import { Worker } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { Lock } from "../../../src/backends/disk/lock.ts";
import { withFault } from "../../support/faults.ts";
import { inOneFile } from "../../support/one-file.ts";
import { tempDir } from "../../support/temp.ts";

const KINDS = [`system ${process.platform}`, "lease"];
const HEAVY = process.env.STET_HEAVY === "1";
const LEASE_MS = 1000;
const CHILD = new URL("child.mjs", import.meta.url);
const long = { timeoutMs: 30_000 };
const open: Lock[] = [];
const started: ChildProcess[] = [];

afterEach(() => {
  for (const lock of open.splice(0)) lock.close();
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** A directory with a lock of that kind and a counter at 0. */
function directoryOf(kind: string): string {
  const dir = tempDir();
  fs.mkdirSync(`${dir}/lock`);
  fs.writeFileSync(`${dir}/lock/lock-kind`, `${kind}\n`);
  fs.writeFileSync(`${dir}/counter`, "0");
  return dir;
}

function lockIn(dir: string): Lock {
  const lock = new Lock(`${dir}/lock`, { leaseMs: LEASE_MS });
  open.push(lock);
  return lock;
}

async function isFree(lock: Lock): Promise<boolean> {
  const release = await lock.acquire({ timeoutMs: 0 }).catch(() => undefined);
  release?.();
  return release !== undefined;
}

function start(job: "increment" | "hold", dir: string, count: number): ChildProcess {
  const child = fork(inOneFile(CHILD), [job, dir, String(count), String(LEASE_MS)]);
  started.push(child);
  return child;
}

const said = (child: ChildProcess | Worker): Promise<unknown> =>
  new Promise((resolve) => (child as ChildProcess).once("message", resolve));
const ended = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => child.once("close", (code, signal) => resolve(signal ?? code)));

describe.each(KINDS)("%s", (kind) => {
  it("has one holder at a time, whichever object asks", async () => {
    const dir = directoryOf(kind);
    const [first, second] = [lockIn(dir), lockIn(dir)];
    const release = await first.acquire(long);
    expect([await isFree(first), await isFree(second)]).toEqual([false, false]);
    release();
    release();
    const again = await second.acquire(long);
    expect(await isFree(first)).toBe(false);
    release();
    expect(await isFree(first)).toBe(false);
    again();
    expect(await isFree(first)).toBe(true);
  });

  it("is given in the order in which it was asked for", async () => {
    const lock = lockIn(directoryOf(kind));
    const order: number[] = [];
    let holders = 0;
    const all = Array.from({ length: 30 }, async (_, i) => {
      const release = await lock.acquire(long);
      expect(++holders).toBe(1);
      order.push(i);
      await new Promise((resolve) => setImmediate(resolve));
      holders--;
      release();
    });
    await Promise.all(all);
    expect(order).toEqual(all.map((_, i) => i));
  });

  it("refuses with busy when the time is over, ends a wait that is cancelled, and goes on for the others", async () => {
    const lock = lockIn(directoryOf(kind));
    const release = await lock.acquire(long);
    const controller = new AbortController();
    const [patient, hasty] = [lock.acquire(long), lock.acquire({ timeoutMs: 1 })];
    const cancelled = lock.acquire({ ...long, signal: controller.signal });
    const last = lock.acquire(long);
    const message = expect.stringContaining("another call in this process");
    await expect(hasty).rejects.toMatchObject({ kind: "busy", failure: { message, recoverable: true } });
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ kind: "cancelled" });
    await expect(lock.acquire({ ...long, signal: controller.signal })).rejects.toMatchObject({ kind: "cancelled" });
    release();
    (await patient)();
    (await last)();
  });

  it("is not given to a wait that was cancelled, also where it becomes free in the same moment", async () => {
    const lock = lockIn(directoryOf(kind));
    const release = await lock.acquire(long);
    const controller = new AbortController();
    const cancelled = lock.acquire({ ...long, signal: controller.signal });
    controller.abort();
    release();
    await expect(cancelled).rejects.toMatchObject({ kind: "cancelled" });
    expect(await isFree(lock)).toBe(true);
  });

  it("held by another process: says which, and is free when that is killed", async () => {
    const dir = directoryOf(kind);
    const holder = start("hold", dir, 1);
    await said(holder);
    const lock = lockIn(dir);
    const message = expect.stringContaining(`process ${holder.pid}`);
    await expect(lock.acquire({ timeoutMs: 20 })).rejects.toMatchObject({ kind: "busy", failure: { message } });
    const waiting = lock.acquire(long);
    holder.kill("SIGKILL");
    (await waiting)();
  });

  it("held by another thread: says so, and is free when that ends, though the process lives on", async () => {
    const dir = directoryOf(kind);
    const worker = new Worker(inOneFile(CHILD), { workerData: ["hold", dir, 1, LEASE_MS] });
    await said(worker);
    const lock = lockIn(dir);
    const message = expect.stringContaining("another thread of this process");
    await expect(lock.acquire({ timeoutMs: 20 })).rejects.toMatchObject({ kind: "busy", failure: { message } });
    await worker.terminate();
    (await lock.acquire(long))();
  });

  it("outlives its closing until it is released, and leaves nothing of its own behind", async () => {
    const dir = directoryOf(kind);
    const [lock, other] = [lockIn(dir), lockIn(dir)];
    const before = fs.readdirSync("/proc/self/fd").length;
    const release = await lock.acquire(long);
    lock.close();
    await expect(lock.acquire(long)).rejects.toThrow("closed");
    expect(await isFree(other)).toBe(false);
    other.close();
    release();
    expect(fs.readdirSync(`${dir}/lock`).filter((name) => name.includes("-"))).toEqual(["lock-kind"]);
    expect(fs.readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before);
  });

  it("can be taken again after any call to the system failed", async () => {
    for (let failAt = 1; ; failAt++) {
      const dir = directoryOf(kind);
      const lock = lockIn(dir);
      const { hit } = await withFault({ code: "EIO", failAt, lasting: false }, async () => isFree(lock));
      expect(await isFree(lock)).toBe(true);
      expect(await isFree(lockIn(dir))).toBe(true);
      if (hit === undefined) return;
    }
  });

  it("loses no increment, whoever is killed", { timeout: 600_000 }, async () => {
    const dir = directoryOf(kind);
    const [processes, turns] = HEAVY ? [8, 500] : [3, 40];
    const holder = start("hold", dir, 1);
    await said(holder);
    const all = Array.from({ length: processes }, () => start("increment", dir, turns));
    holder.kill("SIGKILL");
    expect(await Promise.all(all.map(ended))).toEqual(all.map(() => 0));
    expect(fs.readFileSync(`${dir}/counter`, "utf8")).toBe(String(processes * turns));
  });
});

it("system: a file that was removed is made again", async () => {
  const dir = directoryOf(KINDS[0]!);
  const lock = lockIn(dir);
  (await lock.acquire(long))();
  fs.unlinkSync(`${dir}/lock/held`);
  const release = await lock.acquire(long);
  expect(await isFree(lockIn(dir))).toBe(false);
  release();
});

it("lease: a process that was stopped for too long learns that it lost the lock", async () => {
  const dir = directoryOf("lease");
  const holder = start("hold", dir, 1);
  await said(holder);
  holder.kill("SIGSTOP");
  const release = await lockIn(dir).acquire(long);
  holder.kill("SIGCONT");
  expect(await said(holder)).toBe("lost");
  expect(release.isHeld()).toBe(true);
  release();
});

describe("the kind of lock", () => {
  it("is the system's own where that can be had, and kept to", async () => {
    const dir = tempDir();
    fs.mkdirSync(`${dir}/lock`);
    expect(await isFree(lockIn(dir))).toBe(true);
    expect(fs.readFileSync(`${dir}/lock/lock-kind`, "utf8")).toBe(`system ${process.platform}\n`);
  });

  it.each(["flock plan9\n", "", "-----BEGIN KEY-----\n"])(
    "that is not known is refused and not shown: %j",
    async (text) => {
      const dir = directoryOf("lease");
      fs.writeFileSync(`${dir}/lock/lock-kind`, text);
      const refusal = await lockIn(dir)
        .acquire(long)
        .catch((error) => error);
      expect(refusal).toMatchObject({ kind: "unsupported" });
      expect(refusal.message).not.toContain("BEGIN");
    },
  );
});
