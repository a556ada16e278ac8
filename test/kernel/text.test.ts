// What a file is as text: encoding, mark, line ends, stray bytes, and what is not text at all.
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../src/core/failure.ts";
import { decode, displayable, withEolOf } from "../../src/kernel/text/text.ts";

const FRENCH =
  "Cette fonction calcule la moyenne pondérée des éléments déjà triés à la main, très précisément.\n".repeat(3);
const RUSSIAN = "Это достаточно длинный русский текст, который содержит много обычных слов. ".repeat(4);
const JAPANESE = "これは日本語のテキストファイルです。文字コードを調べます。\n";

function refusal(run: () => unknown): Refusal {
  try {
    run();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("decode", () => {
  it.each([
    ["ASCII", Buffer.from("a\nb\n"), { body: "a\nb\n", encoding: "utf-8", bom: false, eol: "lf", finalNewline: true }],
    ["UTF-8", Buffer.from("é—😀"), { body: "é—😀", encoding: "utf-8", bom: false, eol: "none", finalNewline: false }],
    ["large UTF-8", Buffer.from("é—😀\n".repeat(999)), { body: "é—😀\n".repeat(999), encoding: "utf-8", eol: "lf" }],
    ["UTF-8 with mark", Buffer.from("\uFEFFa\r\n"), { body: "a\r\n", encoding: "utf-8", bom: true, eol: "crlf" }],
    ["two marks", Buffer.from("\uFEFF\uFEFFa"), { body: "\uFEFFa", bom: true }],
    ["UTF-16LE", Buffer.from("\uFEFFä\rb", "utf16le"), { body: "ä\rb", encoding: "utf-16le", bom: true, eol: "cr" }],
    ["UTF-16BE", Buffer.from("\uFEFFä", "utf16le").swap16(), { body: "ä", encoding: "utf-16be", bom: true }],
    [
      "UTF-16LE, no mark",
      Buffer.from("hello there 😀\n", "utf16le"),
      { body: "hello there 😀\n", encoding: "utf-16le", bom: false },
    ],
    ["UTF-16BE, no mark", Buffer.from("hello\n", "utf16le").swap16(), { body: "hello\n", encoding: "utf-16be" }],
    ["a lone half pair in UTF-16", Buffer.from("\uFEFFa\ud83db", "utf16le"), { body: "a\ud83db", invalid: 1 }],
    ["nothing", Buffer.alloc(0), { body: "", encoding: "utf-8", eol: "none", finalNewline: false, invalid: 0 }],
    ["a mark and nothing", Buffer.from("\uFEFF"), { body: "", bom: true }],
    ["mixed line ends", Buffer.from("a\r\nb\nc\r"), { eol: "mixed", finalNewline: false }],
    ["a lone CR as a character of its line", Buffer.from("a\rb\n"), { eol: "lf", finalNewline: true }],
    ["CR and nothing else", Buffer.from("a\rb\r"), { eol: "cr", finalNewline: false }],
    ["U+FFFD that is really there", Buffer.from("a\uFFFDb"), { body: "a\uFFFDb", invalid: 0 }],
  ])("reads %s", (_, bytes, expected) => {
    expect(decode(bytes)).toMatchObject(expected);
  });

  it("reads a file in parts that cut a character", () => {
    const bytes = Buffer.from("aé😀b");
    const parts = [...bytes].map((byte) => Uint8Array.of(byte));
    expect(decode(parts).body).toBe("aé😀b");
    expect(decode([]).body).toBe("");
  });

  it.each([
    ["iso-8859-1", FRENCH],
    ["windows-1251", RUSSIAN],
    ["koi8-r", RUSSIAN],
    ["shift_jis", JAPANESE],
    ["euc-jp", JAPANESE],
  ])("recognises %s when the text is clear about it, and says so", (encoding, body) => {
    const text = decode(iconv.encode(body, encoding));
    expect(text).toMatchObject({ body, encoding, invalid: 0, notes: [`decoded as ${encoding} (detected)`] });
  });

  it.each([["latin1"], ["ISO-8859-1"], ["windows-1252"], ["cp1252"], ["macroman"]])(
    "reads what is declared as %s",
    (encoding) => {
      expect(decode(iconv.encode("café", encoding), { encoding }).body).toBe("café");
    },
  );

  it("takes the byte order of a declared UTF-16 from the mark", () => {
    const big = Buffer.from("\uFEFFab", "utf16le").swap16();
    expect(decode(big, { encoding: "UTF-16" })).toMatchObject({ body: "ab", encoding: "utf-16be", bom: true });
    expect(decode(Buffer.from("日本", "utf16le"), { encoding: "utf-16le" }).body).toBe("日本");
  });

  it("keeps a few odd bytes as stray bytes rather than guess", () => {
    const text = decode(Buffer.from("name = caf\xe9\n", "latin1"));
    expect(text).toMatchObject({ body: "name = caf\udce9\n", encoding: "unknown-8bit", invalid: 1 });
    expect(text.notes).toEqual(["encoding not known: 1 byte is kept as found and shown as \\xNN"]);
  });

  it("keeps UTF-8 with a broken byte as UTF-8", () => {
    const text = decode(Buffer.concat([Buffer.from("naïve — größe\n"), Buffer.of(0xe9, 0x0a)]));
    expect(text).toMatchObject({ body: "naïve — größe\n\udce9\n", encoding: "utf-8", invalid: 1 });
  });

  it("does not take overlong forms, surrogates or cut sequences for UTF-8", () => {
    const bytes = Buffer.concat([Buffer.from("ééé"), Buffer.of(0xc0, 0x80, 0xed, 0xa0, 0x80, 0xf0, 0x9f)]);
    expect(decode(bytes, { encoding: "utf-8" }).body).toBe("ééé\udcc0\udc80\udced\udca0\udc80\udcf0\udc9f");
  });

  it.each([
    ["a NUL in it", Buffer.from("a\0b")],
    ["a NUL and a UTF-8 mark", Buffer.from("\uFEFFa\0b")],
    ["small numbers of two bytes", Buffer.from(new Uint16Array([1, 2, 3, 4, 5, 6]).buffer)],
    ["UTF-32", Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0])],
    ["an image header", Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1")],
  ])("refuses as binary what has %s", (_, bytes) => {
    expect(refusal(() => decode(bytes, { path: "x" })).failure).toMatchObject({ kind: "binary_file", path: "x" });
  });

  it("does not look for NUL beyond 8 KiB", () => {
    expect(decode(Buffer.from(`${"a".repeat(8192)}\0`)).encoding).toBe("utf-8");
  });

  it("refuses half a UTF-16 unit, an unknown encoding, and bytes that the declared encoding does not have", () => {
    expect(refusal(() => decode(Buffer.of(0xff, 0xfe, 0x61))).kind).toBe("not_text");
    expect(refusal(() => decode(Buffer.from("a"), { encoding: "klingon" })).kind).toBe("invalid_input");
    expect(refusal(() => decode(Buffer.from("YQ=="), { encoding: "base64" })).kind).toBe("invalid_input");
    expect(refusal(() => decode(Buffer.of(0x61, 0x81), { encoding: "windows-1252" })).kind).toBe("not_text");
    expect(refusal(() => decode(Buffer.of(0x61, 0x98), { encoding: "windows-1251" })).kind).toBe("not_text");
  });
});

describe("displayable", () => {
  it("shows stray bytes and half pairs as what they are, and everything else unchanged", () => {
    expect(displayable("caf\udce9 \ud800 \udd00 😀\uFFFD")).toBe("caf\\xE9 \\uD800 \\uDD00 😀\uFFFD");
    expect(displayable(decode(Buffer.from("caf\xe9", "latin1")).body)).toBe("caf\\xE9");
  });
});

describe("withEolOf", () => {
  it.each([
    ["a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n"],
    ["a\rb\r", "x\ny", "x\ny"],
    ["a\nb\n", "x\ny", "x\ny"],
    ["a\r\nb\n", "x\ny", "x\ny"],
    ["a", "x\ny", "x\ny"],
    ["a\r\n", "x\r\ny\n", "x\r\ny\n"],
  ])("a file like %j turns %j into %j", (file, body, expected) => {
    expect(withEolOf(decode(Buffer.from(file)), body)).toBe(expected);
  });
});
