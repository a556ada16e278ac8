// Seed 002, Read of text: line numbers, offset, limit, metadata, hidden parameters.
import { describe, expect, it } from "vitest";
import { BACKENDS } from "../support/workspace.ts";
import { numberedLines, opened } from "./002-calling.ts";

describe.each(BACKENDS)("seed 002: Read on %s", (_name, make) => {
  it("returns content with line numbers and metadata size, lines, mtime", async () => {
    const { ok, absolute } = opened(make, { "src/a.ts": "one\ntwo\n" });
    const { data, text } = await ok("Read", { file_path: "src/a.ts" });
    expect(data.content).toBe("1\tone\n2\ttwo");
    expect(text).toBe(data.content);
    expect(data.metadata).toMatchObject({ path: absolute("src/a.ts"), size: 8, lines: 2 });
    expect(new Date(data.metadata.mtime).toISOString()).toBe(data.metadata.mtime);
  });

  it("takes an absolute path, and the alias path", async () => {
    const { ok, absolute } = opened(make, { a: "1\n" });
    expect((await ok("Read", { path: absolute("a") })).data.content).toBe("1\t1");
  });

  it("offset is the 0-based line to start from, limit the number of lines", async () => {
    const { ok } = opened(make, { a: numberedLines(10) });
    const { data, text } = await ok("Read", { file_path: "a", offset: 3, limit: 2 });
    expect(data.content).toBe("4\tline 4\n5\tline 5");
    expect(data.metadata).toMatchObject({ lines: 10, truncated: true, next_offset: 5 });
    expect(text).toBe(`${data.content}\n(lines 4-5 of 10; continue with offset 5)`);
    const rest = await ok("Read", { file_path: "a", offset: 5 });
    expect(rest.data.content.split("\n")).toHaveLength(5);
    expect(rest.data.metadata).not.toHaveProperty("next_offset");
  });

  it("reads 2000 lines by default", async () => {
    const { ok } = opened(make, { a: numberedLines(2001) });
    const { data } = await ok("Read", { file_path: "a" });
    expect(data.content.split("\n")).toHaveLength(2000);
    expect(data.metadata).toMatchObject({ lines: 2001, next_offset: 2000 });
  });

  it("reads the first 2000 lines of a file of more than 10 MiB, too", async () => {
    const { ok, refused } = opened(make, { a: numberedLines(900_000), pdf: `%PDF-1.4\n${numberedLines(900_000)}` });
    const { text } = await ok("Read", { file_path: "a" });
    expect(text.split("\n").slice(-2)).toEqual([
      "2000\tline 2000",
      "(lines 1-2000 of 900000; continue with offset 2000)",
    ]);
    expect((await refused("Read", { file_path: "pdf" })).kind).toBe("binary_file");
  });

  it("says when there is nothing to show", async () => {
    const { ok } = opened(make, { empty: "", short: "1\n" });
    expect((await ok("Read", { file_path: "empty" })).text).toMatch(/empty is empty\.$/);
    expect((await ok("Read", { file_path: "short", offset: 7 })).text).toMatch(
      /^Nothing at offset 7: .*short has 1 line\.$/,
    );
  });

  it("a line without a newline at the end counts, a newline at the end starts no further line", async () => {
    const { ok } = opened(make, { a: "1\n2", b: "1\r\n2\r\n" });
    expect((await ok("Read", { file_path: "a" })).data.metadata.lines).toBe(2);
    expect((await ok("Read", { file_path: "b" })).data).toMatchObject({
      content: "1\t1\n2\t2",
      metadata: { lines: 2 },
    });
  });

  it("encoding: detected, or as told", async () => {
    const { ok } = opened(make, { a: Buffer.from("\ufeffgrün\n", "utf16le"), b: Buffer.from("gr\xfcn\n", "latin1") });
    expect((await ok("Read", { file_path: "a" })).data).toMatchObject({
      content: "1\tgrün",
      metadata: { encoding: "utf-16le" },
    });
    expect((await ok("Read", { file_path: "b", encoding: "latin1" })).data.content).toBe("1\tgrün");
    const undecoded = await ok("Read", { file_path: "b" });
    expect(undecoded.data.content).toBe("1\tgr\\xFCn");
    expect(undecoded.warnings).toHaveLength(1);
  });

  it("pattern: only the lines that match, with their numbers", async () => {
    const { ok } = opened(make, { ".hidden/a": numberedLines(30) });
    const { data } = await ok("Read", { file_path: ".hidden/a", pattern: "line .*7$" });
    expect(data.content).toBe("7\tline 7\n17\tline 17\n27\tline 27");
    expect(data.metadata).toMatchObject({ lines: 30, matches: 3 });
    const page = await ok("Read", { file_path: ".hidden/a", pattern: "7$", offset: 7, limit: 1 });
    expect(page.data.content).toBe("17\tline 17");
    expect(page.data.metadata.next_offset).toBe(17);
    expect((await ok("Read", { file_path: ".hidden/a", pattern: "nowhere" })).text).toMatch(
      /^No line of .* matches\.$/,
    );
  });

  it("pattern: needs no more than the right to read", async () => {
    const { ok } = opened(make, { "a.txt": "one\ntwo\n" }, { policy: { allowedActions: ["read"] } });
    expect((await ok("Read", { file_path: "a.txt", pattern: "t.o" })).data.content).toBe("2\ttwo");
  });

  it("pattern: matches the text as it was decoded, in the encoding asked for or found", async () => {
    const { ok } = opened(make, {
      "sj.txt": Buffer.from([0x31, 0x0a, 0x83, 0x65, 0x83, 0x58, 0x83, 0x67, 0x0d, 0x0a]),
      latin: Buffer.from("na\u00efve caf\u00e9\nplain\n", "latin1"),
      wide: Buffer.from("\ufeffone\ngr\u00fcn\n", "utf16le"),
    });
    const japanese = { file_path: "sj.txt", encoding: "shift_jis" };
    expect((await ok("Read", { ...japanese, pattern: "^\u30c6.\u30c8$" })).data.content).toBe("2\t\u30c6\u30b9\u30c8");
    expect((await ok("Read", { ...japanese, pattern: "\\p{Katakana}{4}" })).data.metadata.matches).toBe(0);
    const latin = { file_path: "latin", encoding: "latin1" };
    expect((await ok("Read", { ...latin, pattern: "caf\u00e9$" })).data.content).toBe("1\tna\u00efve caf\u00e9");
    expect((await ok("Read", { file_path: "wide", pattern: "gr\u00fcn" })).data.content).toBe("2\tgr\u00fcn");
  });

  it("pattern: the numbers are those of Read and Edit, also where lines have a lone CR", async () => {
    const log = "start\nprogress 1%\rprogress 50%\rprogress 100%\ndone\nlast\n";
    const { ok, refused } = opened(make, { "log.txt": log });
    expect((await ok("Read", { file_path: "log.txt", pattern: "^last" })).data.content).toBe("4\tlast");
    expect((await ok("Read", { file_path: "log.txt" })).data).toMatchObject({
      content: "1\tstart\n2\tprogress 1%\rprogress 50%\rprogress 100%\n3\tdone\n4\tlast",
      metadata: { lines: 4 },
    });
    const old_string = "progress 1%\nprogress 50%\nprogress 100%\ndone";
    expect((await refused("Edit", { file_path: "log.txt", old_string, new_string: "X\ndone" })).kind).toBe(
      "old_text_not_found",
    );
    await ok("Edit", { file_path: "log.txt", new_string: "INSERTED", insert_at_line: 4 });
    expect((await ok("Read", { file_path: "log.txt", pattern: "INS|last" })).data.content).toBe("4\tINSERTED\n5\tlast");
  });

  it("pattern: a bad regular expression is refused", async () => {
    const { refused } = opened(make, { a: "1\n" });
    expect((await refused("Read", { file_path: "a", pattern: "(" })).kind).toBe("command_failed");
  });

  it("what a pattern showed counts as read, but not as the whole file", async () => {
    const { ok } = opened(make, { a: numberedLines(200) });
    await ok("Read", { file_path: "a", pattern: "line 7$" });
    await ok("Edit", { file_path: "a", old_string: "line 7\n", new_string: "seven\n" });
    const { warnings } = await ok("Write", { file_path: "a", content: "all new\n" });
    expect(warnings.join()).toContain("never shown to this session");
  });

  it("a notebook is read as its text", async () => {
    const { ok } = opened(make, { "a.ipynb": '{\n "cells": []\n}\n' });
    expect((await ok("Read", { file_path: "a.ipynb" })).data.content).toBe('1\t{\n2\t "cells": []\n3\t}');
  });

  it("any other binary file is refused", async () => {
    const { refused } = opened(make, { "a.bin": Uint8Array.from([1, 2, 0, 3]) });
    const failure = await refused("Read", { file_path: "a.bin" });
    expect(failure.kind).toBe("binary_file");
    expect(failure.text).toMatch(/^Nothing was read\. The file is binary/);
  });

  it.each([
    ["nowhere", "not_found", "Nothing was read. nowhere does not exist. Check the path; Glob finds files by pattern."],
    ["dir", "not_a_file", "Nothing was read. dir is a directory. Name a file in it; Glob with this `path` lists them."],
  ])("of %s is refused", async (file_path, kind, text) => {
    const { refused } = opened(make, { "dir/a": "1\n" });
    expect(await refused("Read", { file_path })).toMatchObject({ kind, text });
  });

  it("names that could confuse a terminal are printed escaped", async () => {
    const { ok } = opened(make, { "a\u202eb": "" });
    expect((await ok("Read", { file_path: "a\u202eb" })).text).toContain("a\\u{202e}b is empty");
  });
});
