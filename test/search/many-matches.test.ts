// What ripgrep says of a line with very many matches is far longer than the line: only what is asked for is held and read.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { rgPath } from "@vscode/ripgrep";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Path } from "../../src/core/backend.ts";
import type { Wanted } from "../../src/search/results.ts";
import type { Accepts } from "../../src/search/ripgrep/grep.ts";
import { appetiteOf } from "../../src/search/ripgrep/memory-limit.ts";
import { hitsFromJson } from "../../src/search/ripgrep/output/json.ts";
import { hitsFromLines } from "../../src/search/ripgrep/output/lines.ts";
import { messagesOf } from "../../src/search/ripgrep/output/messages.ts";
import { RipgrepUnable } from "../../src/search/ripgrep/process.ts";
import { PLACES, shown } from "./places.ts";

const LINE = `${"ab ".repeat(100_000)}ä end`;
const CHUNK = 64 * 1024;
const ALL: Accepts = (path): path is Path => path !== "";

let directory: string;
let said: Buffer;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "stet-many-matches-"));
  writeFileSync(join(directory, "long.txt"), `first ab\n${LINE}\nlast ab\n`);
  said = spawnSync(rgPath, ["--json", "ab", "long.txt"], { cwd: directory, maxBuffer: 2 ** 28 }).stdout;
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
}

function wanting(more: Partial<Wanted> & { readonly multiline?: boolean }): Wanted {
  const pattern = { text: "ab", literal: false, caseSensitive: true, multiline: more.multiline === true };
  return {
    pattern,
    mode: "lines",
    firstPerLine: true,
    before: 0,
    after: 0,
    maxFileBytes: undefined,
    enough: 1000,
    ...more,
  };
}

describe("a line with 100,000 matches", () => {
  it("is said in twelve times its bytes, of which little more than the line is kept", () => {
    const messages = messagesOf(true);
    let kept = 0;
    for (const chunk of chunksOf(said)) kept += messages.take(chunk)?.length ?? 0;
    expect(said.length).toBeGreaterThan(12 * LINE.length);
    // Up to the first look, and as much again.
    expect(kept).toBeLessThan(LINE.length + 2 * CHUNK);
  });

  it("is a hit at its first match, and the lines around it are hits as before", () => {
    const collector = hitsFromJson(wanting({}), ALL);
    for (const chunk of chunksOf(said)) collector.take(chunk);
    const [file] = collector.found().files;
    expect(file?.hits.map(({ line, column, text }) => [line, column, text.length])).toEqual([
      [1, 7, 8],
      [2, 1, LINE.length],
      [3, 6, 7],
    ]);
  });

  it("is left to JavaScript where all its matches are asked for", () => {
    const collector = hitsFromJson(wanting({ multiline: true }), ALL);
    expect(() => {
      for (const chunk of chunksOf(said)) collector.take(chunk);
    }).toThrow(RipgrepUnable);
  });
});

it("a line that is too long to be held is left to JavaScript, which names its file as skipped", () => {
  const collector = hitsFromJson(wanting({}), ALL);
  const [begin] = said.toString("utf8", 0, 200).split("\n");
  collector.take(Buffer.from(`${begin}\n{"type":"match","data":{"path":{"text":"long.txt"},"lines":{"text":"`));
  expect(() => {
    for (let n = 0; n < 129; n++) collector.take(Buffer.alloc(1024 * 1024, "x"));
  }).toThrow(RipgrepUnable);
});

describe.each(PLACES)("matches across lines, %s", (_, place) => {
  it("are counted in one pass, however many there are", { timeout: 20_000 }, async () => {
    const lines = 12_000;
    const at = place({ "many.txt": "öab ab\n".repeat(lines) });
    const { files } = await at.grep({ pattern: "ab", multiline: true, mode: "count" }, { deadlineMs: 10_000 });
    expect(files).toEqual([{ path: "many.txt", count: lines }]);
  });

  it("have the places that they had", async () => {
    const at = place({ "a.txt": "ö ab x ab\nab\n\nxab\nab" });
    const result = await at.grep({ pattern: "ab|x\\sab\\nab", multiline: true, firstPerLine: false });
    expect(shown(result)).toEqual(["a.txt:1:3:ö ab x ab", "a.txt:1:6:ö ab x ab\nab", "a.txt:4:2:xab", "a.txt:5:1:ab"]);
  });
});

