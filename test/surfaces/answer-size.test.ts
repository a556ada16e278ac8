// How much an answer may hold: a diff a few kilobytes, a page of a file 256 KB, and where either was cut, how to go on.
import { describe, expect, it } from "vitest";
import { anchorIndex } from "../../src/edit/anchors/index.ts";
import { call } from "../../src/surfaces/call.ts";
import { surfaceNamed } from "../../src/surfaces/index.ts";
import { openWorkspace } from "../../src/workspaces/open.ts";
import { directoryWith, memoryWorkspace } from "../support/workspace.ts";

const MAX_DIFF = 4096;
/** What stands around a diff. */
const WORDS = 1000;
const LONG = "x".repeat(1_200_000);
const lines = (word: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${word} number ${n}\n`).join("");

function deskWith(content: string) {
  const session = memoryWorkspace({ f: content }).session();
  return async (surface: string, tool: string, input: object) => {
    const answer = await call(session, surfaceNamed(surface), tool, input);
    if (!answer.ok) throw new Error(answer.text);
    // biome-ignore lint/suspicious/noExplicitAny: of every tool something else
    return answer as { readonly text: string; readonly data: Record<string, any> };
  };
}

const hashAt = (content: string, line: number) => anchorIndex(content).anchor(line);

describe("a diff in an answer is bounded, and says how to see the rest", () => {
  it("a page of a file holds no more than a file may, whatever was asked for", async () => {
    const root = directoryWith({ f: "x\n".repeat(2_000_000) });
    const session = openWorkspace({ root, limits: { maxFileBytes: 2 ** 20 } }).session();
    const answer = await call(session, surfaceNamed("workspace"), "read_file", { path: "f", maxBytes: 2 ** 30 });
    expect(answer.ok && Buffer.byteLength(answer.text)).toBeLessThan(2 ** 20 + WORDS);
    await session.workspace.close();
  });

  it("write_file of a whole file", async () => {
    const desk = deskWith(lines("old", 1500));
    const { data: read } = await desk("workspace", "read_file", { path: "f" });
    const content = lines("new", 1500);
    const { text, data } = await desk("workspace", "write_file", { path: "f", content, expectedSha256: read.sha256 });
    for (const shown of [text, data.diff]) {
      expect(Buffer.byteLength(shown)).toBeLessThan(MAX_DIFF + WORDS);
      expect(shown).toContain("…(cut; read the file for its lines as they are now)");
    }
  });

  it("edit_file beside a long line shows what was changed all the same", async () => {
    const desk = deskWith(`${LONG}\none\n`);
    const { data: read } = await desk("workspace", "read_file", { path: "f" });
    const edits = [{ oldText: "one", newText: "two" }];
    const { text } = await desk("workspace", "edit_file", { path: "f", edits, expectedSha256: read.sha256 });
    expect(Buffer.byteLength(text)).toBeLessThan(MAX_DIFF + WORDS);
    expect(text).toContain("…(line cut)\n-one\n+two\n…(cut; read the file for its lines as they are now)");
  });

  it("apply_patch, in the data", async () => {
    const desk = deskWith(lines("old", 1500));
    const patch = `*** Begin Patch\n*** Add File: g\n${lines("+new", 1500)}*** Move File: f -> h\n*** End Patch`;
    const { data } = await desk("workspace", "apply_patch", { patch });
    for (const { diff } of data.changedFiles) expect(Buffer.byteLength(diff)).toBeLessThan(MAX_DIFF + WORDS);
  });

  it.each([
    ["insert_at_line beside a long line", `one\n${LONG}\n`, { insert_at_line: 2, new_string: "two\n" }, "\n+two\n"],
    ["many lines", "one\n", { old_string: "one\n", new_string: lines("new", 1500) }, "+new number 0\n"],
  ])("Edit of compact: %s", async (_what, content, edit, shown) => {
    const desk = deskWith(content);
    await desk("compact", "Read", { file_path: "f" });
    const { text, data } = await desk("compact", "Edit", { file_path: "f", ...edit });
    expect(Buffer.byteLength(text)).toBeLessThan(MAX_DIFF + WORDS);
    expect(Buffer.byteLength(data.metadata.diff)).toBeLessThan(MAX_DIFF + WORDS);
    expect(text).toContain(shown);
    expect(text).toContain("…(cut; read the file for its lines as they are now)");
  });

  it("Edit of tracked, in the data", async () => {
    const desk = deskWith(`${LONG}\none\n`);
    await desk("tracked", "Read", { file_path: "f" });
    const { data } = await desk("tracked", "Edit", { file_path: "f", old_string: "one", new_string: "two" });
    expect(Buffer.byteLength(data.diff)).toBeLessThan(MAX_DIFF + WORDS);
    expect(data.diff).toContain("-one\n+two\n");
  });

  it.each([
    ["insert_before beside a long line", `one\n${LONG}\nthree\n`, "insert_before", 3],
    ["delete_range of many lines", lines("old", 1500), "delete_range", 100],
  ])("edit by anchors: %s", async (_what, content, op, line) => {
    const desk = deskWith(content);
    await desk("anchors", "read_file", { path: "f", limit: 2000, hashes: true });
    await desk("anchors", "read_file", { path: "f", offset: 2, limit: 2000, hashes: true });
    const named =
      op === "delete_range"
        ? { start_hash: hashAt(content, line), end_hash: hashAt(content, line + 975) }
        : { hash: hashAt(content, line), content: "new\n" };
    const { text, data } = await desk("anchors", "edit", { path: "f", operations: [{ op, ...named }] });
    expect(Buffer.byteLength(text)).toBeLessThan(MAX_DIFF + WORDS);
    expect(Buffer.byteLength(data.diff_preview.join("\n"))).toBeLessThan(MAX_DIFF + WORDS);
    expect(text).toMatch(/\n\.\.\. \(\d+ lines? of this diff cut; read the file for its lines as they are now\)\n/);
  });
});

describe("audit_log of a patch of a thousand files", () => {
  const MAX_BYTES = 64 * 1024;

  async function deskAfter(name: (n: number) => string) {
    const desk = deskWith("x\n");
    const adds = Array.from({ length: 1000 }, (_, n) => `*** Add File: ${name(n)}\n+${n}\n`).join("");
    await desk("workspace", "apply_patch", { patch: `*** Begin Patch\n${adds}*** End Patch` });
    return (input: object) => desk("workspace", "audit_log", input);
  }

  it("shows 250 of them and says how to see the rest", async () => {
    const audit = await deskAfter((n) => `f${n}`);
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

  it("has 64 KB also where the paths or the diffs are long, and says so", async () => {
    const audit = await deskAfter((n) => `${"d".repeat(200)}/${"e".repeat(200)}/f${n}`);
    const { text, data } = await audit({ maxResults: 250, includeDiff: true });
    expect(Buffer.byteLength(text)).toBeLessThan(MAX_BYTES + WORDS);
    expect(data.entries.length + data.filesLeft).toBe(1000);
    expect(text).toContain(`Entry 1 has ${data.filesLeft} more files: name a path or set maxResults=1000.`);
  });
});

describe("one long line is read in parts", () => {
  it.each([
    ["compact", "Read", "file_path", "(line 1 of 1 goes on: continue with offset 0 and start_column 262145)"],
    ["tracked", "Read", "file_path", "go on in it with offset 1 and start_column 262145"],
    ["anchors", "read_file", "path", "continue with offset 0 and start_column 262145"],
    ["workspace", "read_file", "path", "read on with startLine=1 and startColumn=262145"],
  ] as const)("by %s", async (surface, tool, path, more) => {
    const desk = deskWith("y".repeat(900_000));
    const { text } = await desk(surface, tool, { [path]: "f" });
    expect(text.length).toBeLessThan(262_144 + WORDS);
    expect(text).toContain(more);
  });
});

describe("lines that a pattern finds are bounded too", () => {
  it("a long one is cut, and the way to all of it is told", async () => {
    const desk = deskWith(`short y\n${"y".repeat(900_000)}\n`);
    const { text, data } = await desk("compact", "Read", { file_path: "f", pattern: "y" });
    expect(text.length).toBeLessThan(40_000);
    expect(data.metadata.matches).toBe(2);
    expect(text).toContain("Long lines are cut; offset 1 without a pattern shows line 2 in parts.");
    const { text: part } = await desk("compact", "Read", { file_path: "f", offset: 1 });
    expect(part).toMatch(/^2\ty+\n\(line 2 of 2 goes on: /);
  });

  it("many are cut where the answer is full, and go on from there", async () => {
    const desk = deskWith(lines("some more words of a line with the", 9000));
    const { text, data } = await desk("compact", "Read", { file_path: "f", pattern: "more", limit: 9000 });
    expect(text.length).toBeLessThan(262_144 + WORDS);
    const { matches, next_offset } = data.metadata;
    expect(next_offset).toBe(matches);
    expect(text).toContain(`continue with offset ${matches})`);
  });
});
