// Seed 000: how much is read, listed and found, where it is cut, and which globs are none.
import { createHash } from "node:crypto";
import { inputSchema, surfaceNamed, surfaceNames, workspace } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentIn, agentOnDisk, agentWith } from "../support/agent.ts";

const shaOf = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const BINARY = Uint8Array.of(1, 0, 2, 255);

describe("seed 000: read_file", () => {
  it.each([
    ["a newline opens no line", "a\nb\n", { startLine: 3 }, { content: "", startLine: 3, endLine: 3, lineCount: 2 }],
    [
      "behind the end",
      "a\nb\n",
      { startLine: 9, endLine: 12 },
      { content: "", startLine: 9, endLine: 9, lineCount: 2 },
    ],
    ["an empty file", "", {}, { content: "", startLine: 1, endLine: 1, lineCount: 0, newlineStyle: "none" }],
  ])("%s", async (_what, text, slice, expected) => {
    const { data } = await agentWith(workspace, { a: text }).done("read_file", { path: "a", ...slice });
    expect(data).toMatchObject({ ...expected, sha256: shaOf(text) });
  });

  it.each([
    ["inside a line", "abcdef\nb\n", 3, { content: "abc", endLine: 1, nextStartLine: 2 }],
    ["after a newline", "abc\nb\n", 4, { content: "abc", endLine: 1, nextStartLine: 2 }],
    ["never inside a surrogate pair", "a😀b\n", 4, { content: "a", endLine: 1 }],
    ["but gives one character in any case", "😀b\n", 1, { content: "😀", endLine: 1 }],
  ])("maxBytes cuts %s", async (_what, text, maxBytes, expected) => {
    const { data, text: words } = await agentWith(workspace, { a: text }).done("read_file", { path: "a", maxBytes });
    expect(data).toMatchObject({ ...expected, truncated: true, sizeBytes: Buffer.byteLength(text) });
    const more = data.nextStartLine === undefined ? "only its start is shown" : "read on with startLine=2";
    expect(words).toContain(more);
  });

  it("allowBinary gives no more than maxBytes; text stays text", async () => {
    const agent = agentWith(workspace, { b: BINARY, t: "text\n" });
    const { data: cut } = await agent.done("read_file", { path: "b", allowBinary: true, maxBytes: 2 });
    expect(cut).toMatchObject({ truncated: true, contentBase64: Buffer.of(1, 0).toString("base64") });
    expect((await agent.done("read_file", { path: "t", allowBinary: true })).data).toMatchObject({
      content: "text\n",
      binary: false,
    });
  });
});

const TREE = {
  "b.txt": "12",
  "a.txt": "1",
  "z/y/x/w.txt": "w",
  "z/k.txt": "kk",
  "m/n.txt": "n",
  ".hidden": "h",
  ".env": "SECRET",
};

describe("seed 000: list_directory", () => {
  it.each([
    ["ignored unless recursive", { maxDepth: 5 }, 1, 4],
    ["32 at most", { recursive: true, maxDepth: 99 }, 32, 9],
  ])("maxDepth is %s", async (_what, input, maxDepth, count) => {
    const { data } = await agentWith(workspace, TREE).done("list_directory", { path: ".", ...input });
    expect([data.maxDepth, data.entries.length]).toEqual([maxDepth, count]);
  });

  it("says when there is more below the last level that was not asked for", async () => {
    const levels = (count: number) => ({ [`${"d/".repeat(count - 1)}x`]: "" });
    const list = async (count: number, more = {}) => {
      const { data, text } = await agentWith(workspace, levels(count)).done("list_directory", {
        recursive: true,
        ...more,
      });
      return [data.truncated, text.split("\n").at(-1)];
    };
    expect((await list(8))[0]).toBe(false);
    expect(await list(9)).toEqual([
      true,
      "Cut after 8 levels: raise maxDepth (at most 32), or list a directory below.",
    ]);
    expect((await list(9, { maxDepth: 8 }))[0]).toBe(false);
    expect(await list(34, { maxDepth: 99 })).toEqual([true, "Cut after 32 levels: list a directory below."]);
    expect((await list(9, { recursive: false }))[0]).toBe(false);
  });
});

describe("seed 000: list_directory and large trees", () => {
  it("at most 5000 entries, those nearest to the root", async () => {
    const files = Object.fromEntries(Array.from({ length: 5001 }, (_, n) => [`d/f${String(n).padStart(4, "0")}`, ""]));
    const { data, text } = await agentWith(workspace, { ...files, top: "" }).done("list_directory", {
      path: ".",
      recursive: true,
    });
    expect(data.truncated).toBe(true);
    expect(data.entries).toHaveLength(5000);
    expect(data.entries.slice(0, 3).map(({ relativePath }) => relativePath)).toEqual(["d", "top", "d/f0000"]);
    expect(text).toContain("Cut after 5000 entries");
  });
});

