// An index of git in which names share little with their neighbours: then it takes two bytes to say how little.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { trackedByGit } from "../../src/backends/disk/trust/git-index.ts";
import { tempDir } from "../support/temp.ts";

it("format 4 is read also where neighbouring names differ in 128 bytes and more", () => {
  const root = tempDir();
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, env, stdio: "pipe" });
  git("init", "-q");
  const names = [
    ["a", 130],
    ["b", 200],
    ["c", 250],
    ["z", 200],
    ["zz", 99],
  ] as const;
  for (const [letter, times] of names) writeFileSync(join(root, `.${letter.repeat(times)}`), `${letter}\n`);
  git("add", "-A");
  git("update-index", "--index-version", "4");
  mkdirSync(join(root, ".stet/journal"), { recursive: true });
  writeFileSync(join(root, ".stet/journal/0000000000000001.jsonl"), "x\n");
  expect(trackedByGit(join(root, ".stet"))).toBe(false);
  git("add", "-f", ".stet");
  expect(trackedByGit(join(root, ".stet"))).toBe(true);
  git("rm", "-r", "-q", "--cached", ".stet");
  expect(trackedByGit(join(root, ".stet"))).toBe(false);
});
