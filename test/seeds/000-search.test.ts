// Seed 000: search_files and glob.
import { describe, expect, it } from "vitest";
import { BACKENDS } from "../support/workspace.ts";
import { deskOn } from "./000-calls.ts";

const FILES = {
  "src/server.ts": "const PORT = 3000;\nlisten(PORT); // PORT\n",
  "src/deep/util.ts": "export const port = 1;\r\nPORT\r\n",
  "docs/guide.md": "# Guide\nSet PORT.\n",
  ".github/ci.yml": "PORT: 1\n",
  "node_modules/x/index.js": "PORT\n",
  "dist/out.js": "PORT\n",
  "ignored.log": "PORT\n",
  ".gitignore": "*.log\n",
  ".env": "PORT=SECRET\n",
  bin: Uint8Array.of(80, 79, 82, 84, 0),
};
const BY_DEFAULT = [".github/ci.yml", "docs/guide.md", "src/deep/util.ts", "src/server.ts"];
const pathsOf = (matches: readonly { path: string }[]) => [...new Set(matches.map(({ path }) => path))].sort();

describe.each(BACKENDS)("seed 000: search_files on %s", (_name, make) => {
  it("text is literal and case-sensitive, one hit per line, and leaves the usual out", async () => {
    const { data, text } = await deskOn(make(FILES)).ok("search_files", { query: "PORT", mode: "text" });
    expect(pathsOf(data.matches)).toEqual(BY_DEFAULT);
    expect(data.matches.filter(({ path }) => path === "src/server.ts")).toEqual([
      { path: "src/server.ts", line: 1, column: 7, preview: "1: const PORT = 3000;" },
      { path: "src/server.ts", line: 2, column: 8, preview: "2: listen(PORT); // PORT" },
    ]);
    expect(data).toMatchObject({ mode: "text", query: "PORT", root: ".", truncated: false });
    expect(text).toContain('5 matches of "PORT"');
    expect(text).toContain("src/server.ts\n1: const PORT = 3000;");
    expect(JSON.stringify(data)).not.toContain("SECRET");
  });

  it("passes over files of more than 4 MiB", async () => {
    const most = 4 * 1024 * 1024;
    const desk = deskOn(make({ fits: "PORT\n".padEnd(most, "x"), over: "PORT\n".padEnd(most + 1, "x") }));
    const { data } = await desk.ok("search_files", { query: "PORT", mode: "text" });
    expect(pathsOf(data.matches)).toEqual(["fits"]);
  });

  it("cuts the preview of a very long line", async () => {
    const { data } = await deskOn(make({ a: `PORT${"x".repeat(5000)}\n` })).ok("search_files", {
      query: "PORT",
      mode: "text",
    });
    expect(data.matches[0]?.preview).toBe(`1: PORT${"x".repeat(1996)}…`);
  });

  it("special characters in a text mean themselves", async () => {
    const { data } = await deskOn(make(FILES)).ok("search_files", { query: "(PORT);", mode: "text" });
    expect(data.matches).toMatchObject([{ path: "src/server.ts", line: 2 }]);
  });

  it("a preview has no CR of a CRLF line", async () => {
    const { data } = await deskOn(make(FILES)).ok("search_files", { query: "PORT", mode: "text", root: "src/deep" });
    expect(data.matches).toMatchObject([{ path: "src/deep/util.ts", line: 2, preview: "2: PORT" }]);
    expect(data.root).toBe("src/deep");
  });

  it.each([
    ["at column 5002 of a long line", 5002, "é", 6000, "1: …éé", "zz…"],
    ["at column 5002, near the end", 5002, "x", 10, "1: …xx", "zzzzzzzzzz"],
    ["within the first thousand bytes", 990, "x", 6000, "1: xx", "zz…"],
    ["behind the first thousand bytes", 990, "😀", 6000, "1: …😀😀", "zz…"],
  ])("a preview shows the hit %s", async (_where, column, before, after, start, end) => {
    const line = `${before.repeat(column - 1)}NEEDLE${"z".repeat(after)}`;
    const desk = deskOn(make({ "long.js": `${line}\r\nshort\r\n` }));
    const { data } = await desk.ok("search_files", { query: "NEEDLE", mode: "text", contextLines: 1 });
    expect(data.matches).toMatchObject([{ line: 1, column }]);
    const [preview = "", next] = data.matches[0]!.preview.split("\n");
    expect(preview).toContain(`${before}NEEDLEz`);
    expect([preview.startsWith(start), preview.endsWith(end)]).toEqual([true, true]);
    expect(Buffer.byteLength(preview)).toBeLessThan(2020);
    expect(next).toBe("2- short");
  });

  it.each([
    ["^listen\\(", [["src/server.ts", 2]]],
    ["P.RT = \\d+", [["src/server.ts", 1]]],
    [
      "^PORT",
      [
        [".github/ci.yml", 1],
        ["src/deep/util.ts", 2],
      ],
    ],
  ])("regex %s", async (query, expected) => {
    const { data } = await deskOn(make(FILES)).ok("search_files", { query, mode: "regex" });
    expect(data.matches.map(({ path, line }) => [path, line])).toEqual(expected);
  });

  it("a regex never spans lines", async () => {
    const { data } = await deskOn(make(FILES)).ok("search_files", { query: "3000;\\s+listen", mode: "regex" });
    expect(data.matches).toEqual([]);
  });

  it("a bad regex is a failed command that can be put right", async () => {
    const refused = await deskOn(make(FILES)).no("search_files", { query: "(", mode: "regex" });
    expect(refused).toMatchObject({ kind: "command_failed", recoverable: true });
  });

  it.each([
    ["includeGlobs", { includeGlobs: ["**/*.ts"] }, ["src/deep/util.ts", "src/server.ts"]],
    [
      "excludeGlobs, which replaces all defaults",
      { excludeGlobs: ["src/**", ".github/**"] },
      ["dist/out.js", "docs/guide.md", "ignored.log", "node_modules/x/index.js"],
    ],
    ["root", { root: "docs" }, ["docs/guide.md"]],
    ["a file as root", { root: "src/server.ts" }, ["src/server.ts"]],
  ])("narrows by %s", async (_what, input, expected) => {
    const { data } = await deskOn(make(FILES)).ok("search_files", { query: "PORT", mode: "text", ...input });
    expect(pathsOf(data.matches)).toEqual(expected);
  });

  it("mode glob means path", async () => {
    const desk = deskOn(make(FILES));
    const { data } = await desk.ok("search_files", { query: "**/*.ts", mode: "glob" });
    expect(data).toEqual((await desk.ok("search_files", { query: "**/*.ts", mode: "path" })).data);
    expect(pathsOf(data.matches)).toEqual(["src/deep/util.ts", "src/server.ts"]);
  });

  it("contextLines shows numbered lines around the hit", async () => {
    const { data } = await deskOn(make(FILES)).ok("search_files", { query: "Set", mode: "text", contextLines: 1 });
    expect(data.matches).toMatchObject([{ line: 2, preview: "1- # Guide\n2: Set PORT." }]);
  });

  it("at most maxResults, 100 by default, and says when there are more", async () => {
    const desk = deskOn(make({ a: "x\n".repeat(101) }));
    const { data, text } = await desk.ok("search_files", { query: "x", mode: "text" });
    expect([data.matches.length, data.truncated]).toEqual([100, true]);
    expect(text).toContain(
      "There are more (at least 101 in all): go on with offset 100, narrow the query or raise maxResults.",
    );
    expect((await desk.ok("search_files", { query: "x", mode: "text", maxResults: 101 })).data.truncated).toBe(false);
  });

  it("path mode says how many there are, and how to see them", async () => {
    const desk = deskOn(make(FILES));
    const { data, text } = await desk.ok("search_files", { query: "**/*", mode: "path", maxResults: 2 });
    expect([data.matches.length, data.truncated]).toEqual([2, true]);
    expect(text).toContain(`There are more (${data.total} in all): narrow the query or raise maxResults.`);
    const all = await desk.ok("search_files", { query: "**/*", mode: "path", maxResults: data.total! });
    expect([all.data.matches.length, all.data.truncated]).toEqual([data.total, false]);
  });

  it.each([
    ["a[1]", ["d/a[1].txt"]],
    ["[1].txt", ["d/1.txt", "d/a[1].txt"]],
    ["{x", ["{x}?.md"]],
    ["{x}?.md", ["{x}?.md"]],
    ["[ab].js", ["a.js", "b.js"]],
  ])("path mode finds names that look like globs: %s", async (query, expected) => {
    const desk = deskOn(make({ "d/a[1].txt": "", "d/1.txt": "", "{x}?.md": "", "a.js": "", "b.js": "", "c.js": "" }));
    const { data } = await desk.ok("search_files", { query, mode: "path" });
    expect(data.matches.map(({ path }) => path)).toEqual(expected);
  });

  it.each([
    ["**/*.ts", ["src/deep/util.ts", "src/server.ts"]],
    ["*.md", ["docs/guide.md"]],
    ["serv", ["src/server.ts"]],
    ["deep", ["src/deep/util.ts"]],
    ["src/ser", ["src/server.ts"]],
    ["out.js", []],
    ["nothing", []],
  ])("path mode finds by glob or by a part of the path: %s", async (query, expected) => {
    const { data } = await deskOn(make(FILES)).ok("search_files", { query, mode: "path" });
    expect(data.matches).toEqual(expected.map((path) => ({ path, preview: path })));
  });

  it.each([
    ["a missing root", { query: "x", mode: "text", root: "nope" }, "not_found"],
    ["another mode", { query: "x", mode: "fuzzy" }, "command_failed"],
    ["an empty query", { query: "", mode: "text" }, "command_failed"],
  ])("refuses %s", async (_what, input, kind) => {
    expect((await deskOn(make(FILES)).no("search_files", input)).kind).toBe(kind);
  });
});

