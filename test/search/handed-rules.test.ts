// How many ignore rules a search goes by: those of nested files are counted together, and so are those handed to ripgrep.
import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { handRules } from "../../src/search/ripgrep/handed-rules.ts";
import { directoryWith } from "../support/workspace.ts";
import { diskSession, placeOf, settled } from "./places.ts";

/** Each takes two fifths of what all rules above a path may take. */
const costly = (name: string): string => `${name}/**/b/**/c/**/d`;
const LEFT_OUT = "are not used: they are too long or too many to go by.";

describe.each(["ripgrep", "javascript"] as const)("%s", (engine) => {
  it("goes by nested ignore files only as far as all of them together allow", async () => {
    const files: Record<string, string> = {};
    const notes: string[] = [];
    let dir = "";
    for (let n = 0; n < 6; n++) {
      files[`${dir}.gitignore`] = `${costly(`x${n}`)}\n${costly(`y${n}`)}\nplain-${n}.txt\n`;
      files[`${dir}plain-${n}.txt`] = `ignored ${n}\n`;
      files[`${dir}found-${n}.txt`] = `found ${n}\n`;
      if (n > 0) notes.push(`Of the rules of ${dir}.gitignore, 2 ${LEFT_OUT}`);
      dir += `d${n}/`;
    }
    const found = await placeOf(diskSession(settled(directoryWith(files))), engine).find({ pattern: "**/*.txt" });
    expect(found.notes.toSorted()).toEqual(notes.toSorted());
    expect(found.files).toHaveLength(6);
    expect(found.files.every(({ path }) => /found-\d\.txt$/.test(path))).toBe(true);
  });

  it("tells of rules that are not used in every search, while the others hold", async () => {
    const files = {
      ".gitignore": `${"?".repeat(5000)}\nhidden.txt\n`,
      "hidden.txt": "hidden\n",
      "sub/.gitignore": `hidden-too.txt\n${"a/**/".repeat(8)}b\n`,
      "sub/hidden-too.txt": "hidden too\n",
      "sub/found.txt": "found\n",
    };
    const place = placeOf(diskSession(settled(directoryWith(files))), engine);
    for (const time of [1, 2, 3]) {
      const found = await place.find({ pattern: "**/*.txt" });
      expect([time, found.files.map(({ path }) => path)]).toEqual([time, ["sub/found.txt"]]);
      expect([time, found.notes.toSorted()]).toEqual([
        time,
        [`Of the rules of .gitignore, 1 ${LEFT_OUT}`, `Of the rules of sub/.gitignore, 1 ${LEFT_OUT}`],
      ]);
    }
  });
});

describe("rules for ripgrep", () => {
  const rulesOf = (bytes: number): string =>
    Array.from({ length: bytes / 100 }, (_, n) => `${n}-`.padEnd(99, "r")).join("\n");

  it("of 1.1 MB are not handed over at all", () => expect(handRules(rulesOf(1_100_000))).toBeUndefined());

  it("of 0.9 MB are handed over, whole and in order, and gone when removed", () => {
    const rules = rulesOf(900_000);
    const handed = handRules(rules)!;
    expect(handed.files.map((file) => readFileSync(file, "utf8")).join("")).toBe(`${rules}\n`);
    expect(handed.files.every((file) => readFileSync(file).length <= 16_500)).toBe(true);
    handed.remove();
    expect(existsSync(dirname(handed.files[0]!))).toBe(false);
  });
});