describe("seed 000: search_files", () => {
  it.each([
    ["at column 5002 of a long line", 5002, "é", 6000, "1: …éé", "zz…"],
    ["at column 5002, near the end", 5002, "x", 10, "1: …xx", "zzzzzzzzzz"],
    ["within the first thousand bytes", 990, "x", 6000, "1: xx", "zz…"],
    ["behind the first thousand bytes", 990, "😀", 6000, "1: …😀😀", "zz…"],
  ])("a preview shows the hit %s", async (_where, column, before, after, start, end) => {
    const line = `${before.repeat(column - 1)}NEEDLE${"z".repeat(after)}`;
    const agent = agentWith(workspace, { "long.js": `${line}\r\nshort\r\n` });
    const { data } = await agent.done("search_files", { query: "NEEDLE", mode: "text", contextLines: 1 });
    expect(data.matches).toMatchObject([{ line: 1, column }]);
    const [preview = "", next] = data.matches[0]!.preview.split("\n");
    expect(preview).toContain(`${before}NEEDLEz`);
    expect([preview.startsWith(start), preview.endsWith(end)]).toEqual([true, true]);
    expect(Buffer.byteLength(preview)).toBeLessThan(2020);
    expect(next).toBe("2- short");
  });

  it("mode glob means path", async () => {
    const agent = agentWith(workspace, { "src/server.ts": "", "src/deep/util.ts": "", "docs/guide.md": "" });
    const { data } = await agent.done("search_files", { query: "**/*.ts", mode: "glob" });
    expect(data).toEqual((await agent.done("search_files", { query: "**/*.ts", mode: "path" })).data);
    expect(data.matches.map(({ path }) => path)).toEqual(["src/deep/util.ts", "src/server.ts"]);
  });

  it("at most maxResults, 100 by default, and says when there are more", async () => {
    const agent = agentWith(workspace, { a: "x\n".repeat(101) });
    const { data, text } = await agent.done("search_files", { query: "x", mode: "text" });
    expect([data.matches.length, data.truncated]).toEqual([100, true]);
    expect(text).toContain("There are more: go on with offset 100, narrow the query or raise maxResults.");
    expect((await agent.done("search_files", { query: "x", mode: "text", maxResults: 101 })).data.truncated).toBe(
      false,
    );
  });

  it("path mode says how many there are, and how to see them", async () => {
    const agent = agentWith(workspace, { "src/server.ts": "", "src/deep/util.ts": "", "docs/guide.md": "" });
    const { data, text } = await agent.done("search_files", { query: "**/*", mode: "path", maxResults: 2 });
    expect([data.matches.length, data.truncated]).toEqual([2, true]);
    expect(text).toContain(`There are more (${data.total} in all): narrow the query or raise maxResults.`);
    const all = await agent.done("search_files", { query: "**/*", mode: "path", maxResults: data.total! });
    expect([all.data.matches.length, all.data.truncated]).toEqual([data.total, false]);
  });

  it.each([
    ["a[1]", ["d/a[1].txt"]],
    ["[1].txt", ["d/1.txt", "d/a[1].txt"]],
    ["{x", ["{x}?.md"]],
    ["{x}?.md", ["{x}?.md"]],
    ["[ab].js", ["a.js", "b.js"]],
  ])("path mode finds names that look like globs: %s", async (query, expected) => {
    const agent = agentWith(workspace, {
      "d/a[1].txt": "",
      "d/1.txt": "",
      "{x}?.md": "",
      "a.js": "",
      "b.js": "",
      "c.js": "",
    });
    const { data } = await agent.done("search_files", { query, mode: "path" });
    expect(data.matches.map(({ path }) => path)).toEqual(expected);
  });
});

describe("seed 000: glob", () => {
  it("at most maxResults, 1000 by default", async () => {
    const files = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`f${n}`, ""]));
    const agent = agentWith(workspace, files);
    const { data, text } = await agent.done("glob", { pattern: "*" });
    expect([data.matches.length, data.truncated, data.total]).toEqual([1000, true, 1001]);
    expect(text).toContain("There are more (1001 in all): narrow the pattern or raise maxResults.");
    const { data: two } = await agent.done("glob", { pattern: "*", maxResults: 2 });
    expect(two.matches.map(({ path }) => path)).toEqual(["f0", "f1"]);
  });
});

const GLOBBED = { "a.ts": "one\n", "d/b.ts": "one\n", "odd[1.ts": "one\n", "x..y": "one\n" };

