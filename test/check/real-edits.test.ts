import { existsSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { checkEdit } from "stet/check";
import { describe, expect, it } from "vitest";

interface Case {
  readonly id: number;
  readonly path: string;
  readonly before: string;
  readonly start: number;
  readonly old: readonly string[];
  readonly new: readonly string[];
}

const file = new URL("../../../shared/data/edit-bench/cases.jsonl", import.meta.url);

describe.skipIf(!existsSync(file))("real hunks (skipped without ../shared/data)", () => {
  it("are not suspicious, but for one that only its neighbour hunk makes whole", async () => {
    const cases: Case[] = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const suspicious: string[] = [];
    for (const { path, before, start, old, new: changed, id } of cases) {
      const lines = before.split("\n");
      expect(lines.slice(start, start + old.length)).toEqual(old);
      const after = lines.toSpliced(start, old.length, ...changed).join("\n");
      const found = await checkEdit({ path, before, after });
      const bad = found.filter((warning) => warning.severity === "suspicious");
      if (bad.length > 0) suspicious.push(`${id}${extname(path)} ${bad[0]!.check} ${bad[0]!.line}`);
    }
    expect(cases.length).toBeGreaterThan(200);
    expect(suspicious).toEqual(["196.ts syntax 66"]);
  });
});
