// Seed 000: read_file.
import { createHash } from "node:crypto";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BACKENDS } from "../support/workspace.ts";
import { deskOn } from "./000-calls.ts";

const shaOf = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const BINARY = Uint8Array.of(1, 0, 2, 255);

describe.each(BACKENDS)("seed 000: read_file on %s", (_name, make) => {
  it("reads a text file with everything that is known about it", async () => {
    const text = "one\ntwo\nthree\n";
    const { data, text: words } = await deskOn(make({ "src/a.txt": text })).ok("read_file", { path: "src/a.txt" });
    expect(data).toEqual({
      path: "src/a.txt",
      content: text,
      encoding: "utf8",
      startLine: 1,
      endLine: 3,
      lineCount: 3,
      sizeBytes: 14,
      sha256: shaOf(text),
      truncated: false,
      binary: false,
      newlineStyle: "lf",
      hasBom: false,
    });
    expect(words).toBe(`Read src/a.txt — lines 1-3 of 3, 14 bytes, sha256=${shaOf(text)}\n${text}`);
  });

  it.each([
    ["one line", "a\nb\nc\n", { startLine: 2, endLine: 2 }, { content: "b", startLine: 2, endLine: 2 }],
    ["a slice", "a\nb\nc\n", { startLine: 1, endLine: 2 }, { content: "a\nb", startLine: 1, endLine: 2 }],
    ["to the end", "a\nb\nc", { startLine: 2 }, { content: "b\nc", startLine: 2, endLine: 3, lineCount: 3 }],
    ["endLine clamps", "a\nb\n", { startLine: 2, endLine: 99 }, { content: "b\n", startLine: 2, endLine: 2 }],
    ["a newline opens no line", "a\nb\n", { startLine: 3 }, { content: "", startLine: 3, endLine: 3, lineCount: 2 }],
    [
      "behind the end",
      "a\nb\n",
      { startLine: 9, endLine: 12 },
      { content: "", startLine: 9, endLine: 9, lineCount: 2 },
    ],
    ["an empty file", "", {}, { content: "", startLine: 1, endLine: 1, lineCount: 0, newlineStyle: "none" }],
    ["no newline at the end", "a", {}, { content: "a", endLine: 1, lineCount: 1, newlineStyle: "none" }],
    ["CRLF shown as LF", "a\r\nb\r\n", {}, { content: "a\nb\n", lineCount: 2, newlineStyle: "crlf", sizeBytes: 6 }],
    ["mixed line ends", "a\r\nb\n", {}, { content: "a\nb\n", newlineStyle: "mixed" }],
    ["a byte order mark", "\ufeffa\n", {}, { content: "a\n", hasBom: true, sizeBytes: 5 }],
    ["numbers in quotes", "a\nb\n", { startLine: "1", endLine: "1" }, { content: "a" }],
    ["null as absent", "a\n", { startLine: null, maxBytes: null }, { content: "a\n" }],
  ])("%s", async (_what, text, slice, expected) => {
    const { data } = await deskOn(make({ a: text })).ok("read_file", { path: "a", ...slice });
    expect(data).toMatchObject({ ...expected, sha256: shaOf(text) });
  });

  it.each([
    ["inside a line", "abcdef\nb\n", 3, { content: "abc", endLine: 1, nextStartLine: 1, nextStartColumn: 4 }],
    ["at the end of a line", "abc\nb\n", 3, { content: "abc", endLine: 1, nextStartLine: 2 }],
    ["after a newline", "abc\nb\n", 4, { content: "abc", endLine: 1, nextStartLine: 2 }],
    ["after whole lines", "abc\nbcdef\n", 6, { content: "abc", endLine: 1, nextStartLine: 2 }],
    ["never inside a character", "aüé€\n", 4, { content: "aü", endLine: 1, nextStartColumn: 3 }],
    ["never inside a surrogate pair", "a😀b\n", 4, { content: "a", endLine: 1, nextStartColumn: 2 }],
    ["but gives one character in any case", "😀b\n", 1, { content: "😀", endLine: 1, nextStartColumn: 2 }],
  ])("maxBytes cuts %s", async (_what, text, maxBytes, expected) => {
    const { data, text: words } = await deskOn(make({ a: text })).ok("read_file", { path: "a", maxBytes });
    expect(data).toMatchObject({ ...expected, truncated: true, sizeBytes: Buffer.byteLength(text) });
    expect(words).toContain(`read on with startLine=${data.nextStartLine}`);
  });

  it("a link that leads to nothing is told from a path that is not there", async () => {
    const backend = make({ a: "a" });
    if (backend.directory === undefined) return;
    symlinkSync("nowhere", join(backend.directory, "dangling"));
    expect((await deskOn(backend).no("read_file", { path: "dangling" })).text).toBe(
      "Nothing was read. dangling is a symbolic link, and nothing is where it leads. Check the path; list_directory shows what is there.",
    );
  });

  it("maxBytes is 262144 by default", async () => {
    const line = `${"x".repeat(63)}\n`;
    const desk = deskOn(make({ fits: line.repeat(4096), over: line.repeat(4097) }));
    expect((await desk.ok("read_file", { path: "fits" })).data.truncated).toBe(false);
    const { data } = await desk.ok("read_file", { path: "over" });
    expect(data).toMatchObject({ truncated: true, endLine: 4096, nextStartLine: 4097, lineCount: 4097 });
    expect(Buffer.byteLength(data.content!)).toBe(262_143);
  });

  it("what maxBytes cut off does not count as shown", async () => {
    const desk = deskOn(make({ a: "one\ntwo\nthree\n" }));
    const { data } = await desk.ok("read_file", { path: "a", maxBytes: 6 });
    const { warnings } = await desk.ok("write_file", { path: "a", content: "x\n", expectedSha256: data.sha256 });
    expect(warnings.join()).toContain("lines 2-3 were never shown");
  });

  it("a file above the size limit is read page by page, with the sha256 of all of it", async () => {
    const text = Array.from({ length: 10_000 }, (_, n) => `line ${n + 1}\n`).join("");
    const desk = deskOn(make({ big: text }), { policy: { maxFileBytes: 60_000 } });
    const { data: first } = await desk.ok("read_file", { path: "big", maxBytes: 40_000 });
    expect(first).toMatchObject({
      startLine: 1,
      endLine: 4110,
      nextStartLine: 4111,
      truncated: true,
      lineCount: 10_000,
      sha256: shaOf(text),
    });
    const { data: next } = await desk.ok("read_file", { path: "big", startLine: 4097, endLine: 4098 });
    expect(next).toMatchObject({ content: "line 4097\nline 4098", truncated: false, sha256: shaOf(text) });
    const write = { path: "big", content: "x", expectedSha256: next.sha256 };
    expect((await desk.no("write_file", write)).kind).toBe("file_too_large");
  });

  it("a binary file (NUL in the first 8 KiB) is refused with its size and sha256", async () => {
    const refused = await deskOn(make({ b: BINARY })).no("read_file", { path: "b" });
    expect(refused).toMatchObject({ kind: "binary_file", details: { sizeBytes: 4, sha256: shaOf(BINARY) } });
    expect(refused.suggestedAction).toContain("allowBinary");
  });

  it("allowBinary gives it as base64; text stays text", async () => {
    const desk = deskOn(make({ b: BINARY, t: "text\n" }));
    const { data } = await desk.ok("read_file", { path: "b", allowBinary: true });
    expect(data).toMatchObject({
      encoding: "base64",
      binary: true,
      sha256: shaOf(BINARY),
      truncated: false,
      sizeBytes: 4,
    });
    expect(Buffer.from(data.contentBase64!, "base64")).toEqual(Buffer.from(BINARY));
    const { data: cut } = await desk.ok("read_file", { path: "b", allowBinary: true, maxBytes: 2 });
    expect(cut).toMatchObject({ truncated: true, contentBase64: Buffer.of(1, 0).toString("base64") });
    expect((await desk.ok("read_file", { path: "t", allowBinary: true })).data).toMatchObject({
      content: "text\n",
      binary: false,
    });
  });

  it("bytes that are not valid text are shown as what they are, never replaced", async () => {
    const { data, warnings } = await deskOn(make({ a: Buffer.from("gr\xfc\xdfe ok\n", "latin1") })).ok("read_file", {
      path: "a",
    });
    expect(data.content).not.toContain("\ufffd");
    expect(warnings).toHaveLength(1);
  });

  it("a directory is not found, with a hint at list_directory", async () => {
    const refused = await deskOn(make({ "d/a": "" })).no("read_file", { path: "d" });
    expect(refused.kind).toBe("not_found");
    expect(refused.suggestedAction).toContain("list_directory");
  });

  it.each([
    ["a missing file", { path: "nope" }, "not_found"],
    ["a reversed range", { path: "a", startLine: 3, endLine: 2 }, "command_failed"],
    ["line 0", { path: "a", startLine: 0 }, "command_failed"],
    ["no path", {}, "command_failed"],
    ["a denied path", { path: ".env" }, "permission_denied"],
    ["a way out", { path: "../a" }, "outside_workspace"],
  ])("refuses %s", async (_what, input, kind) => {
    const refused = await deskOn(make({ a: "x\n", ".env": "SECRET=1\n" })).no("read_file", input);
    expect(refused.kind).toBe(kind);
    expect(refused.text.startsWith("Nothing was read. ")).toBe(true);
    expect(refused.text).not.toContain("SECRET");
  });

  it("ignores a parameter that it does not have, and says so", async () => {
    const { text } = await deskOn(make({ a: "x\n" })).ok("read_file", { path: "a", colour: "red" });
    expect(text).toMatch(/\nWarning: There is no parameter `colour`; it was ignored\.$/);
  });
});
