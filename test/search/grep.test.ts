// Lines by pattern: the same table in memory, on disk with ripgrep, and on disk without it.
import { readFileSync } from "node:fs";
import type { Path } from "stet";
import type { GrepRequest } from "stet/search";
import { describe, expect, it } from "vitest";
import { type Files, PLACES, shown } from "./places.ts";

const FILES: Files = {
  "a.txt": "one\ntwo foo\nthree foo foo\n",
  "b.md": "# Foo\n",
  "sub/c.ts": "const foo = 1;\n",
  "sub/deep/d.ts": "foo();\nbar();\n",
  "sub/crlf.txt": "foo\r\nend\r\n",
  "sub/utf8.txt": "äöü😀foo\n",
  "no-newline": "last foo",
};

const TRAP = '{"type":"match"},"lines":{"text":"a"},"line_number":5,"submatches":[{"match":{"text":"b"},"start":1';
const UTF16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("ein foo\n", "utf16le")]);

interface Row {
  readonly name: string;
  readonly files?: Files;
  readonly ask: Partial<GrepRequest> & { pattern: string };
  readonly hits: readonly string[];
  /** Something was not searched, so there may be more. */
  readonly skipped?: boolean;
}

const EVERY_FOO = [
  "a.txt:2:5:two foo",
  "a.txt:3:7:three foo foo",
  "no-newline:1:6:last foo",
  "sub/c.ts:1:7:const foo = 1;",
  "sub/crlf.txt:1:1:foo",
  "sub/deep/d.ts:1:1:foo();",
  "sub/utf8.txt:1:5:äöü😀foo",
];

