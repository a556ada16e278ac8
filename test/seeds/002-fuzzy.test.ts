// Seed 002, Edit: what the cascade takes for old_string although it is not there to the letter, and what it does not.
import { describe, expect, it } from "vitest";
import { textAt } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";
import { opened } from "./002-calling.ts";

const BLOCK = `def load_orders(path, limit):
    # Read every order from the file.
    rows = []
    with open(path, encoding="utf-8") as source:
        for line in source:
            rows.append(parse(line, strict=True))
    message = f"loaded {len(rows)} of {limit}"
    log(message)
    return rows[:limit]
`;
const FILE = `import sys


def parse(line, strict):
    return line.strip()


${BLOCK}

def save_orders(path, rows):
    with open(path, "w") as target:
        for row in rows:
            target.write(row)
`;
let line = 0;
const COMMENT = "# Read every order from the file.";
const LAST = "return rows[:limit]";
const CHANGED_LAST = "return rows[: limit + 1]";

const SLIPS: readonly (readonly [what: string, right: string, wrong: string])[] = [
  ["comment reworded", COMMENT, "# Load all orders from disk."],
  ["capital letter", "# Read", "# read"],
  ["full stop", "the file.", "the file"],
  ["f-string", 'f"loaded', '"loaded'],
  ["renamed variable", "for line in source", "for entry in source"],
  ["missing comment line", `    ${COMMENT}\n`, ""],
  ["missing keyword argument", ', encoding="utf-8"', ""],
  ["letters exchanged", "append", "appned"],
  ["letter missing", "message = ", "mesage = "],
  ["other quotes", '"utf-8"', "'utf-8'"],
  ["missing line", "    log(message)\n", ""],
  ["line too many", "    log(message)\n", "    log(message)\n    flush_all()\n"],
];

