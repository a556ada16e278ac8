// Seed 002 on a real disk: ripgrep or not, and what is seen of a Write while it happens.
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { directoryWith } from "../support/workspace.ts";
import { callsOf } from "./002-calling.ts";

const TREE = {
  "a.ts": "const größe = 1;\nfunction f(x) {\n  return x;\n}\n",
  "b/c.py": "def f(x):\r\n    return x\r\n",
  "b/.hidden": "return\n",
  "d.log": "return\n",
  ".gitignore": "*.log\n",
};

describe("seed 002: Grep and its engine", () => {
  const before = process.env.STET_SEARCH;
  afterEach(() => {
    if (before === undefined) delete process.env.STET_SEARCH;
    else process.env.STET_SEARCH = before;
  });

  it("Grep answers the same with ripgrep and without it", async () => {
    const { ok, refused } = callsOf(new Workspace(disk({ root: directoryWith(TREE), durability: "fast" })));
    const asked = [
      { pattern: "return \\w" },
      { pattern: "\\bgröße\\b", context: 1 },
      { pattern: "(?i)RETURN", output_mode: "count" },
      { pattern: "return", output_mode: "files_with_matches", include_hidden: true, include_ignored: true },
      { pattern: "\\{$|:$", type: "py" },
      { pattern: "\\{\\n\\s+return", multiline: true },
      { pattern: "return(?= x$)", max_results: 1 },
      { pattern: "{" },
    ];
    for (const input of asked) {
      delete process.env.STET_SEARCH;
      const fast = await ok("Grep", input);
      process.env.STET_SEARCH = "javascript";
      const plain = await ok("Grep", input);
      expect([input, plain.text, plain.data]).toEqual([input, fast.text, fast.data]);
      expect(fast.data.metadata.matches).toBeGreaterThan(0);
      expect((await refused("Grep", { pattern: "(" })).kind).toBe("command_failed");
    }
  });
});

describe("seed 002: Write is temp + rename", () => {
  it("Write puts a whole new file in place: who has the old one open still sees all of it", async () => {
    const root = directoryWith({ a: "old and whole\n" });
    const { ok } = callsOf(new Workspace(disk({ root, durability: "fast" })));
    const fd = openSync(join(root, "a"), "r");
    try {
      const { ino } = fstatSync(fd);
      await ok("Write", { file_path: "a", content: "new\n" });
      expect(readFileSync(fd, "utf8")).toBe("old and whole\n");
      expect(readFileSync(join(root, "a"), "utf8")).toBe("new\n");
      const now = openSync(join(root, "a"), "r");
      expect(fstatSync(now).ino).not.toBe(ino);
      closeSync(now);
    } finally {
      closeSync(fd);
    }
  });
});
