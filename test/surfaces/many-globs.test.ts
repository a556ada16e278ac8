// Names and globs that were made to take long: other work gets its turn meanwhile, and the deadline holds.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { otherWorkNowAndThen } from "../../src/core/other-work.ts";
import { stet } from "../support/cli.ts";
import { tempDir } from "../support/temp.ts";

describe("a project with a thousand globs and names that suit them least", () => {
  const cwd = tempDir();
  mkdirSync(join(cwd, "d"));
  for (let n = 100; n < 400; n++) writeFileSync(join(cwd, "d", `${"a".repeat(240)}${n}`), `line of ${n}\n`);
  const deniedPaths = Array.from({ length: 990 }, (_, n) => `d/*a*a*ab${n}`);
  writeFileSync(join(cwd, "stet.config.json"), JSON.stringify({ policy: { deniedPaths } }));

  it.each([
    ["list_directory", { path: "d" }],
    ["glob", { pattern: "**/*" }],
    ["read_file", { path: `d/${"a".repeat(240)}100` }],
  ])("%s answers within its time", { timeout: 30_000 }, async (tool, input) => {
    const began = performance.now();
    const { code, out } = await stet(["call", tool, JSON.stringify(input)], { cwd, env: { HOME: tempDir() } });
    expect([code, out.includes("100")]).toEqual([0, true]);
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});

it("a long loop that awaits other work now and then lets timers in", async () => {
  const otherWork = otherWorkNowAndThen();
  let heard = false;
  setTimeout(() => {
    heard = true;
  }, 1);
  const end = performance.now() + 5000;
  while (!heard && performance.now() < end) await otherWork();
  expect(heard).toBe(true);
});