describe.each(BACKENDS)("seed 002: fuzzy block on %s", (_name, make) => {
  it.each(SLIPS)("one slip in lines that the edit leaves alone: %s", async (_what, right, wrong) => {
    const { ok, workspace } = opened(make, { a: FILE });
    await ok("Read", { file_path: "a" });
    const old_string = BLOCK.replace(right, wrong);
    expect(old_string).not.toBe(BLOCK);
    const edit = { file_path: "a", old_string, new_string: old_string.replace(LAST, CHANGED_LAST) };
    const { data, warnings } = await ok("Edit", edit);
    expect(await textAt(workspace.backend, "a")).toBe(FILE.replace(LAST, CHANGED_LAST));
    expect(data.metadata.strategy).toMatch(/^(?:fuzzy_block|spelling|gap)$/);
    expect(warnings.at(-1)).toContain(`by ${data.metadata.strategy}`);
  });

  it("the answer names strategy, similarity and the lines that differed", async () => {
    const { ok } = opened(make, { a: FILE });
    await ok("Read", { file_path: "a" });
    const old_string = BLOCK.replace(COMMENT, "# Load all orders from disk.").replace(', encoding="utf-8"', "");
    const { data, warnings } = await ok("Edit", {
      file_path: "a",
      old_string,
      new_string: old_string.replace(LAST, CHANGED_LAST),
    });
    expect(data.metadata).toMatchObject({ strategy: "fuzzy_block", similarity: expect.closeTo(0.87, 1) });
    expect(warnings).toEqual([
      `Line 9: the old text says \`# Load all orders from disk.\`, the file \`${COMMENT}\`; the file's line stays.`,
      'Line 11: the old text says `with open(path) as source:`, the file `with open(path, encoding="utf-8") as source:`; the file\'s line stays.',
      expect.stringMatching(/lines 8-16 by fuzzy_block \(8\d% similar\)/),
    ]);
  });

  it("a slip in a line that the edit rewrites is refused with that line shown", async () => {
    const { ok, refused, workspace } = opened(make, { a: FILE });
    await ok("Read", { file_path: "a" });
    const old_string = BLOCK.replace(', encoding="utf-8"', "");
    for (const new_string of [
      old_string.replace("open(path)", "open(path, newline=None)"),
      old_string.replace("    with open(path) as source:\n", ""),
    ]) {
      const failure = await refused("Edit", { file_path: "a", old_string, new_string });
      expect(failure.kind).toBe("merge_conflict");
      expect(failure.text).toContain('····with·open(path,·encoding="utf-8")·as·source:');
    }
    expect(await textAt(workspace.backend, "a")).toBe(FILE);
  });

  it("new lines do not bring in a name that the file has otherwise", async () => {
    const { ok, refused, workspace } = opened(make, { a: FILE });
    await ok("Read", { file_path: "a" });
    const old_string = BLOCK.replace("for line in source", "for entry in source");
    const new_string = old_string.replace(LAST, `log(entry)\n    ${LAST}`);
    const failure = await refused("Edit", { file_path: "a", old_string, new_string });
    expect(failure.text).toContain("The new text uses `entry`");
    expect(failure.text).toContain("line 12, where the file says `for line in source:`");
    expect(await textAt(workspace.backend, "a")).toBe(FILE);
  });

  it.each([
    ["a name that goes on", "def load_orders(", "def load_orders_fast("],
    ["a plural", "log(message)", "log(messages)"],
    ["a number in a name", "rows = []", "rows2 = []"],
  ])("%s tells one place from another", async (_what, right, wrong) => {
    const { ok, refused } = opened(make, { a: FILE });
    await ok("Read", { file_path: "a" });
    const old_string = BLOCK.replace(right, wrong);
    const new_string = old_string.replace(LAST, CHANGED_LAST);
    expect((await refused("Edit", { file_path: "a", old_string, new_string })).kind).toBe("old_text_not_found");
  });

  it("needs a Read, and a clear distance to the runner-up", async () => {
    const old_string = BLOCK.replace(COMMENT, "# Load all orders from disk.");
    const edit = { file_path: "a", old_string, new_string: old_string.replace(LAST, CHANGED_LAST) };
    const twice = opened(make, { a: `${FILE}\n\n${BLOCK.replace("load_orders", "load_bills")}` });
    await twice.ok("Read", { file_path: "a" });
    expect((await twice.refused("Edit", edit)).kind).toBe("old_text_not_found");
    const short = opened(make, { a: BLOCK });
    expect((await short.refused("Edit", edit)).kind).toBe("old_text_not_found");
  });

  it.each([
    ["blanks at line ends", (text: string) => text.replace("rows = []\n", "rows = []  \n")],
    ["blanks between words", (text: string) => text.replace("rows = []", "rows  =  []")],
    ["indentation", (text: string) => text.replaceAll(/^(?=.)/gm, "  ")],
    ["look-alike characters", (text: string) => text.replace("rows = []", "rows\u00a0= []")],
    ["line numbers", (text: string) => text.replaceAll(/^(?=.)/gm, () => `${++line}\t`)],
    ["escapes", (text: string) => text.replaceAll('"', '\\"')],
    ["slips", (text: string) => text.replace('encoding="utf-8"', "encoding='utf-8'")],
    ["gaps", (text: string) => text.replace(`    ${COMMENT}\n`, "")],
  ])("fuzzy_threshold 1 switches every inexact spelling off: %s", async (_what, misspelt) => {
    const { ok, refused, workspace } = opened(make, { a: FILE });
    await ok("Read", { file_path: "a" });
    line = 7;
    const old_string = misspelt(BLOCK);
    const edit = { file_path: "a", old_string, new_string: old_string.replace(LAST, CHANGED_LAST) };
    const failure = await refused("Edit", { ...edit, fuzzy_threshold: 1 });
    expect(failure.kind).toBe("old_text_not_found");
    expect(await textAt(workspace.backend, "a")).toBe(FILE);
    await ok("Edit", edit);
    expect(await textAt(workspace.backend, "a")).toBe(FILE.replace(LAST, CHANGED_LAST));
  });

  it("a lower fuzzy_threshold widens", async () => {
    const { ok, refused, workspace } = opened(make, { a: FILE });
    await ok("Read", { file_path: "a" });
    const old_string = BLOCK.replace(COMMENT, "# What follows is quite another remark than the file has.")
      .replace(', encoding="utf-8"', "")
      .replace(", strict=True", "");
    const edit = { file_path: "a", old_string, new_string: old_string.replace(LAST, CHANGED_LAST) };
    expect((await refused("Edit", edit)).kind).toBe("old_text_not_found");
    await ok("Edit", { ...edit, fuzzy_threshold: 0.6 });
    expect(await textAt(workspace.backend, "a")).toBe(FILE.replace(LAST, CHANGED_LAST));
  });
});
