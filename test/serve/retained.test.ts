// After many calls no more is left in memory than after few: counted by the kind of object, not by the bytes.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { HEAVY } from "../support/processes.ts";
import { directoryWith } from "../support/workspace.ts";

const SCRIPT = fileURLToPath(new URL("retained.mjs", import.meta.url));

it.runIf(HEAVY)("calls of every kind leave nothing behind", { timeout: 180_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, directoryWith({})]);
  const [before, after] = stdout.trim().split("\n").map(countsIn);
  expect(Object.keys(after!)).toEqual(["Map", "Promise", "ArrayBuffer"]);
  for (const [kind, count] of Object.entries(after!)) expect(count - before![kind]!, kind).toBeLessThan(50);
});

function countsIn(line: string): Record<string, number> {
  const { failure, counts } = JSON.parse(line);
  expect(failure).toBeUndefined();
  return counts;
}
