// A round of flushes: everything in it is flushed, a flush that fails is told, and no descriptor stays open.
import fs, { closeSync, fstatSync, openSync, writeSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { flushRound } from "../../src/backends/disk/commit/durability.ts";
import { tempDir } from "../support/temp.ts";

const { fdatasync, fdatasyncSync } = fs;
const target = fs as unknown as Record<string, unknown>;
let flushed: number[];
let failing: number | undefined;

beforeEach(() => {
  [flushed, failing] = [[], undefined];
  const failure = Object.assign(new Error("EIO: injected"), { code: "EIO" });
  const fails = (fd: number): boolean => flushed.push(fd) > 0 && fd === failing;
  target.fdatasyncSync = (fd: number) => {
    if (fails(fd)) throw failure;
    fdatasyncSync(fd);
  };
  target.fdatasync = (fd: number, done: (error: Error | null) => void) =>
    fails(fd) ? setImmediate(done, failure) : fdatasync(fd, done);
  syncBuiltinESMExports();
});

afterEach(() => {
  Object.assign(target, { fdatasync, fdatasyncSync });
  syncBuiltinESMExports();
});

function opened(count: number): number[] {
  const dir = tempDir();
  return Array.from({ length: count }, (_, n) => {
    const fd = openSync(join(dir, `${n}`), "w");
    writeSync(fd, "x");
    return fd;
  });
}

function isOpen(fd: number): boolean {
  try {
    fstatSync(fd);
    return true;
  } catch {
    return false;
  }
}

describe.each([
  ["one file", 1],
  ["several files", 3],
])("of %s", (_name, count) => {
  it("flushes each of them, closes what it took over, and leaves the others open", async () => {
    const [shared, ...owned] = opened(count);
    const round = flushRound("full");
    for (const fd of owned) round.add(fd);
    round.addShared(shared!);
    await round.flush();
    expect(flushed.toSorted()).toEqual([shared, ...owned].toSorted());
    expect(owned.filter(isOpen)).toEqual([]);
    expect(isOpen(shared!)).toBe(true);
    closeSync(shared!);
  });

  it("fails when any of them cannot be flushed, and closes all the same", async () => {
    const owned = opened(count);
    const round = flushRound("full");
    for (const fd of owned) round.add(fd);
    failing = owned.at(-1)!;
    await expect(round.flush()).rejects.toThrow("EIO");
    expect(owned.filter(isOpen)).toEqual([]);
  });
});

it("that is dropped flushes nothing and closes what it took over", async () => {
  const owned = opened(2);
  const round = flushRound("full");
  for (const fd of owned) round.add(fd);
  round.drop();
  await round.flush();
  expect([flushed, owned.filter(isOpen)]).toEqual([[], []]);
});

it("that need not be safe closes at once and flushes nothing", async () => {
  const [owned, shared] = opened(2) as [number, number];
  const round = flushRound("fast");
  round.add(owned);
  round.addShared(shared);
  expect([isOpen(owned), isOpen(shared)]).toEqual([false, true]);
  await round.flush();
  expect(flushed).toEqual([]);
  closeSync(shared);
});
