// What an edit writes: new bytes inside the splices, the same bytes outside, a refusal where the encoding has no such character.
import iconv from "iconv-lite";
import { Refusal } from "stet";
import { describe, expect, it } from "vitest";
import { bytesAfter, bytesAfterSplices } from "../support/text-file.ts";
import { memoryWorkspace } from "../support/workspace.ts";

async function refusal(work: Promise<unknown>): Promise<Refusal> {
  const error = await work.catch((thrown: unknown) => thrown);
  if (error instanceof Refusal) return error;
  throw new Error(`nothing was refused: ${error}`);
}

/** Replaces the only occurrence of `old` and gives the bytes of the file afterwards. */
function replace(bytes: Uint8Array, old: string, text: string, encoding?: string): Promise<Buffer> {
  const splices = ({ body }: { readonly body: string }) => {
    const start = body.indexOf(old);
    expect(start).not.toBe(-1);
    return { splices: [{ start, end: start + old.length, text }] };
  };
  return bytesAfter(bytes, splices, encoding);
}

const insert = (text: string) => [{ start: 0, end: 0, text }];

describe("an edit", () => {
  it.each([
    ["UTF-8", "utf-8", "\uFEFFgröße = 1;\r\nnext\n"],
    ["UTF-16LE", "utf16-le", "\uFEFFgröße = 1;\r\nnext\n"],
    ["UTF-16BE", "utf16-be", "\uFEFFgröße = 1;\r\nnext\n"],
    ["UTF-8 without mark", "utf-8", "größe 😀 = 1;\r\nnext\n"],
  ])("of %s is made in place", async (_, encoding, body) => {
    const bytes = iconv.encode(body, encoding);
    expect(await replace(bytes, "= 1", "= 2 ä")).toEqual(iconv.encode(body.replace("= 1", "= 2 ä"), encoding));
  });

  it.each([
    ["windows-1252", "café € 1"],
    ["koi8-r", "привет, мир 1"],
    ["shift_jis", "日本語、表 1"],
    ["gb18030", "中文编码 1"],
  ])("of declared %s is made in place", async (encoding, before) => {
    const bytes = iconv.encode(before, encoding);
    const after = iconv.encode(before.replace("1", before.slice(0, 2)), encoding);
    expect(await replace(bytes, "1", before.slice(0, 2), encoding)).toEqual(after);
  });

  it("keeps stray bytes beside it", async () => {
    const bytes = Buffer.from("one \xe9\xff\ntwo\n", "latin1");
    expect(await replace(bytes, "two", "three")).toEqual(Buffer.from("one \xe9\xff\nthree\n", "latin1"));
    const mixed = Buffer.concat([Buffer.from("größe naïve "), Buffer.of(0xe9), Buffer.from(" two")]);
    expect(await replace(mixed, "two", "drüber")).toEqual(
      Buffer.concat([Buffer.from("größe naïve "), Buffer.of(0xe9), Buffer.from(" drüber")]),
    );
  });

  it("takes stray bytes away, and puts back those that the file had", async () => {
    const bytes = Buffer.from("a \xe9\xff b", "latin1");
    expect(await replace(bytes, "\udce9", "")).toEqual(Buffer.from("a \xff b", "latin1"));
    expect(await replace(bytes, "\udcff b", "b \udcff")).toEqual(Buffer.from("a \xe9b \xff", "latin1"));
  });

  it("of many places is made at each", async () => {
    const splices = Array.from({ length: 10_000 }, (_, line) => ({ start: line * 2, end: line * 2 + 1, text: "yy" }));
    const after = await bytesAfterSplices(Buffer.from("x\n".repeat(10_000)), splices);
    expect(after.toString()).toBe("yy\n".repeat(10_000));
  });

  it("through half a surrogate pair is made when whole characters come out", async () => {
    const bytes = Buffer.from("a😀b");
    const [from, to] = ["😀", "😁"];
    expect(from[0]).toBe(to[0]);
    expect((await bytesAfterSplices(bytes, [{ start: 2, end: 3, text: to[1]! }])).toString()).toBe("a😁b");
    expect((await refusal(bytesAfterSplices(bytes, [{ start: 2, end: 2, text: "x" }]))).kind).toBe("not_text");
    const halves = [
      { start: 1, end: 2, text: "" },
      { start: 2, end: 3, text: "" },
    ];
    expect((await bytesAfterSplices(bytes, halves)).toString()).toBe("ab");
  });

  it("after which bytes would mean something else is refused", async () => {
    const stray = Buffer.concat([Buffer.from("éé "), Buffer.of(0xc3), Buffer.from("x"), Buffer.of(0xa9)]);
    expect((await refusal(replace(stray, "x", ""))).failure).toMatchObject({
      kind: "not_text",
      path: "file.txt",
      message: expect.stringContaining("read differently"),
    });
    expect((await refusal(replace(Buffer.from("a\uFEFFb"), "a", ""))).failure.message).toContain("U+FEFF");
    expect((await refusal(replace(Buffer.from("ab"), "a", "\uFEFFa"))).failure.message).toContain("U+FEFF");
  });

  it.each([
    ["€", "U+20AC", "iso-8859-1"],
    ["😀", "U+1F600", "windows-1252"],
    ["é", "U+00E9", "koi8-r"],
  ])("with %s (%s) in %s is refused, saying where it stands", async (character, code, encoding) => {
    const { failure } = await refusal(
      bytesAfterSplices(Buffer.from("plain"), insert(`one\ntwo ${character}`), encoding),
    );
    expect(failure).toMatchObject({ kind: "not_text", details: { character: code, at: 8, encoding } });
    expect(failure.message).toContain("line 2, column 5");
    expect(failure.suggestedAction).toContain('encoding "utf-8"');
  });

  it("with half pairs or NUL is refused, whatever the encoding", async () => {
    for (const encoding of ["utf-8", "utf-16le", "latin1"]) {
      const bytes = Buffer.from("plain!", "latin1");
      for (const text of ["\ud83d", "\udce9", "\ude00x"]) {
        const { failure } = await refusal(bytesAfterSplices(bytes, insert(text), encoding));
        expect(failure.message).toContain("half of a surrogate pair");
      }
      expect((await refusal(bytesAfterSplices(bytes, insert("a\0"), encoding))).failure.message).toContain("NUL");
    }
  });

  it("with half a pair is made only in UTF-16 that has one already; an emoji is none", async () => {
    const wide = (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le");
    expect((await refusal(bytesAfterSplices(wide("a😀"), insert("\ud83d")))).kind).toBe("not_text");
    expect(await bytesAfterSplices(wide("a\ud83d"), insert("\ud83e"))).toEqual(wide("\ud83ea\ud83d"));
  });

  it("adds only ASCII to a file in an unknown encoding", async () => {
    const bytes = Buffer.from("caf\xe9 one", "latin1");
    expect(await replace(bytes, "one", "two")).toEqual(Buffer.from("caf\xe9 two", "latin1"));
    expect((await refusal(replace(bytes, "one", "zwölf"))).failure).toMatchObject({
      kind: "not_text",
      suggestedAction: "Use only ASCII in the new text, or name the file's encoding.",
    });
    expect(await replace(bytes, "one", "zwölf", "latin1")).toEqual(Buffer.from("caf\xe9 zw\xf6lf", "latin1"));
  });

  it("with the notation of a stray byte where the byte itself was is refused", async () => {
    const bytes = Buffer.from("caf\xe9 one\n", "latin1");
    expect((await refusal(replace(bytes, "caf\udce9 one", "caf\\xE9 two"))).failure.message).toContain("\\xE9");
    expect((await refusal(bytesAfter(bytes, () => ({ body: "caf\\xE9 two\n" })))).kind).toBe("not_text");
    expect((await refusal(replace(bytes, "one", "\\xE9"))).kind).toBe("not_text");
    expect(await replace(bytes, "one", "\\xE8")).toEqual(Buffer.from("caf\xe9 \\xE8\n", "latin1"));
  });
});

describe("a whole new text", () => {
  const wide = (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le").swap16();

  it("keeps the encoding and the mark of the old file, once", async () => {
    for (const body of ["new ä", "\uFEFFnew ä"])
      expect(await bytesAfter(wide("old"), () => ({ body }))).toEqual(wide("new ä"));
  });

  it("of a new file is written as it is given, in UTF-8", async () => {
    const session = memoryWorkspace({}).session();
    await session.create("new", "\uFEFFa\r\nb — $& $$");
    expect(Buffer.concat((await session.readBytes("new")).version.parts)).toEqual(Buffer.from("\uFEFFa\r\nb — $& $$"));
    expect((await refusal(session.create("half", "a\ud800"))).kind).toBe("not_text");
  });

  it("is written in another encoding when asked", async () => {
    const old = Buffer.from("caf\xe9", "latin1");
    const written = (encoding?: string) => bytesAfter(old, () => ({ body: "5 €", ...(encoding && { encoding }) }));
    expect((await refusal(written())).kind).toBe("not_text");
    expect(await written("utf-8")).toEqual(Buffer.from("5 €"));
    expect(await written("windows-1252")).toEqual(Buffer.from("5 \x80", "latin1"));
    expect(await written("utf-16be")).toEqual(wide("5 €"));
    expect((await refusal(written("klingon"))).kind).toBe("invalid_input");
  });
});
