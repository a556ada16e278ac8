// Versions read lately: bounded by what they keep in memory, not by what they say of themselves.
import { describe, expect, it } from "vitest";
import type { Path } from "../../src/core/backend.ts";
import { versionOf } from "../../src/core/version.ts";
import { createRecent } from "../../src/kernel/read/recent.ts";
import { memoryLedger, wholeSeen } from "../../src/kernel/read/seen.ts";

const BLOCK = 8192;

describe("recent versions", () => {
  it("that lie in larger blocks of memory do not keep the blocks", () => {
    const recent = createRecent(100_000);
    const versions = Array.from({ length: 400 }, (_, n) => {
      const block = Buffer.alloc(BLOCK, "-");
      return versionOf([block.subarray(0, block.write(`version ${n} ${"x".repeat(n)}`, 0))]);
    });
    for (const version of versions) recent.add(version);
    const kept = versions.flatMap(({ sha }) => recent.get(sha) ?? []);
    const held = kept.flatMap(({ parts }) => parts).reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
    expect(kept.length).toBeGreaterThan(50);
    expect(held + kept.length * 512).toBeLessThanOrEqual(100_000);
    expect(kept.at(-1)).toEqual({ ...versions.at(-1)!, parts: [new Uint8Array(versions.at(-1)!.parts[0]!)] });
    expect(recent.get(versions[0]!.sha)).toBeUndefined();
  });

  it("that are empty cost something too, and are given back when they go", () => {
    const recent = createRecent(5 * 512 + 5);
    const small = Array.from({ length: 7 }, (_, n) => versionOf([Buffer.from(String(n))]));
    for (const version of small) recent.add(version);
    expect(small.map(({ sha }) => recent.get(sha) !== undefined)).toEqual([false, false, ...Array(5).fill(true)]);
    for (const { sha } of [...small, ...small]) recent.drop(sha);
    for (const version of small) recent.add(version);
    expect(small.filter(({ sha }) => recent.get(sha) !== undefined)).toHaveLength(5);
  });
});

it("what a session has seen is bounded: the file seen longest ago counts as unread", async () => {
  const ledger = memoryLedger(3);
  const [a, b, c, d] = ["a", "b", "c", "d"] as Path[];
  const seen = wholeSeen(versionOf([Buffer.from("x")]).sha);
  for (const path of [a!, b!, c!, a!, d!]) await ledger.set(path, seen);
  expect(await Promise.all([a, b, c, d].map(async (path) => (await ledger.get(path!)) !== undefined))).toEqual([
    true,
    false,
    true,
    true,
  ]);
});