const ROWS: readonly Row[] = [
  { name: "every line once, by path and line", ask: { pattern: "foo" }, hits: EVERY_FOO },
  { name: "a root that is a file", ask: { pattern: "foo", root: "sub/c.ts" as Path }, hits: [EVERY_FOO[3]!] },
  { name: "case is significant", ask: { pattern: "Foo" }, hits: ["b.md:1:3:# Foo"] },
  {
    name: "unless told otherwise",
    ask: { pattern: "FOO", caseSensitive: false, root: "b.md" as Path },
    hits: ["b.md:1:3:# Foo"],
  },
  { name: "case beyond ASCII", ask: { pattern: "ÄÖ", caseSensitive: false }, hits: ["sub/utf8.txt:1:1:äöü😀foo"] },
  { name: "a regular expression", ask: { pattern: "^(one|end)$" }, hits: ["a.txt:1:1:one", "sub/crlf.txt:2:1:end"] },
  {
    name: "literal text that is no expression",
    ask: { pattern: "bar(", literal: true },
    hits: ["sub/deep/d.ts:2:1:bar();"],
  },
  { name: "look-ahead", ask: { pattern: "foo(?= = 1)" }, hits: [EVERY_FOO[3]!] },
  { name: "a back reference", ask: { pattern: "(fo+) \\1" }, hits: ["a.txt:3:7:three foo foo"] },
  { name: "a dot is one character", ask: { pattern: "^äöü.foo" }, hits: ["sub/utf8.txt:1:1:äöü😀foo"] },
  { name: "include by name", ask: { pattern: "foo", include: ["*.ts"] }, hits: [EVERY_FOO[3]!, EVERY_FOO[5]!] },
  {
    name: "include with braces",
    ask: { pattern: "foo|Foo", include: ["**/*.{md,ts}"], exclude: ["deep"] },
    hits: ["b.md:1:3:# Foo", EVERY_FOO[3]!],
  },
  {
    name: "globs are relative to the root",
    ask: { pattern: "foo", root: "sub" as Path, include: ["deep/**"] },
    hits: [EVERY_FOO[5]!],
  },
  { name: "exclude by name", ask: { pattern: "foo", exclude: ["sub", "no-newline"] }, hits: EVERY_FOO.slice(0, 2) },
  {
    name: "exclude by glob",
    ask: { pattern: "foo", exclude: ["**/*.txt", "sub/deep/**"] },
    hits: [EVERY_FOO[2]!, EVERY_FOO[3]!],
  },
  { name: "by type", ask: { pattern: "foo|Foo", type: "markdown" }, hits: ["b.md:1:3:# Foo"] },
  { name: "the type of a root that is a file", ask: { pattern: "foo", type: "py", root: "a.txt" as Path }, hits: [] },
  { name: "not recursive", ask: { pattern: "foo", recursive: false }, hits: EVERY_FOO.slice(0, 3) },
  { name: "to a depth", ask: { pattern: "foo", maxDepth: 2, type: "ts" }, hits: [EVERY_FOO[3]!] },
  {
    name: "a match that spans lines",
    ask: { pattern: "two foo\\nthree", multiline: true },
    hits: ["a.txt:2:1:two foo\nthree foo foo"],
  },
  { name: "a match that ends with a line", ask: { pattern: "^one\\n", multiline: true }, hits: ["a.txt:1:1:one"] },
  {
    name: "larger files are passed over",
    ask: { pattern: "foo", maxFileBytes: 14 },
    hits: [EVERY_FOO[2]!, ...EVERY_FOO.slice(4)],
    skipped: true,
  },
  {
    name: "text and names that look like an answer",
    files: { [TRAP]: `x ${TRAP} \\ \t"},"start":7,"end":9\n` },
    ask: { pattern: "\\\\" },
    hits: [`${TRAP}:1:${TRAP.length + 4}:x ${TRAP} \\ \t"},"start":7,"end":9`],
  },
  {
    name: "a name like an option",
    files: { "--pre=sh": "x\n" },
    ask: { pattern: "x", root: "--pre=sh" as Path },
    hits: ["--pre=sh:1:1:x"],
  },
  {
    name: "names in order, not characters of paths",
    files: { "a/z": "x\n", "a.txt": "x\n", "a-b": "x\n" },
    ask: { pattern: "x" },
    hits: ["a/z:1:1:x", "a-b:1:1:x", "a.txt:1:1:x"],
  },
  { name: "a byte order mark is not text", files: { a: "\uFEFFfoo\n" }, ask: { pattern: "^foo" }, hits: ["a:1:1:foo"] },
  { name: "UTF-16 with its mark", files: { a: UTF16 }, ask: { pattern: "foo$" }, hits: ["a:1:5:ein foo"] },
  {
    name: "UTF-16, higher byte first",
    files: { a: Buffer.from(UTF16).swap16() },
    ask: { pattern: "foo$" },
    hits: ["a:1:5:ein foo"],
  },
  {
    name: "columns of characters, whatever their length",
    files: { a: "😀 foo", "b:1:.txt": "a:foo\n" },
    ask: { pattern: "foo" },
    hits: ["a:1:3:😀 foo", "b:1:.txt:1:3:a:foo"],
  },
  {
    name: "matches across lines, each at its place",
    files: { a: "ö ab x ab\nab\n\nxab\nab" },
    ask: { pattern: "öx|x\\sab\\nab|ab$", multiline: true },
    hits: ["a:1:6:ö ab x ab\nab", "a:4:2:xab", "a:5:1:ab"],
  },
  {
    name: "a line that is not UTF-8",
    files: { a: Buffer.from("caf\xe9 foo\nf\xfcr\n", "latin1"), b: "für\n" },
    ask: { pattern: "foo" },
    hits: ["a:1:6:caf\\xE9 foo"],
  },
  {
    name: "binary files are passed over",
    files: { a: "foo\n\0", "b.txt": "foo\n" },
    ask: { pattern: "foo" },
    hits: ["b.txt:1:1:foo"],
  },
  { name: "empty lines", files: { a: "x\n\ny\n" }, ask: { pattern: "^$" }, hits: ["a:2:1:"] },
  {
    name: "hidden files are not searched",
    files: { ".h/a": "foo\n", ".b": "foo\n" },
    ask: { pattern: "foo" },
    hits: [],
  },
  {
    name: "unless asked",
    files: { ".h/a": "foo\n", ".b": "foo\n" },
    ask: { pattern: "foo", hidden: true },
    hits: [".b:1:1:foo", ".h/a:1:1:foo"],
  },
  {
    name: "or named by a glob",
    files: { ".h/a.ts": "foo\n", ".i/a.ts": "foo\n" },
    ask: { pattern: "foo", include: [".h/*.ts"] },
    hits: [".h/a.ts:1:1:foo"],
  },
  {
    name: ".gitignore files, also those above the root",
    files: {
      ".gitignore": "*.log\n/sub/more/x\n",
      "sub/.gitignore": "local\n!deep.log\n",
      "sub/more/.gitignore": "own\n",
      "sub/more/a.log": "foo\n",
      "sub/more/b": "foo\n",
      "sub/more/deep.log": "foo\n",
      "sub/more/local": "foo\n",
      "sub/more/own": "foo\n",
      "sub/more/x": "foo\n",
    },
    ask: { pattern: "foo", root: "sub/more" as Path },
    hits: ["sub/more/b:1:1:foo", "sub/more/deep.log:1:1:foo"],
  },
  {
    name: "or as the root",
    files: { ".h/a.ts": "foo\n" },
    ask: { pattern: "foo", root: ".h" as Path },
    hits: [".h/a.ts:1:1:foo"],
  },
];

