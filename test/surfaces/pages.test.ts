// Page after page, as its words say, every surface shows the lines of a file and nothing else: around every size that matters.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { Workspace } from "stet";
import { afterAll, describe, expect, it } from "vitest";
import { tempDir } from "../support/temp.ts";
import { workspaceIn } from "../support/workspace.ts";
import { type Place, READERS, type Reader } from "./page-readers.ts";

const MIB = 1024 * 1024;

interface Shape {
  readonly eol: (line: number) => string;
  readonly closed: boolean;
  readonly bom: boolean;
}
const SHAPES: readonly Shape[] = [
  { eol: () => "\n", closed: true, bom: false },
  { eol: () => "\r\n", closed: false, bom: true },
  { eol: (line) => (line % 3 === 0 ? "\r\n" : "\n"), closed: true, bom: true },
  { eol: () => "\r\n", closed: true, bom: false },
];

/** Every run crosses every size; one that takes its time looks at both sides of it, at more places and for longer. */
const HEAVY = Boolean(process.env.STET_HEAVY);
const HELD = 3 * MIB;
/** A page of text, what anchors take, what is held whole here and by default; a chunk of a stream, what is read in slices. */
const SIZES = [262_144, 2 * MIB, HELD, 10 * MIB, ...(HEAVY ? [8192, MIB, 4 * MIB] : [])];

interface Made {
  readonly name: string;
  readonly lines: readonly string[];
  readonly size: number;
}

const root = tempDir();
const made = SIZES.flatMap((size, n) =>
  (HEAVY ? [-1, 0, 1] : [0, 1]).map((by, m) => makeFile(size + by, SHAPES[(n + m) % SHAPES.length]!)),
);
const held = workspaceIn(root, { policy: { maxFileBytes: HELD } });
const usual = workspaceIn(root);
afterAll(() => Promise.all([held.close(), usual.close()]));

/** Every line differs, most have characters of several bytes, and some are longer than what is shown of a line or at once. */
function lineOf(n: number, room: number): string {
  const long = n === 1500 ? 1_100_000 : n === 700 ? 150_000 : n % 400 === 0 ? 3000 : n % 11;
  return `line ${n} é€😀 ${"€".repeat(Math.max(0, Math.min(Math.floor(long / 3), Math.floor(room / 8))))}`;
}

function makeFile(size: number, { eol, closed, bom }: Shape): Made {
  const lines: string[] = [];
  const pieces = bom ? ["\ufeff"] : [];
  let left = size - (bom ? 3 : 0);
  const put = (text: string, end: string): void => {
    lines.push(text);
    pieces.push(text + end);
    left -= Buffer.byteLength(text + end);
  };
  while (left > 5000) put(lineOf(lines.length + 1, left), eol(lines.length + 1));
  const end = closed ? eol(lines.length + 1) : "";
  put("z".repeat(left - end.length), end);
  const name = `${size}.txt`;
  const bytes = Buffer.from(pieces.join(""));
  expect(bytes.length).toBe(size);
  writeFileSync(join(root, name), bytes);
  return { name, lines, size };
}

/** What is shown from a line on, by following the words: at most so many lines, and so many parts of one. */
async function walked(reader: Reader, session: ReturnType<Workspace["session"]>, { name, lines }: Made, from: number) {
  const seen = new Map<number, string>();
  const todo: Place[] = [{ line: from }];
  for (let pages = 0; todo.length > 0 && pages < (HEAVY ? 12 : 4); pages++) {
    const page = await reader.page(session, name, todo.shift()!);
    for (const [line, text] of page.lines) seen.set(line, (seen.get(line) ?? "") + text);
    expect(page.lines.length, page.text.slice(0, 300)).toBeGreaterThan(0);
    // A page of one line tells of the lines behind it, which the page that led to it has shown.
    const fresh = page.next.filter(({ line, column = 1 }) => column > 1 || !seen.has(line));
    todo.push(...fresh.filter(({ line }) => line <= Math.min(lines.length, from + 400)));
  }
  return seen;
}

describe.each(READERS.map((reader) => [reader.name, reader] as const))("%s", (_name, reader) => {
  const readable = made.filter(({ size }) => size <= reader.largest);

  it.each(readable.map((file) => [file.size, file] as const))("shows the lines of %i bytes", async (size, file) => {
    const { lines, name } = file;
    const total = lines.length;
    const starts = [1, 695, 1498, total].filter((line) => line <= total);
    const chance = fc.sample(fc.integer({ min: 1, max: total }), HEAVY ? 5 : 1);
    // What is read in slices is held whole only by a workspace that takes so much.
    const session = (size > 4 * MIB - 2 ? usual : held).session();
    for (const from of HEAVY ? [...starts, ...chance] : [starts[size % starts.length]!, ...chance]) {
      const seen = await walked(reader, session, file, from);
      for (const [line, text] of seen) {
        const whole = lines[line - 1]!;
        // Of the longest lines only the first parts were asked for; `files` tells only of one that it cuts how to go on.
        const enough = reader.name === "files" ? 2000 : 100_000;
        if (text !== whole) expect(text.length >= enough && whole.startsWith(text), `line ${line}`).toBe(true);
      }
      expect(seen.size).toBeGreaterThanOrEqual(Math.min(1 + total - from, 5));
    }
    const past = await reader.page(session, name, { line: total + 1 });
    expect([past.lines, past.text]).toEqual([[], expect.stringMatching(new RegExp(`\\b${total}\\b`))]);
  });

  it.each(["a\nb\n", "a\nb", "a\r\nb\r\n", "\ufeffa\nb\n"])("%j has two lines", async (text) => {
    writeFileSync(join(root, "two.txt"), text);
    const session = held.session();
    const page = await reader.page(session, "two.txt", { line: 1 });
    expect(page.lines).toEqual([
      [1, "a"],
      [2, "b"],
    ]);
    expect((await reader.page(session, "two.txt", { line: 3 })).text).toMatch(/\b2 lines\b|count 2$/m);
  });

  it("goes into a line at a column, and says where there is none", async () => {
    writeFileSync(join(root, "in.txt"), "😀😀\u00e9 middle end\nnext\n");
    const session = held.session();
    expect((await reader.page(session, "in.txt", { line: 1, column: 3 })).lines[0]).toEqual([1, "é middle end"]);
    const { text } = await reader.page(session, "in.txt", { line: 1, column: 99 });
    expect(text).toMatch(/Line 1 of in\.txt has 14 characters: there is nothing at column 99\./);
    expect(text).toContain("Use a column between 1 and 14, or read the next line.");
  });

  it("shows a line of any length part after part, as its words say", async () => {
    const lines = Array.from({ length: 3 }, (_, n) => `${n}${"é😀€ab".repeat(n === 1 ? 3000 : 1)}`);
    writeFileSync(join(root, "parts.txt"), `${lines.join("\n")}\n`);
    const session = held.session();
    let shown = "";
    for (let at: Place | undefined = { line: 2 }; at?.line === 2; ) {
      const page = await reader.page(session, "parts.txt", at);
      shown += page.lines.find(([line]) => line === 2)?.[1];
      at = page.next[0];
    }
    expect(shown).toBe(lines[1]);
  });
});
