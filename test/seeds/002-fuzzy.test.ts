// Seed 002, Edit: which block is taken for old_string, and which is another one.
import { compact } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentWith } from "../support/agent.ts";

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
  ["f-string", 'f"loaded', '"loaded'],
  ["renamed variable", "for line in source", "for entry in source"],
  ["missing comment line", `    ${COMMENT}\n`, ""],
  ["letters exchanged", "append", "appned"],
];

describe("seed 002: fuzzy block", () => {
  it.each(SLIPS)("one slip in lines that the edit leaves alone: %s", async (_what, right, wrong) => {
    const { done, content } = agentWith(compact, { a: FILE });
    await done("Read", { file_path: "a" });
    const old_string = BLOCK.replace(right, wrong);
    expect(old_string).not.toBe(BLOCK);
    const edit = { file_path: "a", old_string, new_string: old_string.replace(LAST, CHANGED_LAST) };
    const { data, warnings } = await done("Edit", edit);
    expect(await content("a")).toBe(FILE.replace(LAST, CHANGED_LAST));
    expect(data.metadata.strategy).toMatch(/^(?:fuzzy_block|spelling|gap)$/);
    expect(warnings.at(-1)).toContain(`by ${data.metadata.strategy}`);
  });

  it("the answer names strategy, similarity and the lines that differed", async () => {
    const { done } = agentWith(compact, { a: FILE });
    await done("Read", { file_path: "a" });
    const old_string = BLOCK.replace(COMMENT, "# Load all orders from disk.").replace(', encoding="utf-8"', "");
    const { data, warnings } = await done("Edit", {
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
    const { done, refused, content } = agentWith(compact, { a: FILE });
    await done("Read", { file_path: "a" });
    const old_string = BLOCK.replace(', encoding="utf-8"', "");
    for (const new_string of [
      old_string.replace("open(path)", "open(path, newline=None)"),
      old_string.replace("    with open(path) as source:\n", ""),
    ]) {
      const failure = await refused("Edit", { file_path: "a", old_string, new_string });
      expect(failure.kind).toBe("merge_conflict");
      expect(failure.text).toContain('····with·open(path,·encoding="utf-8")·as·source:');
    }
    expect(await content("a")).toBe(FILE);
  });

  it("new lines do not bring in a name that the file has otherwise", async () => {
    const { done, refused, content } = agentWith(compact, { a: FILE });
    await done("Read", { file_path: "a" });
    const old_string = BLOCK.replace("for line in source", "for entry in source");
    const new_string = old_string.replace(LAST, `log(entry)\n    ${LAST}`);
    const failure = await refused("Edit", { file_path: "a", old_string, new_string });
    expect(failure.text).toContain("line 12: the file has `        for line in source:`");
    expect(await content("a")).toBe(FILE);
  });

  it.each([
    ["a name that goes on", "def load_orders(", "def load_orders_fast("],
    ["a plural", "log(message)", "log(messages)"],
    ["a number in a name", "rows = []", "rows2 = []"],
  ])("%s tells one place from another", async (_what, right, wrong) => {
    const { done, refused } = agentWith(compact, { a: FILE });
    await done("Read", { file_path: "a" });
    const old_string = BLOCK.replace(right, wrong);
    const new_string = old_string.replace(LAST, CHANGED_LAST);
    expect((await refused("Edit", { file_path: "a", old_string, new_string })).kind).toBe("old_text_not_found");
  });

  it("needs a Read, and a clear distance to the runner-up", async () => {
    const old_string = BLOCK.replace(COMMENT, "# Load all orders from disk.");
    const edit = { file_path: "a", old_string, new_string: old_string.replace(LAST, CHANGED_LAST) };
    const twice = agentWith(compact, { a: `${FILE}\n\n${BLOCK.replace("load_orders", "load_bills")}` });
    await twice.done("Read", { file_path: "a" });
    expect((await twice.refused("Edit", edit)).kind).toBe("old_text_not_found");
    const short = agentWith(compact, { a: BLOCK });
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
    const { done, refused, content } = agentWith(compact, { a: FILE });
    await done("Read", { file_path: "a" });
    line = 7;
    const old_string = misspelt(BLOCK);
    const edit = { file_path: "a", old_string, new_string: old_string.replace(LAST, CHANGED_LAST) };
    const failure = await refused("Edit", { ...edit, fuzzy_threshold: 1 });
    expect(failure.kind).toBe("old_text_not_found");
    expect(await content("a")).toBe(FILE);
    await done("Edit", edit);
    expect(await content("a")).toBe(FILE.replace(LAST, CHANGED_LAST));
  });

  it("a lower fuzzy_threshold widens", async () => {
    const { done, refused, content } = agentWith(compact, { a: FILE });
    await done("Read", { file_path: "a" });
    const old_string = BLOCK.replace(COMMENT, "# What follows is quite another remark than the file has.")
      .replace(', encoding="utf-8"', "")
      .replace(", strict=True", "");
    const edit = { file_path: "a", old_string, new_string: old_string.replace(LAST, CHANGED_LAST) };
    expect((await refused("Edit", edit)).kind).toBe("old_text_not_found");
    await done("Edit", { ...edit, fuzzy_threshold: 0.6 });
    expect(await content("a")).toBe(FILE.replace(LAST, CHANGED_LAST));
  });
});

const BRACED = ["total = 0;", "for (i = 0; i < n; i++) {", "  total += values[i] * weight;", "}", "audit(total);"];
const PLAIN = ["total = 0", "if total is None:", "  abort(404)", "audit(total)", "log(total)"];
const RULES = ["color: white;", "padding: 4px 8px;", "border-radius: 4px;", "font-weight: bold;", "margin: 0;"];
const PAIRS = ["host: localhost", "port: http", "timeout: short", "retries: many", "zone: europe"];

const OTHERS: readonly (readonly [where: string, inFile: string, wrote: string, body: string[], end: string])[] = [
  ["Go method", "func (s *Store) Get(id string) int {", "func (s *Store) Put(id string) int {", BRACED, "}"],
  ["C function", "static int sum_rows(int *values, int n) {", "static int sum_cols(int *values, int n) {", BRACED, "}"],
  ["TypeScript method", "async fetchUser(id: string) {", "async removeUser(id: string) {", BRACED, "}"],
  ["arrow function", "export const getUser = (id) => {", "export const putUser = (id) => {", BRACED, "};"],
  ["route", 'app.get("/users", async (req, res) => {', 'app.get("/teams", async (req, res) => {', BRACED, "});"],
  ["case", 'case "start": {', 'case "pause": {', BRACED, "}"],
  ["Ruby method", "def self.load(id)", "def self.save(id)", PLAIN, "end"],
  ["Python decorator", '@route("/users")\ndef show():', '@route("/teams")\ndef show():', PLAIN, "# end"],
  ["selector", ".btn-primary {", ".btn-warning {", RULES, "}"],
  ["parameter", "async fetchUser(id: string) {", "async fetchUser(key: string) {", BRACED, "}"],
  ["result", "const rows = await client.send({", "const result = await client.send({", BRACED, "});"],
  ["loop", "for (const item of items) {", "for (const it of items) {", BRACED, "}"],
  ["YAML key", "deploy:", "docker:", PAIRS, "# end"],
  ["SQL table", "CREATE TABLE users (", "CREATE TABLE teams (", PAIRS, ");"],
  ["Markdown section", "## Install on Linux", "## Install on macOS", PAIRS, "The end."],
];

describe("seed 002: a fuzzy block is refused where the block has another name", () => {
  it.each(OTHERS)("%s", async (_where, inFile, wrote, body, end) => {
    const inner = body.map((line) => `  ${line}`).join("\n");
    const file = `first line of the file\n\n${inFile}\n${inner}\n${end}\n\nlast line of the file\n`;
    const { done, refused, content } = agentWith(compact, { a: file });
    await done("Read", { file_path: "a" });
    const old_string = `${wrote}\n${inner}\n${end}\n`;
    const last = body.at(-1)!;
    await refused("Edit", { file_path: "a", old_string, new_string: old_string.replace(last, `${last} changed`) });
    expect(await content("a")).toBe(file);
  });

  it("but not where only one has a word before it", async () => {
    const inner = BRACED.map((line) => `  ${line}`).join("\n");
    const wrote = "async function fetchUser(id) {";
    const file = `first line of the file\n\nexport ${wrote}\n${inner}\n}\n\nlast line of the file\n`;
    const { done, content } = agentWith(compact, { a: file });
    await done("Read", { file_path: "a" });
    const old_string = `${wrote}\n${inner}\n}\n`;
    await done("Edit", { file_path: "a", old_string, new_string: old_string.replace("audit(total);", "audit(0);") });
    expect(await content("a")).toBe(file.replace("audit(total);", "audit(0);"));
  });

  it.each([
    ["a slip where nothing has that name", "last line of the file", true],
    ["another name where the file has it elsewhere", "fetchReocrds();", false],
  ])("letters that changed places in the name are %s", async (_what, last, applies) => {
    const inner = BRACED.map((line) => `  ${line}`).join("\n");
    const file = `first line of the file\n\nasync fetchRecords(id) {\n${inner}\n}\n\n${last}\n`;
    const { done, refused, content } = agentWith(compact, { a: file });
    await done("Read", { file_path: "a" });
    const old_string = `async fetchReocrds(id) {\n${inner}\n}\n`;
    const input = { file_path: "a", old_string, new_string: old_string.replace("audit(total);", "audit(0);") };
    await (applies ? done("Edit", input) : refused("Edit", input));
    expect(await content("a")).toBe(applies ? file.replace("audit(total);", "audit(0);") : file);
  });

  it("nor is a line with other numbers taken for a slip", async () => {
    const step = (version: string) =>
      `    - os: linux\n      dist: xenial\n      python: "${version}"\n      arch: amd64\n`;
    const file = `matrix:\n  include:\n${step("2.7")}`;
    const { done, refused } = agentWith(compact, { a: file });
    await done("Read", { file_path: "a" });
    const old_string = step("3.6");
    await refused("Edit", { file_path: "a", old_string, new_string: old_string.replace("amd64", "arm64") });
  });
});
