// One process and one lock: who gets it, in which order, who is refused and what they are told.
import fs from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { type Lock, openLock } from "../../src/backends/disk/lock/lock.ts";
import { arena, type FlavourName, killed, startHolder, startHolderThread } from "../races/lock-processes.ts";

const open: Lock[] = [];
afterEach(() => {
  for (const lock of open.splice(0)) lock.close();
});

function lockIn(dir: string): Lock {
  const lock = openLock(`${dir}/lock`);
  open.push(lock);
  return lock;
}

const flavours: FlavourName[] = ["flock", "link"];
const long = { timeoutMs: 30_000 };

describe.each(flavours)("the %s lock", (flavour) => {
  it("has one holder at a time, whichever object asks", async () => {
    const dir = arena(flavour);
    const [first, second] = [lockIn(dir), lockIn(dir)];
    const release = first.tryAcquire();
    expect(release).not.toBeNull();
    expect(first.tryAcquire()).toBeNull();
    expect(second.tryAcquire()).toBeNull();
    release?.();
    release?.();
    const again = await second.acquire(long);
    expect(first.tryAcquire()).toBeNull();
    release?.();
    expect(first.tryAcquire()).toBeNull();
    again();
    first.tryAcquire()?.();
  });

  it("is given in the order in which it was asked for", async () => {
    const dir = arena(flavour);
    const locks = [lockIn(dir), lockIn(dir), lockIn(dir)];
    const order: number[] = [];
    let holders = 0;
    const turns = Array.from({ length: 30 }, async (_, i) => {
      const release = await locks[i % 3]!.acquire(long);
      expect(++holders).toBe(1);
      order.push(i);
      await new Promise((resolve) => setImmediate(resolve));
      holders--;
      release();
    });
    await Promise.all(turns);
    expect(order).toEqual(turns.map((_, i) => i));
  });

  it("does not let a newcomer pass those who wait", async () => {
    const lock = lockIn(arena(flavour));
    const release = await lock.acquire(long);
    const waiting = lock.acquire(long);
    release();
    const next = lock.tryAcquire();
    expect(next).toBeNull();
    (await waiting)();
  });

  it("refuses with busy when the time is over, and goes on for the others", async () => {
    const lock = lockIn(arena(flavour));
    const release = await lock.acquire(long);
    const [patient, hasty] = [lock.acquire(long), lock.acquire({ timeoutMs: 1 })];
    await expect(hasty).rejects.toMatchObject({
      kind: "busy",
      failure: { message: expect.stringContaining("another call in this process"), recoverable: true },
    });
    release();
    (await patient)();
  });

  it("lets a waiting call be cancelled", async () => {
    const lock = lockIn(arena(flavour));
    const release = await lock.acquire(long);
    const controller = new AbortController();
    const [cancelled, patient] = [lock.acquire({ ...long, signal: controller.signal }), lock.acquire(long)];
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ kind: "cancelled" });
    await expect(lock.acquire({ ...long, signal: controller.signal })).rejects.toMatchObject({ kind: "cancelled" });
    release();
    (await patient)();
    lock.tryAcquire()!();
  });

  it("held by another process: says which, and is free when that is killed", async () => {
    const dir = arena(flavour);
    const holder = await startHolder(dir);
    const lock = lockIn(dir);
    expect(lock.tryAcquire()).toBeNull();
    const message = expect.stringContaining(`process ${holder.pid}`);
    await expect(lock.acquire({ timeoutMs: 20 })).rejects.toMatchObject({ kind: "busy", failure: { message } });
    const waiting = lock.acquire(long);
    await killed(holder);
    expect(lock.tryAcquire()).toBeNull();
    (await waiting)();
  });

  it("held by another thread: says so, and is free when that ends, though the process lives on", async () => {
    const dir = arena(flavour);
    const worker = await startHolderThread(dir);
    const lock = lockIn(dir);
    const message = expect.stringContaining("another thread of this process");
    await expect(lock.acquire({ timeoutMs: 20 })).rejects.toMatchObject({ kind: "busy", failure: { message } });
    await worker.terminate();
    (await lock.acquire(long))();
  });

  it("outlives its closing until it is released, and leaves nothing of its own behind", async () => {
    const dir = arena(flavour);
    const [lock, other] = [lockIn(dir), lockIn(dir)];
    const before = fs.readdirSync("/proc/self/fd").length;
    const release = await lock.acquire(long);
    lock.close();
    expect(lock.tryAcquire()).toBeNull();
    await expect(lock.acquire(long)).rejects.toThrow("closed");
    expect(other.tryAcquire()).toBeNull();
    other.close();
    release();
    expect(
      fs
        .readdirSync(`${dir}/lock`)
        .filter((name) => name.includes("-"))
        .sort(),
    ).toEqual(["lock-kind"]);
    expect(fs.readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before);
  });
});

describe("the flock lock", () => {
  it("is not fooled by the removal of its file", () => {
    const dir = arena("flock");
    const lock = lockIn(dir);
    lock.tryAcquire()!();
    fs.unlinkSync(`${dir}/lock/held`);
    const release = lock.tryAcquire();
    expect(fs.statSync(`${dir}/lock/held`).isFile()).toBe(true);
    expect(release).not.toBeNull();
    release?.();
  });
});
