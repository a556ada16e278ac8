// What a file is as text: encoding, mark, line ends, stray bytes, and what is not text at all.
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { refuses } from "../support/assertions.ts";
import { bytesAfter, readBytesAsText } from "../support/text-file.ts";

describe("a read", () => {
  it.each([
    ["ASCII", Buffer.from("a\nb\n"), { body: "a\nb\n", encoding: "utf-8", bom: false, eol: "lf", finalNewline: true }],
    ["UTF-8", Buffer.from("é—😀"), { body: "é—😀", encoding: "utf-8", bom: false, eol: "none", finalNewline: false }],
    ["UTF-8 with mark", Buffer.from("\uFEFFa\r\n"), { body: "a\r\n", encoding: "utf-8", bom: true, eol: "crlf" }],
    ["two marks", Buffer.from("\uFEFF\uFEFFa"), { body: "\uFEFFa", bom: true }],
    ["UTF-16LE", Buffer.from("\uFEFFä\rb", "utf16le"), { body: "ä\rb", encoding: "utf-16le", bom: true, eol: "cr" }],
    ["UTF-16BE", Buffer.from("\uFEFFä", "utf16le").swap16(), { body: "ä", encoding: "utf-16be", bom: true }],
    ["a lone half pair in UTF-16", Buffer.from("\uFEFFa\ud83db", "utf16le"), { body: "a\ud83db" }],
    ["nothing", Buffer.alloc(0), { body: "", encoding: "utf-8", eol: "none", finalNewline: false }],
    ["mixed line ends", Buffer.from("a\r\nb\nc\r"), { eol: "mixed", finalNewline: false }],
    ["a lone CR as a character of its line", Buffer.from("a\rb\n"), { eol: "lf", finalNewline: true }],
    ["U+FFFD that is really there", Buffer.from("a\uFFFDb"), { body: "a\uFFFDb", notes: [] }],
  ])("understands %s", async (_, bytes, expected) => {
    expect(await readBytesAsText(bytes)).toMatchObject(expected);
  });

  it.each(["latin1", "windows-1252", "macroman"])("understands what is declared as %s", async (encoding) => {
    expect((await readBytesAsText(iconv.encode("café", encoding), encoding)).body).toBe("café");
  });

  it("takes the byte order of a declared UTF-16 from the mark", async () => {
    const big = Buffer.from("\uFEFFab", "utf16le").swap16();
    expect(await readBytesAsText(big, "UTF-16")).toMatchObject({ body: "ab", encoding: "utf-16be", bom: true });
    expect((await readBytesAsText(Buffer.from("日本", "utf16le"), "utf-16le")).body).toBe("日本");
  });

  it("keeps a few odd bytes as stray bytes rather than guess", async () => {
    const text = await readBytesAsText(Buffer.from("name = caf\xe9\n", "latin1"));
    expect(text).toMatchObject({ body: "name = caf\udce9\n", encoding: "unknown-8bit" });
    expect(text.notes).toEqual(["encoding not known: 1 byte is kept as found and shown as \\xNN"]);
  });

  it("keeps UTF-8 with a broken byte as UTF-8", async () => {
    const text = await readBytesAsText(Buffer.concat([Buffer.from("naïve — größe\n"), Buffer.of(0xe9, 0x0a)]));
    expect(text).toMatchObject({ body: "naïve — größe\n\udce9\n", encoding: "utf-8" });
  });

  it("does not take overlong forms, surrogates or cut sequences for UTF-8", async () => {
    const bytes = Buffer.concat([Buffer.from("ééé"), Buffer.of(0xc0, 0x80, 0xed, 0xa0, 0x80, 0xf0, 0x9f)]);
    expect((await readBytesAsText(bytes, "utf-8")).body).toBe("ééé\udcc0\udc80\udced\udca0\udc80\udcf0\udc9f");
  });

  it.each([
    ["a NUL in it", Buffer.from("a\0b")],
    ["small numbers of two bytes", Buffer.from(new Uint16Array([1, 2, 3, 4, 5, 6]).buffer)],
    ["UTF-32", Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0])],
    ["an image header", Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1")],
  ])("refuses as binary what has %s", async (_, bytes) => {
    const { failure } = await refuses("binary_file", () => readBytesAsText(bytes));
    expect(failure.path).toBe("file.txt");
  });

  it("does not look for NUL beyond 8 KiB", async () => {
    expect((await readBytesAsText(Buffer.from(`${"a".repeat(8192)}\0`))).encoding).toBe("utf-8");
  });

  it("refuses half a UTF-16 unit, an unknown encoding, and bytes that the declared encoding does not have", async () => {
    await refuses("not_text", () => readBytesAsText(Buffer.of(0xff, 0xfe, 0x61)));
    await refuses("invalid_input", () => readBytesAsText(Buffer.from("a"), "klingon"));
    await refuses("invalid_input", () => readBytesAsText(Buffer.from("YQ=="), "base64"));
    await refuses("not_text", () => readBytesAsText(Buffer.of(0x61, 0x81), "windows-1252"));
  });
});

it.each([
  ["a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n"],
  ["a\rb\r", "x\ny", "x\ny"],
  ["a\r\n", "x\r\ny\n", "x\r\ny\n"],
])("a file like %j that is written as a whole turns %j into %j", async (file, body, expected) => {
  expect((await bytesAfter(Buffer.from(file), () => ({ body }))).toString()).toBe(expected);
});
