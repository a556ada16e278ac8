// What an edit writes: new bytes inside the splices, the same bytes outside, a refusal where the encoding has no such character.
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../src/core/failure.ts";
import { decode, encodeSplices, encodeWhole } from "../../src/kernel/text/text.ts";

function refusal(run: () => unknown): Refusal {
  try {
    run();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

/** Replaces the only occurrence of `old` and gives the bytes of the file afterwards. */
function replace(bytes: Uint8Array | readonly Uint8Array[], old: string, text: string, encoding?: string): Buffer {
  const file = decode(bytes, encoding === undefined ? {} : { encoding });
  const start = file.body.indexOf(old);
  expect(start).not.toBe(-1);
  return Buffer.concat(encodeSplices(file, [{ start, end: start + old.length, text }]));
}

describe("encodeSplices", () => {
  it.each([
    ["UTF-8", "utf-8", "\uFEFFgröße = 1;\r\nnext\n"],
    ["UTF-16LE", "utf16-le", "\uFEFFgröße = 1;\r\nnext\n"],
    ["UTF-16BE", "utf16-be", "\uFEFFgröße = 1;\r\nnext\n"],
    ["UTF-8 without mark", "utf-8", "größe 😀 = 1;\r\nnext\n"],
  ])("edits %s in place", (_, encoding, body) => {
    const bytes = iconv.encode(body, encoding);
    expect(replace(bytes, "= 1", "= 2 ä")).toEqual(iconv.encode(body.replace("= 1", "= 2 ä"), encoding));
  });

  it.each([["windows-1252"], ["iso-8859-15"], ["koi8-r"], ["shift_jis"], ["gb18030"], ["big5"]])(
    "edits declared %s in place",
    (encoding) => {
      const before =
        { "koi8-r": "привет, мир 1", shift_jis: "日本語、表 1", gb18030: "中文编码 1", big5: "中文編碼 1" }[encoding] ??
        "café € 1";
      const bytes = iconv.encode(before, encoding);
      expect(replace(bytes, "1", before.slice(0, 2), encoding)).toEqual(
        iconv.encode(before.replace("1", before.slice(0, 2)), encoding),
      );
    },
  );

  it("keeps stray bytes beside the edit", () => {
    const bytes = Buffer.from("one \xe9\xff\ntwo\n", "latin1");
    expect(replace(bytes, "two", "three")).toEqual(Buffer.from("one \xe9\xff\nthree\n", "latin1"));
    const mixed = Buffer.concat([Buffer.from("größe naïve "), Buffer.of(0xe9), Buffer.from(" two")]);
    expect(replace(mixed, "two", "drüber")).toEqual(
      Buffer.concat([Buffer.from("größe naïve "), Buffer.of(0xe9), Buffer.from(" drüber")]),
    );
  });

  it("takes stray bytes away, and puts back those that the file had", () => {
    const bytes = Buffer.from("a \xe9\xff b", "latin1");
    expect(replace(bytes, "\udce9", "")).toEqual(Buffer.from("a \xff b", "latin1"));
    expect(replace(bytes, "\udcff b", "b \udcff")).toEqual(Buffer.from("a \xe9b \xff", "latin1"));
  });

  it("edits a file that comes in parts which cut a character", () => {
    const bytes = Buffer.from("é".repeat(50_000));
    const parts = encodeSplices(decode([bytes.subarray(0, 40_001), bytes.subarray(40_001)]), [
      { start: 30_000, end: 30_001, text: "x" },
    ]);
    expect(Buffer.concat(parts).toString()).toBe(`${"é".repeat(30_000)}x${"é".repeat(19_999)}`);
  });

  it("joins the parts of many splices", () => {
    const body = "x\n".repeat(100_000);
    const splices = Array.from({ length: 100_000 }, (_, line) => ({ start: line * 2, end: line * 2 + 1, text: "yy" }));
    const parts = encodeSplices(decode(Buffer.from(body)), splices);
    expect(Buffer.concat(parts).toString()).toBe("yy\n".repeat(100_000));
    expect(parts.length).toBeLessThan(10);
  });

  it("edits through half a surrogate pair when whole characters come out", () => {
    const file = decode(Buffer.from("a😀b"));
    const [from, to] = ["😀", "😁"];
    expect(from[0]).toBe(to[0]);
    expect(Buffer.concat(encodeSplices(file, [{ start: 2, end: 3, text: to[1]! }])).toString()).toBe("a😁b");
    expect(refusal(() => encodeSplices(file, [{ start: 2, end: 2, text: "x" }])).kind).toBe("not_text");
    const halves = [
      { start: 1, end: 2, text: "" },
      { start: 2, end: 3, text: "" },
    ];
    expect(Buffer.concat(encodeSplices(file, halves)).toString()).toBe("ab");
  });

  it("refuses an edit after which bytes would mean something else", () => {
    const stray = Buffer.concat([Buffer.from("éé "), Buffer.of(0xc3), Buffer.from("x"), Buffer.of(0xa9)]);
    const failure = refusal(() => replace(stray, "x", "")).failure;
    expect(failure).toMatchObject({ kind: "not_text", message: expect.stringContaining("read differently") });
    expect(refusal(() => replace(Buffer.from("a\uFEFFb"), "a", "")).failure.message).toContain("U+FEFF");
    expect(refusal(() => replace(Buffer.from("ab"), "a", "\uFEFFa")).failure.message).toContain("U+FEFF");
    const marked = decode(Buffer.from("ab"), { path: "a.txt" });
    const splices = [{ start: 0, end: 1, text: "\uFEFF" }];
    expect(refusal(() => encodeSplices(marked, splices)).failure).toMatchObject({ kind: "not_text", path: "a.txt" });
  });

  it.each([
    ["€", "U+20AC", "iso-8859-1"],
    ["😀", "U+1F600", "windows-1252"],
    ["я", "U+044F", "windows-1252"],
    ["é", "U+00E9", "koi8-r"],
    ["\uFFFD", "U+FFFD", "windows-1251"],
  ])("refuses %s (%s) in %s, saying where it stands", (character, code, encoding) => {
    const file = decode(Buffer.from("plain"), { encoding, path: "old.txt" });
    const { failure } = refusal(() => encodeSplices(file, [{ start: 0, end: 0, text: `one\ntwo ${character}` }]));
    expect(failure).toMatchObject({ kind: "not_text", path: "old.txt", details: { character: code, at: 8, encoding } });
    expect(failure.message).toContain("line 2, column 5");
    expect(failure.suggestedAction).toContain('encoding "utf-8"');
  });

  it("refuses half pairs in every encoding, and NUL", () => {
    for (const encoding of ["utf-8", "utf-16le", "latin1", "windows-1252", "ascii"]) {
      const file = decode(Buffer.from("plain!", "latin1"), { encoding });
      for (const text of ["\ud83d", "\udce9", "\ude00x"]) {
        expect(refusal(() => encodeSplices(file, [{ start: 0, end: 0, text }])).failure.message).toContain(
          "half of a surrogate pair",
        );
      }
      expect(refusal(() => encodeSplices(file, [{ start: 0, end: 0, text: "a\0" }])).failure.message).toContain("NUL");
    }
  });

  it("adds only ASCII to a file in an unknown encoding", () => {
    const bytes = Buffer.from("caf\xe9 one", "latin1");
    expect(replace(bytes, "one", "two")).toEqual(Buffer.from("caf\xe9 two", "latin1"));
    expect(refusal(() => replace(bytes, "one", "zwölf")).failure).toMatchObject({
      kind: "not_text",
      suggestedAction: "Use only ASCII in the new text, or name the file's encoding.",
    });
    expect(replace(bytes, "one", "zwölf", "latin1")).toEqual(Buffer.from("caf\xe9 zw\xf6lf", "latin1"));
  });

  it("refuses the notation of a stray byte where the byte itself was", () => {
    const bytes = Buffer.from("caf\xe9 one\n", "latin1");
    expect(refusal(() => replace(bytes, "caf\udce9 one", "caf\\xE9 two")).failure.message).toContain("\\xE9");
    expect(refusal(() => encodeWhole(decode(bytes), "caf\\xE9 two\n")).kind).toBe("not_text");
    expect(replace(bytes, "one", "\\xE9")).toEqual(Buffer.from("caf\xe9 \\xE9\n", "latin1"));
  });

  it("treats overlapping splices as a defect, not as a refusal", () => {
    const overlapping = [
      { start: 0, end: 2, text: "" },
      { start: 1, end: 3, text: "" },
    ];
    expect(() => encodeSplices(decode(Buffer.from("abcd")), overlapping)).toThrow(RangeError);
    expect(() => encodeSplices(decode(Buffer.from("abcd")), [{ start: 3, end: 9, text: "" }])).toThrow(RangeError);
  });
});

describe("encodeWhole", () => {
  it("keeps the encoding and the mark of the old file, once", () => {
    const old = decode(Buffer.from("\uFEFFold", "utf16le").swap16());
    const expected = Buffer.from("\uFEFFnew ä", "utf16le").swap16();
    expect(Buffer.concat(encodeWhole(old, "new ä"))).toEqual(expected);
    expect(Buffer.concat(encodeWhole(old, "\uFEFFnew ä"))).toEqual(expected);
  });

  it("writes a new file as it is given, in UTF-8", () => {
    expect(Buffer.concat(encodeWhole(null, "\uFEFFa\r\nb — $& $$"))).toEqual(Buffer.from("\uFEFFa\r\nb — $& $$"));
    expect(refusal(() => encodeWhole(null, "a\ud800")).kind).toBe("not_text");
  });

  it("writes in another encoding when asked", () => {
    const old = decode(Buffer.from("caf\xe9", "latin1"));
    expect(refusal(() => encodeWhole(old, "5 €")).kind).toBe("not_text");
    expect(Buffer.concat(encodeWhole(old, "5 €", "utf-8"))).toEqual(Buffer.from("5 €"));
    expect(Buffer.concat(encodeWhole(old, "5 €", "windows-1252"))).toEqual(Buffer.from("5 \x80", "latin1"));
    expect(Buffer.concat(encodeWhole(null, "ab", "utf-16be"))).toEqual(Buffer.from("\uFEFFab", "utf16le").swap16());
    expect(refusal(() => encodeWhole(null, "ab", "klingon")).kind).toBe("invalid_input");
  });
});