const LETTERS = "a".repeat(2 * 1024 * 1024);

// Elsewhere no system tells.
describe.skipIf(process.platform !== "linux")("the memory of ripgrep in a line of nothing but matches", () => {
  beforeAll(() => writeFileSync(join(directory, "letters.txt"), LETTERS));

  async function isTooMuch(...how: string[]): Promise<boolean> {
    const child = spawn(rgPath, [...how, "--no-mmap", "a", "letters.txt"], { cwd: directory, stdio: "ignore" });
    const tooMuch = appetiteOf(child.pid!);
    try {
      while (child.exitCode === null && child.signalCode === null) {
        if (tooMuch()) return true;
        await wait(1);
      }
      return false;
    } finally {
      child.kill("SIGKILL");
    }
  }

  it("is more than such a file justifies where every match is noted", async () => {
    expect(await isTooMuch("--json")).toBe(true);
    expect(await isTooMuch("--count")).toBe(false);
  });
});

describe.each(PLACES)("among other files, %s", (_, place) => {
  it("such a line is one hit, in its order and at its first match", async () => {
    const at = place({ "a.txt": "x\nä a\n", "b/m.txt": `x${LETTERS}\nb\n`, "b/n.txt": "aa\n", "c.txt": "none\n" });
    const all = await at.grep({ pattern: "[a]" });
    expect(all.hits.map(({ path, line, column, text }) => [path, line, column, text.length])).toEqual([
      ["a.txt", 2, 3, 3],
      ["b/m.txt", 1, 2, LETTERS.length + 1],
      ["b/n.txt", 1, 1, 2],
    ]);
    expect(all.total).toBe(3);
  });
});

it.each([1, 3, 1000])("takes lines as they come, %d bytes at a time", (length) => {
  const warning = ': WARNING: stopped searching binary file after match (found "\\0" byte around offset 9)';
  const printed = Buffer.from(`./a\nb\x001:x ab\n./a\nb\x0012:ä ab\n./c\x001:ab\n./c${warning}\n./d: x\x007:1:ab\n`);
  const collector = hitsFromLines(wanting({}), ALL);
  for (let at = 0; at < printed.length; at += length) collector.take(printed.subarray(at, at + length));
  const hits = collector.found().files.flatMap((file) => file.hits);
  expect(hits.map(({ path, line, column, text }) => [path, line, column, text])).toEqual([
    ["a\nb", 1, 3, "x ab"],
    ["a\nb", 12, 3, "ä ab"],
    ["d: x", 7, 3, "1:ab"],
  ]);
});

describe.each(PLACES)("plain words, %s", (name, place) => {
  const odd = name === "memory" ? "a b.txt" : "a\nb.txt";

  it("are found with the same places in files of every kind", async () => {
    const at = place({
      [odd]: "x hit\nno\nlast hit",
      "bin.txt": `${"hit a\n".repeat(20_000)}\0hit b\n`,
      "bom.txt": "\uFEFFhit\n",
      "crlf.txt": "ä hit hit\r\nhit\r\n",
      "colon:1:.txt": "a:hit\n",
      "latin.txt": Buffer.from("\xff\xc3\xa4 hit\n", "latin1"),
      "wide.txt": Buffer.from("\uFEFF😀 hit\n", "utf16le"),
    });
    const expected = [
      `${odd}:1:3:x hit`,
      `${odd}:3:6:last hit`,
      "bom.txt:1:1:hit",
      "colon:1:.txt:1:3:a:hit",
      "crlf.txt:1:3:ä hit hit\r",
      "crlf.txt:2:1:hit\r",
      "latin.txt:1:5:\xff\xc3\xa4 hit",
      "wide.txt:1:3:😀 hit",
    ];
    for (const pattern of ["hit", "(?:hit)"]) expect(shown(await at.grep({ pattern }))).toEqual(expected);
    const { hits, truncated, total } = await at.grep({ pattern: "hit", limit: 2 });
    expect([hits.length, truncated, total]).toEqual([2, true, undefined]);
  });
});
