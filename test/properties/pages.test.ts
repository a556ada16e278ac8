// A page of lines is the same lines of the whole file, however the file is cut into chunks and the page into parts.
import fc from "fast-check";
import { type Backend, type Path, type Session, Workspace } from "stet";
import { memory } from "stet/backends/memory";
import { describe, expect, it } from "vitest";

const RUNS = process.env.STET_HEAVY === "1" ? 500 : 60;

/** Its bytes in the file, and what stands for it in a text. */
interface Character {
  readonly bytes: Buffer;
  readonly text: string;
}

const CHARACTERS: readonly Character[] = [
  { bytes: Buffer.from("a"), text: "a" },
  { bytes: Buffer.from("é"), text: "é" },
  { bytes: Buffer.from("€"), text: "€" },
  { bytes: Buffer.from("😀"), text: "😀" },
  { bytes: Buffer.from("\ufeff"), text: "\ufeff" },
  { bytes: Buffer.of(0xff), text: "\udcff" },
  { bytes: Buffer.of(0xf0), text: "\udcf0" },
];
const NEVER_LAST: Character = { bytes: Buffer.from("\r"), text: "\r" };

interface Line {
  readonly characters: readonly Character[];
  readonly eol: string;
}

const line = fc.record({
  characters: fc
    .array(fc.constantFrom(...CHARACTERS, NEVER_LAST), { maxLength: 12 })
    .map((all) => (all.at(-1) === NEVER_LAST ? [...all, CHARACTERS[0]!] : all)),
  eol: fc.constantFrom("\n", "\r\n"),
});

const file = fc
  .record({ lines: fc.array(line, { minLength: 1, maxLength: 8 }), closed: fc.boolean(), bom: fc.boolean() })
  .map(({ lines, closed, bom }) => {
    // What would be taken for a byte order mark gets one before it.
    const all: Line[] = lines.map((each, n) => ({ ...each, eol: n === lines.length - 1 && !closed ? "" : each.eol }));
    if (all.at(-1)!.eol === "" && all.at(-1)!.characters.length === 0) all.pop();
    const mark = bom || all[0]?.characters[0]?.text === "\ufeff" ? [Buffer.from("\ufeff")] : [];
    const bytes = all.flatMap(({ characters, eol }) => [...characters.map((each) => each.bytes), Buffer.from(eol)]);
    return { lines: all, bytes: Buffer.concat([...mark, ...bytes]) };
  });

const request = fc.record({
  file,
  chunk: fc.integer({ min: 1, max: 9 }),
  from: fc.integer({ min: 1, max: 9 }),
  count: fc.integer({ min: 1, max: 9 }),
  pageBytes: fc.integer({ min: 1, max: 40 }),
});

/** A backend that gives its bytes in chunks of this size. */
function inChunks(bytes: Buffer, size: number): Backend {
  const backend = memory({ files: { f: bytes } });
  return {
    ...backend,
    async stream(path) {
      const chunks = await backend.stream(path);
      if (chunks === null) return null;
      return (async function* () {
        for await (const chunk of chunks)
          for (let at = 0; at < chunk.length; at += size) yield Uint8Array.from(chunk.subarray(at, at + size));
      })();
    },
  };
}

/** Held whole, or too large to be held. */
const HELD = [
  ["held whole", 1_000_000],
  ["read as a page", 1],
] as const;

describe.each(HELD)("a page of a file that is %s", (_how, maxFileBytes) => {
  const sessionOn = (bytes: Buffer, chunk: number) =>
    new Workspace(inChunks(bytes, chunk), { policy: { maxFileBytes } }).session();
  const textOf = (characters: Line["characters"]) => characters.map((each) => each.text).join("");

  it("has the lines asked for, as many as fit, and says where the rest is", async () => {
    await fc.assert(
      fc.asyncProperty(request, async ({ file: { lines, bytes }, chunk, from, count, pageBytes }) => {
        const session = sessionOn(bytes, chunk);
        const options = { encoding: "utf-8", pageBytes };
        const read = await session.read("f", { from, to: from + count - 1 }, options);
        const asked = lines.slice(from - 1, from - 1 + count);
        expect(read.lines).toBe(lines.length);
        const shown = asked.slice(0, read.shown.to - from + 1);
        if (read.isCut) {
          const [first] = asked;
          expect(read.shown).toEqual({ from, to: from });
          expect(read.body).not.toBe("");
          expect(textOf(first!.characters).startsWith(read.body)).toBe(true);
          const fits = first!.characters.findLastIndex(
            (_, n, all) => Buffer.byteLength(textOf(all.slice(0, n + 1))) <= pageBytes,
          );
          expect(read.body).toBe(textOf(first!.characters.slice(0, Math.max(fits, 0) + 1)));
          return;
        }
        expect(read.body).toBe(shown.map(({ characters, eol }) => textOf(characters) + eol).join(""));
        expect(shown.length > 0 || asked.length === 0).toBe(true);
        const nextLine = asked[shown.length];
        if (nextLine !== undefined)
          expect(Buffer.byteLength(read.body + textOf(nextLine.characters))).toBeGreaterThan(pageBytes);
      }),
      { numRuns: RUNS },
    );
  });

  it("line after line, all pages together are the file; only then, and if no line was cut, is all of it seen", async () => {
    await fc.assert(
      fc.asyncProperty(request, async ({ file: { lines, bytes }, chunk, pageBytes }) => {
        const session = sessionOn(bytes, chunk);
        let from = 1;
        let isWhole = true;
        while (from <= lines.length) {
          const options = { encoding: "utf-8", pageBytes };
          const { body, shown, isCut } = await session.read("f", { from, to: Number.MAX_SAFE_INTEGER }, options);
          const expected = lines.slice(shown.from - 1, shown.to);
          const all = expected.map(({ characters, eol }) => textOf(characters) + eol).join("");
          if (isCut) expect(all.startsWith(body)).toBe(true);
          else expect(body).toBe(all);
          isWhole &&= !isCut;
          expect(await isAllSeen(session)).toBe(isWhole && shown.to === lines.length);
          expect(shown.to).toBeGreaterThanOrEqual(from);
          from = shown.to + 1;
        }
      }),
      { numRuns: RUNS },
    );
  });
});

/** Whether an overwrite of the whole file would have nothing to say. */
async function isAllSeen(session: Session): Promise<boolean> {
  const { shown, lines } = (await session.ledger.get("f" as Path))!;
  return shown.length === 1 && shown[0]!.from === 1 && shown[0]!.to >= lines;
}