describe.each(BACKENDS)("seed 000: glob on %s", (_name, make) => {
  it("matches files and folders", async () => {
    const { data, text } = await deskOn(make(FILES)).ok("glob", { pattern: "src/*" });
    expect(data).toMatchObject({ pattern: "src/*", root: ".", truncated: false });
    expect(data.matches).toMatchObject([
      { path: "src/deep", type: "directory", size: 0 },
      { path: "src/server.ts", type: "file", size: 41 },
    ]);
    expect(new Date(data.matches[1]!.mtime).toISOString()).toBe(data.matches[1]!.mtime);
    expect(text).toBe('2 matches of "src/*"\nsrc/deep/\nsrc/server.ts');
  });

  it.each([
    ["any depth", { pattern: "**/*.ts" }, ["src/deep/util.ts", "src/server.ts"]],
    ["below root only", { pattern: "*.ts", root: "src" }, ["src/server.ts"]],
    ["the defaults left out", { pattern: "**/*.js" }, []],
    ["other excludes instead", { pattern: "**/*.js", excludeGlobs: ["dist"] }, ["node_modules/x/index.js"]],
    ["what is denied never appears", { pattern: "**/.env" }, []],
  ])("%s", async (_what, input, expected) => {
    expect((await deskOn(make(FILES)).ok("glob", input)).data.matches.map(({ path }) => path)).toEqual(expected);
  });

  it("at most maxResults, 1000 by default", async () => {
    const files = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`f${n}`, ""]));
    const desk = deskOn(make(files));
    const { data, text } = await desk.ok("glob", { pattern: "*" });
    expect([data.matches.length, data.truncated, data.total]).toEqual([1000, true, 1001]);
    expect(text).toContain("There are more (1001 in all): narrow the pattern or raise maxResults.");
    const { data: two } = await desk.ok("glob", { pattern: "*", maxResults: 2 });
    expect(two.matches.map(({ path }) => path)).toEqual(["f0", "f1"]);
  });
});