/** Every way to hand a glob over. */
const WAYS: readonly (readonly [surface: string, tool: string, input: (glob: string) => Record<string, unknown>])[] = [
  ["workspace", "glob", (pattern) => ({ pattern })],
  ["workspace", "glob", (glob) => ({ pattern: "*", excludeGlobs: [glob] })],
  ["workspace", "search_files", (glob) => ({ query: "one", mode: "text", includeGlobs: ["*.ts", glob] })],
  ["workspace", "search_files", (glob) => ({ query: "one", mode: "regex", excludeGlobs: [glob] })],
  ["compact", "Glob", (pattern) => ({ pattern })],
  ["compact", "Grep", (glob) => ({ pattern: "one", glob })],
  ["tracked", "Glob", (pattern) => ({ pattern })],
  ["tracked", "Grep", (glob) => ({ pattern: "one", glob })],
  ["filesystem", "search_files", (pattern) => ({ path: ".", pattern })],
  ["filesystem", "search_files", (glob) => ({ path: ".", pattern: "*", excludePatterns: [glob] })],
  ["filesystem", "directory_tree", (glob) => ({ path: ".", excludePatterns: [glob] })],
];

const INVALID = ["[", "a[", "src/{a,b", "+(a", "[z-a].ts", "a\\", "!"];
const LEAVING = ["../*", "..", "d/../../x", "d/..", "{..,d}/*", "!../a", "/nowhere/*"];
const PROPER = ["[ab].ts", "*.{ts,js}", "@(a|b).ts", "odd\\[1.ts", "x..y", "...", "a]", "!a.ts", "(a).ts"];

/** With ripgrep. */
const { workspace: place } = agentOnDisk(workspace, GLOBBED);

async function ask([surface, tool, input]: (typeof WAYS)[number], glob: string) {
  return agentIn(place, surfaceNamed(surface)).call(tool, input(glob));
}

describe("seed 000: globs on every surface", () => {
  it("no tool that takes a glob is forgotten here", () => {
    const taking = surfaceNames
      .map((name) => surfaceNamed(name))
      .flatMap((surface) =>
        surface.tools
          .filter((tool) => /glob/i.test(JSON.stringify([tool.name, tool.input.shape, inputSchema(tool)])))
          .map((tool) => `${surface.name} ${tool.name}`),
      );
    expect(new Set(WAYS.map(([surface, tool]) => `${surface} ${tool}`))).toEqual(new Set(taking));
  });

  it.each(WAYS)("an invalid glob is refused in words, not 0 matches: %s %s", async (...way) => {
    for (const glob of INVALID) {
      const answer = await ask(way, glob);
      if (answer.ok) throw new Error(`${glob} was taken: ${answer.text}`);
      expect(["command_failed", "invalid_input"]).toContain(answer.error.kind);
      expect(answer.text).toContain("Nothing was searched. The glob");
      expect(answer.text).toContain("is not valid: ");
    }
  });

  it.each(WAYS)("one that leaves the root is refused in words: %s %s", async (...way) => {
    for (const glob of LEAVING) {
      const answer = await ask(way, glob);
      if (answer.ok) throw new Error(`${glob} was taken: ${answer.text}`);
      expect([glob, answer.error.kind]).toEqual([glob, "outside_workspace"]);
      expect(answer.text).toContain("Nothing was searched. The ");
    }
  });

  it.each(WAYS)("any other is taken: %s %s", async (...way) => {
    for (const glob of PROPER) {
      const answer = await ask(way, glob);
      if (!answer.ok) throw new Error(`${glob} was refused: ${answer.text}`);
    }
  });
});

describe("seed 000: paths by search_files", () => {
  it("what is no valid glob is still found as a part of a path, and refused where it is none", async () => {
    const agent = agentWith(workspace, GLOBBED);
    const found = async (query: string) =>
      (await agent.done("search_files", { query, mode: "path" })).data.matches.map(({ path }) => path);
    expect(await found("[1")).toEqual(["odd[1.ts"]);
    expect(await found("[")).toEqual(["odd[1.ts"]);
    expect(await found("..")).toEqual(["x..y"]);
    for (const query of ["[2", "{a,b", "[*", "*["]) {
      const refused = await agent.refused("search_files", { query, mode: "path" });
      expect([query, refused.kind]).toEqual([query, "command_failed"]);
      expect(refused.text).toContain("is not valid");
    }
    for (const query of ["../*", "../a.ts", "d/../a.ts"])
      expect((await agent.refused("search_files", { query, mode: "path" })).kind).toBe("outside_workspace");
  });
});
