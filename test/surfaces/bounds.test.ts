import { anchorIndex, lineHash } from "stet/edit";
import { anchors, workspace } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentOnDisk, agentWith } from "../support/agent.ts";

const MAX_DIFF = 4096;
/** What stands around a diff. */
const WORDS = 1000;
const LONG = "x".repeat(1_200_000);
const lines = (word: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${word} number ${n}\n`).join("");

const agentWithFile = (content: string) => agentWith(workspace, { f: content });

const hashAt = (content: string, line: number) => anchorIndex(content).anchor(line);

describe("a diff in an answer is bounded, and says how to see the rest", () => {
  it("a page of a file holds no more than a file may, whatever was asked for", async () => {
    const limits = { maxFileBytes: 2 ** 18 };
    const { done } = agentOnDisk(workspace, { f: "x\n".repeat(500_000) }, { limits });
    const { text } = await done("read_file", { path: "f", maxBytes: 2 ** 30 });
    expect(Buffer.byteLength(text)).toBeLessThan(2 ** 18 + WORDS);
  });

  it("write_file of a whole file", async () => {
    const agent = agentWithFile(lines("old", 1500));
    const { data: read } = await agent.done("read_file", { path: "f" });
    const content = lines("new", 1500);
    const { text, data } = await agent.done("write_file", { path: "f", content, expectedSha256: read.sha256 });
    for (const shown of [text, data.diff]) {
      expect(Buffer.byteLength(shown)).toBeLessThan(MAX_DIFF + WORDS);
      expect(shown).toContain("…(cut; read the file for its lines as they are now)");
    }
  });

  it("edit_file beside a long line shows what was changed all the same", async () => {
    const agent = agentWithFile(`${LONG}\none\n`);
    const { data: read } = await agent.done("read_file", { path: "f" });
    const edits = [{ oldText: "one", newText: "two" }];
    const { text } = await agent.done("edit_file", { path: "f", edits, expectedSha256: read.sha256 });
    expect(Buffer.byteLength(text)).toBeLessThan(MAX_DIFF + WORDS);
    expect(text).toContain("…(line cut)\n-one\n+two\n…(cut; read the file for its lines as they are now)");
  });

  it("apply_patch, in the data", async () => {
    const agent = agentWithFile(lines("old", 1500));
    const patch = `*** Begin Patch\n*** Add File: g\n${lines("+new", 1500)}*** Move File: f -> h\n*** End Patch`;
    const { data } = await agent.done("apply_patch", { patch });
    for (const { diff } of data.changedFiles) expect(Buffer.byteLength(diff)).toBeLessThan(MAX_DIFF + WORDS);
  });

  it.each([
    ["insert_at_line beside a long line", `one\n${LONG}\n`, { insert_at_line: 2, new_string: "two\n" }, "\n+two\n"],
    ["many lines", "one\n", { old_string: "one\n", new_string: lines("new", 1500) }, "+new number 0\n"],
  ])("Edit of compact: %s", async (_what, content, edit, shown) => {
    const agent = agentWithFile(content);
    await agent.as("compact").done("Read", { file_path: "f" });
    const { text, data } = await agent.as("compact").done("Edit", { file_path: "f", ...edit });
    expect(Buffer.byteLength(text)).toBeLessThan(MAX_DIFF + WORDS);
    expect(Buffer.byteLength(data.metadata.diff)).toBeLessThan(MAX_DIFF + WORDS);
    expect(text).toContain(shown);
    expect(text).toContain("…(cut; read the file for its lines as they are now)");
  });

  it("Edit of tracked, in the data", async () => {
    const agent = agentWithFile(`${LONG}\none\n`);
    await agent.as("tracked").done("Read", { file_path: "f" });
    const { data } = await agent.as("tracked").done("Edit", { file_path: "f", old_string: "one", new_string: "two" });
    expect(Buffer.byteLength(data.diff)).toBeLessThan(MAX_DIFF + WORDS);
    expect(data.diff).toContain("-one\n+two\n");
  });

  it.each([
    ["insert_before beside a long line", `one\n${LONG}\nthree\n`, "insert_before", 3],
    ["delete_range of many lines", lines("old", 1500), "delete_range", 100],
  ])("edit by anchors: %s", async (_what, content, op, line) => {
    const agent = agentWithFile(content);
    await agent.as("anchors").done("read_file", { path: "f", limit: 2000, hashes: true });
    await agent.as("anchors").done("read_file", { path: "f", offset: 2, limit: 2000, hashes: true });
    const named =
      op === "delete_range"
        ? { start_hash: hashAt(content, line), end_hash: hashAt(content, line + 975) }
        : { hash: hashAt(content, line), content: "new\n" };
    const { text, data } = await agent.as("anchors").done("edit", { path: "f", operations: [{ op, ...named }] });
    expect(Buffer.byteLength(text)).toBeLessThan(MAX_DIFF + WORDS);
    expect(Buffer.byteLength(data.diff_preview.join("\n"))).toBeLessThan(MAX_DIFF + WORDS);
    expect(text).toMatch(/\n\.\.\. \(\d+ lines? of this diff cut; read the file for its lines as they are now\)\n/);
  });
});

describe("anchors of a file of many short lines", () => {
  it("take no more than a page, with those of as many lines as fit, and go on from there", async () => {
    const { done } = agentWith(anchors, { f: "x\n".repeat(50_000) });
    const { text } = await done("read_file", { path: "f", hashes: true, limit: 1_000_000 });
    expect(Buffer.byteLength(text)).toBeLessThan(2 ** 18 + WORDS);
    expect(text).toContain("(continue with offset 4000)");
  });

  it("are listed up to 100 where a hash fits more, and looked for near the first of many that fit none", async () => {
    const { refused } = agentWith(anchors, { f: "x\n".repeat(10_000) });
    const edit = (operations: readonly object[]) => ({ path: "f", operations });
    const many = await refused("edit", edit([{ op: "delete_line", hash: lineHash("x") }]));
    expect(many.details).toMatchObject({ matches: 10_000, candidates: { length: 100 } });
    const unknown = Array.from({ length: 1000 }, (_, n) => ({ op: "delete_line", hash: lineHash(`none ${n}`) }));
    expect((await refused("edit", edit(unknown))).kind).toBe("anchor_stale");
  });
});

describe("audit_log of a patch of a thousand files", () => {
  const MAX_BYTES = 64 * 1024;

  async function auditAfter(name: (n: number) => string) {
    const agent = agentWithFile("x\n");
    const adds = Array.from({ length: 1000 }, (_, n) => `*** Add File: ${name(n)}\n+${n}\n`).join("");
    await agent.done("apply_patch", { patch: `*** Begin Patch\n${adds}*** End Patch` });
    return (input: object) => agent.done("audit_log", input);
  }

  it("shows 250 of them and says how to see the rest", async () => {
    const audit = await auditAfter((n) => `f${n}`);
    const { text, data } = await audit({ maxResults: 5 });
    expect(Buffer.byteLength(text)).toBeLessThan(MAX_BYTES);
    expect([data.entries.length, data.filesLeft, data.truncated]).toEqual([250, 750, true]);
    expect(text).toMatch(
      /\nEntry 1 has 750 more files: name a path or set maxResults=1000. Older records: beforeSeq=1.$/,
    );
    expect((await audit({ path: "f999" })).data.entries).toHaveLength(1);
    const { data: all } = await audit({ maxResults: 1000 });
    expect([all.entries.length, all.truncated]).toEqual([1000, false]);
  });
});

describe("of one long line the start is shown, and how long it is", () => {
  it.each([
    ["compact", "Read", "file_path"],
    ["tracked", "Read", "file_path"],
    ["anchors", "read_file", "path"],
    ["workspace", "read_file", "path"],
  ] as const)("by %s", async (surface, tool, path) => {
    const agent = agentWithFile("y".repeat(900_000));
    const { text } = await agent.as(surface).done(tool, { [path]: "f" });
    expect(text.length).toBeLessThan(262_144 + WORDS);
    expect(text).toContain("Line 1 has 900000 bytes, and only its start is shown: it counts as a line not shown.");
  });
});

describe("lines that a pattern finds are bounded too", () => {
  it("a long one is cut, and the way to more of it is told", async () => {
    const agent = agentWithFile(`short y\n${"y".repeat(900_000)}\n`);
    const { text, data } = await agent.as("compact").done("Read", { file_path: "f", pattern: "y" });
    expect(text.length).toBeLessThan(40_000);
    expect(data.metadata.matches).toBe(2);
    expect(text).toContain("Long lines are cut; offset 1 without a pattern shows more of line 2.");
    const { text: part } = await agent.as("compact").done("Read", { file_path: "f", offset: 1 });
    expect(part.slice(0, 3) + part.replace(/^2\ty+/, "")).toMatch(/^2\ty\s.*Line 2 has 90000[01] bytes/s);
  });

  it("many are cut where the answer is full, and go on from there", async () => {
    const agent = agentWithFile(lines("some more words of a line with the", 9000));
    const { text, data } = await agent.as("compact").done("Read", { file_path: "f", pattern: "more", limit: 9000 });
    expect(text.length).toBeLessThan(262_144 + WORDS);
    const { matches, next_offset } = data.metadata;
    expect(next_offset).toBe(matches);
    expect(text).toContain(`continue with offset ${matches})`);
  });
});

const KB = 1024;
const SHORT = Array.from({ length: 600 }, (_, n) => `hit ${n}\n`).join("");
const WIDE = Array.from({ length: 200 }, (_, n) => `hit ${n} ${"x".repeat(900)}\n`).join("");

const SEARCHES = [
  ["compact", "Grep", { pattern: "^hit" }],
  ["tracked", "Grep", { pattern: "^hit" }],
  ["workspace", "search_files", { query: "^hit", mode: "regex" }],
] as const;

describe("a search", () => {
  /** With ripgrep. */
  const searcher = (files: Record<string, string>) => agentOnDisk(workspace, files);
  const hitsIn = (text: string) => [...text.matchAll(/^(?:[^\n]*:)?(\d+): ?hit/gm)].map(([, line]) => Number(line));

  describe.each(SEARCHES)("by %s %s", (surface, tool, input) => {
    it.each([
      ["many hits", SHORT, 600],
      ["long lines", WIDE, 200],
    ])("of %s is cut, and following what it says shows each hit once", async (_what, text, total) => {
      const agent = searcher({ "a.txt": text });
      const seen: number[] = [];
      for (let offset: string | undefined = "0"; offset !== undefined; ) {
        const answer = await agent.as(surface).text(tool, { ...input, offset: Number(offset) });
        expect(Buffer.byteLength(answer)).toBeLessThan(64 * KB + 500);
        const hits = hitsIn(answer);
        expect(hits.length).toBeLessThanOrEqual(250);
        seen.push(...hits);
        offset = /with offset (\d+)/.exec(answer)?.[1];
      }
      expect(seen).toEqual(Array.from({ length: total }, (_, n) => n + 1));
    });
  });

  it("names the files that are too large to be searched", async () => {
    const agent = searcher({ "large.txt": `hit\n${"x\n".repeat(2.1 * KB * KB)}`, "small.txt": "hit\n" });
    const answer = await agent.text("search_files", { query: "hit", mode: "text" });
    expect(answer).toBe(
      '1 match of "hit"\nsmall.txt\n1: hit\nWarning: Not searched, because larger than 4194304 bytes: large.txt. Read a range of lines there instead.',
    );
  });

  it("by glob has at most 64 KB, too", async () => {
    const files = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`${"d".repeat(100)}/${n}`, ""]));
    const agent = searcher(files);
    const answer = await agent.text("glob", { pattern: "**/*" });
    expect(Buffer.byteLength(answer)).toBeLessThan(64 * KB + 500);
    expect(answer).toMatch(/There are more \(901 in all\): narrow the pattern or raise maxResults above 1000\.$/);
    expect((await agent.text("glob", { pattern: "**/*", maxResults: 2000 })).split("\n")).toHaveLength(902);
  });
});
