import { hash as nativeHash } from "node:crypto";
import { ANCHOR_FORMAT_VERSION, anchorIndex, contextHash, fileVersion, lineDigest, lineHash } from "stet/edit";
import { describe, expect, it } from "vitest";

describe("line hash", () => {
  it("is the first 6 characters of the MD5 of the trimmed line", () => {
    expect(lineHash("}")).toBe("cbb184");
    expect(lineHash("")).toBe("d41d8c");
    expect(lineHash("return;")).toBe("505b97");
  });

  it("ignores outer whitespace, a carriage return, NBSP and a byte order mark", () => {
    for (const line of ["\treturn;", "return;  ", "return;\r", "\u00A0return;", "\uFEFFreturn;"]) {
      expect(lineHash(line)).toBe("505b97");
    }
    expect(lineHash("return ;")).not.toBe("505b97");
  });

  it("does not depend on the line number", () => {
    const [first, , third] = anchorIndex("same\nother\nsame\n").lines;
    expect(first?.hash).toBe(third?.hash);
  });
});

describe("MD5", () => {
  it("matches the test vectors of RFC 1321", () => {
    const digits = "1234567890".repeat(8);
    expect(["", "a", "abc", "message digest", "abcdefghijklmnopqrstuvwxyz", digits].map(lineDigest)).toEqual([
      "d41d8cd98f00b204e9800998ecf8427e",
      "0cc175b9c0f1b6a831c399e269772661",
      "900150983cd24fb0d6963f7d28e17f72",
      "f96b697d7cb7938d525a2f31aaf161d0",
      "c3fcd3d76192e4007dfb496cca67e13b",
      "57edf4a22be3c955ac49da2e2107b67a",
    ]);
  });
});

describe("context hash", () => {
  it("is the first 8 characters of the MD5 of previous, line and next, all trimmed", () => {
    expect(contextHash("  a", "b ", "\tc")).toBe(nativeHash("md5", "a\nb\nc").slice(0, 8));
  });

  it("takes the nearest non-blank neighbours, and nothing at the edges of the file", () => {
    const index = anchorIndex("first\n\n\n  mid\n \nlast\n");
    expect(index.contextHash(4)).toBe(contextHash("first", "mid", "last"));
    expect(index.contextHash(1)).toBe(contextHash("", "first", "mid"));
    expect(index.contextHash(6)).toBe(contextHash("mid", "last", ""));
    expect(index.contextHash(2)).toBe(contextHash("first", "", "mid"));
  });
});

describe("versions", () => {
  it("names a file version by 8 characters of the SHA-256 of its text", () => {
    expect(fileVersion("hello")).toBe(`fv_${nativeHash("sha256", "hello").slice(0, 8)}`);
    expect(fileVersion(anchorIndex("hello").text)).toBe(fileVersion("hello"));
  });

  it("sees a change of indentation, which line hashes do not", () => {
    expect(fileVersion("  a\n")).not.toBe(fileVersion("a\n"));
  });

  it("tells the format of its anchors", () => {
    expect(ANCHOR_FORMAT_VERSION).toBe("v3");
  });
});
