// What the thread that searches makes of bytes: which are text, in what encoding, and how a line that is no text is shown.
import { expect, it } from "vitest";
import { type ScanRequest, scan } from "../../src/search/fallback/scan.ts";

const REQUEST: ScanRequest = {
  files: [],
  source: "needle",
  flags: "gu",
  multiline: false,
  firstPerLine: false,
  before: 0,
  after: 0,
  enough: 100,
  bare: false,
};

function hits(bytes: Uint8Array, more: Partial<ScanRequest> = {}): string[] {
  const [{ count, hits: found } = { count: 0, hits: [] }] = scan({ ...REQUEST, files: [bytes], ...more });
  expect(count).toBe(found.length);
  return found.map(({ line, column, text }) => `${line}:${column}:${text}`);
}

const bigEndian = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();

it.each([
  ["UTF-8", Buffer.from("é needle\n"), ["1:3:é needle"]],
  ["UTF-8 with a mark", Buffer.from("\uFEFFneedle\n"), ["1:1:needle"]],
  ["UTF-16, lower byte first", Buffer.from("\uFEFFa\né needle\n", "utf16le"), ["2:3:é needle"]],
  ["UTF-16, higher byte first", bigEndian("\uFEFFa\né needle\n"), ["2:3:é needle"]],
  ["UTF-16 with a NUL: binary", Buffer.from("\uFEFFneedle\0\n", "utf16le"), []],
  ["UTF-16 without a mark: binary", Buffer.from("needle\n", "utf16le"), []],
  ["a NUL: binary", Buffer.from("needle\n\0"), []],
  ["half a mark", Buffer.concat([Buffer.of(0xff), Buffer.from("needle\n")]), ["1:2:ÿneedle"]],
  [
    "a line that is no text beside one that is",
    Buffer.from("\xe9 needle\nneedle \n", "latin1"),
    ["1:3:é needle", "2:1:needle "],
  ],
  ["nothing", Buffer.of(), []],
])("%s", (_name, bytes, wanted) => {
  expect(hits(bytes)).toEqual(wanted);
});

it("counts columns of characters in text, and of bytes where a line is none", () => {
  expect(hits(Buffer.from("😀 needle"))).toEqual(["1:3:😀 needle"]);
  expect(hits(Buffer.concat([Buffer.from("é "), Buffer.of(0xe9), Buffer.from("needle")]))).toEqual(["1:5:Ã© éneedle"]);
});
