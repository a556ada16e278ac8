// For any bytes: decoding loses nothing, and an edit changes no byte outside itself.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../src/core/failure.ts";
import { applySplices, type Splice } from "../../src/edit/text/splice.ts";
import { decode, encodeSplices, encodeWhole, type Text } from "../../src/kernel/text/text.ts";
import { anyCharacter } from "../support/any-character.ts";

const RUNS = { numRuns: 400 };

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
const declared = fc.constantFrom(undefined, undefined, undefined, "utf-8", "latin1", "koi8-r", "windows-1251", "ascii");
const newText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 8 }),
  fc.constantFrom("", "x", "\r\n", "\n", "é", "\udce9", "\udca9", "\ud83d", "\ude00", "\uFEFF", "€", "\\xE9", "\0"),
);

/** Cuts bytes at arbitrary places: a file does not come in one part only. */
function inParts(bytes: Buffer, cut: number): Uint8Array[] {
  const at = bytes.length === 0 ? 0 : cut % bytes.length;
  return [bytes.subarray(0, at), bytes.subarray(at)];
}

function decodeOrRefuse(bytes: Buffer, cut: number, encoding: string | undefined): Text | undefined {
  return unlessRefused(() => decode(inParts(bytes, cut), encoding === undefined ? {} : { encoding }));
}

function unlessRefused<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    expect(["not_text", "binary_file"]).toContain(error.kind);
    return undefined;
  }
}

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

describe("decode and encode", () => {
  it("give back exactly the bytes that went in, or refuse", () => {
    fc.assert(
      fc.property(anyBytes, fc.nat(), declared, (bytes, cut, encoding) => {
        const text = decodeOrRefuse(bytes, cut, encoding);
        if (text === undefined) return;
        expect(Buffer.concat(encodeSplices(text, []))).toEqual(bytes);
        expect(Buffer.concat(encodeWhole(text, text.body))).toEqual(bytes);
        if (!text.encoding.startsWith("utf-")) expect(text.body).not.toContain("\uFFFD");
      }),
      { numRuns: 1000 },
    );
  });

  it("give the body that the splices say, or refuse", () => {
    fc.assert(
      fc.property(anyBytes, fc.nat(), declared, places, (bytes, cut, encoding, where) => {
        const text = decodeOrRefuse(bytes, cut, encoding);
        if (text === undefined) return;
        const splices = splicesIn(text.body, where);
        const parts = unlessRefused(() => encodeSplices(text, splices));
        if (parts === undefined) return;
        const intended = applySplices(text.body, splices);
        const again = text.codec.decode(Buffer.concat(parts).subarray(text.bomBytes));
        expect(again).toBe(intended);
      }),
      { numRuns: 1500 },
    );
  });

  it("leave every byte outside the splices as it was", () => {
    fc.assert(
      fc.property(anyBytes, fc.nat(), declared, places, (bytes, cut, encoding, where) => {
        const text = decodeOrRefuse(bytes, cut, encoding);
        if (text === undefined) return;
        // A marker before, between and after the kept spans shows where they lie in the result, whatever the encoding.
        const splices = splicesIn(text.body, where).map((splice) => ({ ...splice, text: "<splice>" }));
        const parts = unlessRefused(() => encodeSplices(text, splices));
        if (parts === undefined) return;
        const marker = text.codec.encode("<splice>");
        let rest = Buffer.concat(parts);
        let original = bytes;
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
      RUNS,
    );
  });

  it("refuse or write a whole new body that reads back as it was given", () => {
    fc.assert(
      fc.property(anyBytes, fc.nat(), fc.array(newText, { maxLength: 4 }), (bytes, cut, pieces) => {
        const text = decodeOrRefuse(bytes, cut, undefined);
        if (text === undefined) return;
        const body = pieces.join("");
        const parts = unlessRefused(() => encodeWhole(text, body));
        if (parts === undefined) return;
        const again = text.codec.decode(Buffer.concat(parts).subarray(text.bomBytes));
        const markRepeated = text.bom && !text.body.startsWith("\uFEFF");
        expect(again).toBe(markRepeated ? body.replace(/^\uFEFF/, "") : body);
        expect(Buffer.concat(parts).subarray(0, text.bomBytes)).toEqual(bytes.subarray(0, text.bomBytes));
      }),
      RUNS,
    );
  });
});
