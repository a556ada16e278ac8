// What the browser is given: small, with nothing inline, nothing made of text, nothing from elsewhere; and diffs as rows.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { unifiedDiff } from "../../src/edit/diff/unified.ts";
import { rowsOf } from "../../src/page/diff/parse.ts";
import { marksIn, piecesOf } from "../../src/page/diff/words.ts";
import { pageFolder } from "./support.ts";

const FILES = ["index.html", "app.js", "app.css", "worker.js", "icon.svg"];

it("has 60 KB at most, packed; no inline code or style, none made of text, no address elsewhere", async () => {
  const folder = await pageFolder();
  const all = FILES.map((file) => readFileSync(join(folder, file), "utf8"));
  const packed = all.map((text) => gzipSync(text, { level: 9 }).length);
  expect(packed.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(60 * 1024);
  const [html, app, css, worker] = all as [string, string, string, string];
  expect(html).not.toMatch(/<script>|<style|\sstyle=|\son\w+=/);
  for (const code of [app, worker])
    expect(code).not.toMatch(/\beval\(|new Function\(|document\.write|sourceMappingURL/);
  const addresses = [html, app, css, worker].flatMap((text) => text.match(/https?:\/\/[^\s"'`)]+/g) ?? []);
  const inWords = /^http:\/\/www\.w3\.org\/|^https:\/\/github\.com\/highlightjs\//;
  expect(addresses.filter((address) => !inWords.test(address))).toEqual([]);
  const notices = readFileSync(join(folder, "NOTICES.txt"), "utf8");
  for (const name of ["preact", "@preact/signals", "lowlight", "highlight.js"]) expect(notices).toContain(`\n${name} `);
});

const before = "one\ntwo\nthree\nfour\n";
const after = "one\n2\nthree\nfour\nfive";

it("a diff in one column has both numbers, and says where the last line end is missing", () => {
  const rows = rowsOf(unifiedDiff(before, after).text, "unified");
  const told = rows.map((row) => {
    if (row.row !== "one") return row.row;
    const { kind, no, text, noEnd } = row.side;
    return `${kind} ${row.other ?? "-"} ${no} ${text}${noEnd ? " (no end)" : ""}`;
  });
  expect(told).toEqual([
    "hunk",
    "same 1 1 one",
    "del - 2 two",
    "add - 2 2",
    "same 3 3 three",
    "same 4 4 four",
    "add - 5 five (no end)",
  ]);
});

it("side by side, what was taken away stands beside what came in its place", () => {
  const pairs = rowsOf(unifiedDiff(before, after).text, "split").flatMap((row) =>
    row.row === "pair" ? [[row.left?.text, row.right?.text]] : [],
  );
  expect(pairs).toEqual([
    ["one", "one"],
    ["two", "2"],
    ["three", "three"],
    ["four", "four"],
    [undefined, "five"],
  ]);
});

it("of lines that are not as many, those belong together that are most alike", () => {
  const rows = rowsOf(unifiedDiff('a\n  end("hello");\n', 'a\n  set("x", 1);\n  end("welcome");\n').text, "unified");
  const twins = rows.flatMap((row) => (row.row === "one" ? [[row.side.text.trim(), row.side.twin?.trim()]] : []));
  expect(twins).toEqual([
    ["a", undefined],
    ['end("hello");', 'end("welcome");'],
    ['set("x", 1);', undefined],
    ['end("welcome");', 'end("hello");'],
  ]);
});

it("lines that look like parts of a diff are lines, and what was cut off ends the hunk", () => {
  const tricky = unifiedDiff("@@ -1 +1 @@\n--- a\n", "+++ b\n-- x\n").text;
  const sides = rowsOf(tricky, "unified").flatMap((row) => (row.row === "one" ? [row.side.text] : []));
  expect(sides).toEqual(["@@ -1 +1 @@", "--- a", "+++ b", "-- x"]);
  const cut = unifiedDiff("a\n".repeat(9), "b\n".repeat(9), { maxBytes: 40 });
  expect(cut.truncated).toBe(true);
  expect(rowsOf(cut.text, "unified").every((row) => row.row !== "one" || !row.side.text.includes("truncated"))).toBe(
    true,
  );
});

it("words are marked where they differ, unless all of a line does; colours go on beneath", () => {
  const line = "const port = 4000;";
  expect(marksIn(line, "const port = 3000;").map(([from, to]) => line.slice(from, to))).toEqual(["4000"]);
  expect(marksIn("completely other", "nothing of it")).toEqual([]);
  expect(marksIn("x".repeat(2000), "y")).toEqual([]);
  const pieces = piecesOf(
    [
      ["k", "const"],
      ["", " port = "],
      ["n", "4000"],
      ["", ";"],
    ],
    [[6, 15]],
  );
  expect(pieces.map(({ text, colour, marked }) => [text, colour, marked])).toEqual([
    ["const", "k", false],
    [" ", undefined, false],
    ["port = ", undefined, true],
    ["40", "n", true],
    ["00", "n", false],
    [";", undefined, false],
  ]);
});
