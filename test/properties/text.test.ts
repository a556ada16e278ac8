// For any bytes: decoding loses nothing, and an edit changes no byte outside itself.
import fc from "fast-check";
import iconv from "iconv-lite";
import type { ReadResult, Splice } from "stet";
import { applySplices } from "stet/edit";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../support/any-character.ts";
import { bytesAfter, bytesAfterSplices, readBytesAsText, unlessRefused } from "../support/text-file.ts";

const RUNS = process.env.STET_HEAVY === "1" ? 2000 : 60;

// Fragments that collide: halves of UTF-8 sequences, marks, CR and LF apart, accents in single-byte encodings.
const fragment = fc.constantFrom<readonly number[]>(
  [...Buffer.from("const a = 1;\n")],
  [...Buffer.from("größe naïve —\r\n")],
  [...Buffer.from("😀😁")],
  [...Buffer.from("日本語\r")],
  [0xe9],
  [0xc3],
  [0xa9],
  [0xed, 0xa0, 0x80],
  [0xf0, 0x9f, 0x98],
  [0x80, 0xbf],
  [0xef, 0xbb, 0xbf],
  [0xff],
  [0x0d],
  [0x0a],
);
const narrow = fc
  .array(fc.oneof({ weight: 4, arbitrary: fragment }, fc.array(fc.integer({ min: 1, max: 255 }), { maxLength: 6 })), {
    maxLength: 12,
  })
  .map((parts) => Buffer.from(parts.flat()));
const wide = fc.tuple(fc.string({ unit: anyCharacter, maxLength: 40 }), fc.boolean()).map(([body, big]) => {
  const bytes = Buffer.from(`\uFEFF${body.replaceAll("\0", "0")}`, "utf16le");
  return big ? bytes.swap16() : bytes;
});
const anyBytes = fc.oneof(
  { weight: 4, arbitrary: narrow },
  { weight: 2, arbitrary: wide },
  fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
);
const declared = fc.constantFrom(undefined, undefined, undefined, "utf-8", "latin1", "koi8-r");
const newText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 8 }),
  fc.constantFrom("", "x", "\r\n", "\n", "é", "\udce9", "\udca9", "\ud83d", "\ude00", "\uFEFF", "€", "\\xE9", "\0"),
);

function splicesIn(body: string, places: readonly (readonly [number, number, string])[]): Splice[] {
  const splices: Splice[] = [];
  let from = 0;
  for (const [skip, length, text] of places) {
    const start = Math.min(from + skip, body.length);
    const end = Math.min(start + length, body.length);
    splices.push({ start, end, text });
    from = end;
  }
  return splices;
}

const places = fc.array(fc.tuple(fc.nat(12), fc.nat(6), newText), { maxLength: 4 });

/** Kinds of refusal that are an answer to bytes, or to a text for them. */
const NO_TEXT = ["not_text", "binary_file"] as const;
const read = (bytes: Buffer, encoding?: string) => unlessRefused(readBytesAsText(bytes, encoding), ...NO_TEXT);
const splice = (bytes: Buffer, splices: readonly Splice[], encoding?: string) =>
  unlessRefused(bytesAfterSplices(bytes, splices, encoding), ...NO_TEXT);

describe("any bytes", () => {
  it("are as they were after an edit of nothing, and after they were written as they were read, or are refused", async () => {
    await fc.assert(
      fc.asyncProperty(anyBytes, declared, async (bytes, encoding) => {
        const text = await read(bytes, encoding);
        if (text === undefined) return;
        expect(await bytesAfterSplices(bytes, [], encoding)).toEqual(bytes);
        expect(await bytesAfter(bytes, ({ body }) => ({ body }), encoding)).toEqual(bytes);
        if (!text.encoding.startsWith("utf-")) expect(text.body).not.toContain("\uFFFD");
      }),
      { numRuns: 4 * RUNS },
    );
  });

  it("read as the splices say after an edit, or the edit is refused", async () => {
    await fc.assert(
      fc.asyncProperty(anyBytes, declared, places, async (bytes, encoding, where) => {
        const text = await read(bytes, encoding);
        if (text === undefined) return;
        const splices = splicesIn(text.body, where);
        const after = await splice(bytes, splices, encoding);
        if (after === undefined) return;
        const now = await readAlike(after, text, encoding);
        if (now !== undefined) expect(now).toBe(applySplices(text.body, splices));
      }),
      { numRuns: 5 * RUNS },
    );
  });

  it("outside the splices stay as they were", async () => {
    await fc.assert(
      fc.asyncProperty(anyBytes, declared, places, async (bytes, encoding, where) => {
        const text = await read(bytes, encoding);
        if (text === undefined) return;
        // A marker before, between and after the kept spans shows where they lie in the result, whatever the encoding.
        const splices = splicesIn(text.body, where).map((each) => ({ ...each, text: "<splice>" }));
        const after = await splice(bytes, splices, encoding);
        if (after === undefined) return;
        const marker = iconv.encode("<splice>", text.encoding.startsWith("utf-16") ? text.encoding : "latin1");
        let rest: Buffer = after;
        let original: Buffer = bytes;
        for (let n = 0; n < splices.length; n++) {
          const at = rest.indexOf(marker);
          expect(at).not.toBe(-1);
          expect(original.subarray(0, at)).toEqual(rest.subarray(0, at));
          rest = rest.subarray(at + marker.length);
          // What is left of the original must end with what is left of the result, up to the next marker.
          const kept = rest.indexOf(marker) === -1 ? rest.length : rest.indexOf(marker);
          const next = original.indexOf(rest.subarray(0, kept), at);
          expect(next).not.toBe(-1);
          original = n === splices.length - 1 ? rest : original.subarray(next);
        }
        expect(bytes.subarray(bytes.length - rest.length)).toEqual(rest);
      }),
      { numRuns: 2 * RUNS },
    );
  });

  it("of a whole new text read back as it was given, behind the mark that the file had, or it is refused", async () => {
    await fc.assert(
      fc.asyncProperty(anyBytes, fc.array(newText, { maxLength: 4 }), async (bytes, pieces) => {
        const text = await read(bytes);
        if (text === undefined) return;
        // Line ends are those of the file; that is tested elsewhere.
        const body = pieces.join("").replaceAll(/\r|\n/g, "");
        const after = await unlessRefused(
          bytesAfter(bytes, () => ({ body })),
          ...NO_TEXT,
        );
        if (after === undefined) return;
        const now = await readAlike(after, text, undefined);
        // A mark at the start of the text is that of the file.
        if (now !== undefined) expect([body, body.replace(/^\uFEFF/, "")]).toContain(now);
        if (text.bom) expect((await read(after))?.bom).toBe(true);
      }),
      { numRuns: 2 * RUNS },
    );
  });
});

/** What the bytes say in the encoding that the file had; undefined where nobody can know which that is. */
async function readAlike(after: Buffer, before: ReadResult, encoding: string | undefined): Promise<string | undefined> {
  if (encoding !== undefined) return (await read(after, encoding))?.body;
  if (before.encoding !== "unknown-8bit") return (await read(after, before.encoding))?.body;
  const now = await read(after);
  return now?.encoding === before.encoding ? now.body : undefined;
}