describe.each(PLACES)("grep, %s", (_, open) => {
  const place = open(FILES);

  it.each(ROWS)("$name", async ({ ask, files, hits, skipped }) => {
    const result = await (files === undefined ? place : open(files)).grep(ask);
    expect(shown(result)).toEqual(hits);
    expect(result).toMatchObject({ truncated: false, [skipped ? "atLeast" : "total"]: hits.length });
  });

  it("says which engine answered, and how many files were read", async () => {
    const { engine, filesScanned } = await place.grep({ pattern: "foo", countFiles: true });
    expect(engine).toBe(_ === "disk" ? "ripgrep" : "javascript");
    expect(filesScanned).toBe(7);
  });

  it("gives context, each line once and no hit as context, shown or not", async () => {
    const { hits } = await place.grep({ pattern: "foo", root: "a.txt" as Path, before: 2, after: 1 });
    expect(hits.map(({ before, after }) => [before, after])).toEqual([
      [[{ line: 1, text: "one" }], []],
      [[], []],
    ]);
    const cut = await place.grep({ pattern: "foo", root: "a.txt" as Path, after: 1, limit: 1 });
    expect(cut.hits.map(({ line, after }) => [line, after])).toEqual([[2, []]]);
    const numbers = open({ n: "1\n2\n3\n4\n5\n6\n7\n" });
    const [around] = (await numbers.grep({ pattern: "4", before: 2, after: 2 })).hits;
    expect(around?.before.map(({ text }) => text)).toEqual(["2", "3"]);
    expect(around?.after.map(({ text }) => text)).toEqual(["5", "6"]);
    const all = { pattern: "foo", root: "a.txt" as Path, before: 2, after: 2, limit: 10 };
    expect((await place.grep({ ...all, maxBytes: 62 })).hits).toHaveLength(2);
  });

  it("lists files, and counts lines", async () => {
    const files = await place.grep({ pattern: "foo", mode: "files", type: "ts" });
    expect(files).toMatchObject({ hits: [], total: 2, truncated: false });
    expect(files.files.map(({ path }) => path)).toEqual(["sub/c.ts", "sub/deep/d.ts"]);
    const lines = await place.grep({ pattern: "foo", mode: "count", include: ["a.txt"] });
    expect(lines.files).toEqual([{ path: "a.txt", count: 2 }]);
    expect((await place.grep({ pattern: "foo", mode: "count", root: "a.txt" as Path, limit: 1 })).files).toEqual([
      { path: "a.txt", count: 2 },
    ]);
    const many = open({ a: "foo\n".repeat(9) });
    expect((await many.grep({ pattern: "foo", mode: "count", limit: 1 })).files).toEqual([{ path: "a", count: 9 }]);
  });

  it("takes a line of nothing but matches for one hit, among other files", async () => {
    const long = `x${"a".repeat(2 * 1024 * 1024)}`;
    const { hits } = await open({ "a.txt": "x\nä a\n", "b/m.txt": `${long}\nb\n`, "b/n.txt": "aa\n" }).grep({
      pattern: "[a]",
    });
    expect(hits.map(({ path, line, column, text }) => [path, line, column, text.length])).toEqual([
      ["a.txt", 2, 3, 3],
      ["b/m.txt", 1, 2, long.length],
      ["b/n.txt", 1, 1, 2],
    ]);
  });

  it("cuts long lines between characters", async () => {
    const { hits } = await open({ a: `x${"ä".repeat(10)}\n`, b: "xshort\n" }).grep({ pattern: "^x", maxLineBytes: 6 });
    expect(hits.map(({ text }) => text)).toEqual(["xää…", "xshort"]);
  });
});

describe.each(PLACES)("pages of grep, %s", (_, open) => {
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`d${n % 7}/f${n}.txt`, "x\nx\nx\n"]));
  const place = open(files);

  it("are cut from one order, without gaps or repetitions", async () => {
    const all = shown(await place.grep({ pattern: "x" }));
    expect(all).toHaveLength(120);
    const pages: string[] = [];
    for (let offset = 0; offset < 120; offset += 50) {
      const page = await place.grep({ pattern: "x", offset, limit: 50 });
      expect(page.truncated).toBe(offset < 100);
      expect(page.total).toBe(offset < 100 ? undefined : 120);
      pages.push(...shown(page));
    }
    expect(pages).toEqual(all);
  });

  it("are cut by files in the other modes", async () => {
    for (const mode of ["files", "count"] as const) {
      const whole = await place.grep({ pattern: "x", mode });
      const page = await place.grep({ pattern: "x", mode, limit: 5, offset: 3 });
      expect(page.files).toEqual(whole.files.slice(3, 8));
      expect([page.truncated, page.total, whole.total]).toEqual([true, undefined, 40]);
    }
  });
});

describe("the types of files", () => {
  it("are those of ripgrep: write them with node scripts/file-types.mjs", async () => {
    const { fileTypesSource } = await import(new URL("../../scripts/file-types.mjs", import.meta.url).href);
    expect(readFileSync(new URL("../../src/search/file-types.ts", import.meta.url), "utf8")).toBe(fileTypesSource());
  });
});
