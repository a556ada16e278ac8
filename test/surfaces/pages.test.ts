// Page after page, as its words say, every surface shows the lines of a file and nothing else: around every size that matters.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { Workspace } from "stet";
import { afterAll, describe, expect, it } from "vitest";
import { tempDir } from "../support/temp.ts";
import { workspaceIn } from "../support/workspace.ts";
import { READERS, type Reader } from "./page-readers.ts";

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

/** What is shown from a line on, by following the words: at most so many lines. */
async function walked(reader: Reader, session: ReturnType<Workspace["session"]>, { name, lines }: Made, from: number) {
  const seen = new Map<number, string>();
  const todo = [from];
  for (let pages = 0; todo.length > 0 && pages < (HEAVY ? 12 : 4); pages++) {
    const page = await reader.page(session, name, todo.shift()!);
    for (const [line, text] of page.lines) seen.set(line, text);
    expect(page.lines.length, page.text.slice(0, 300)).toBeGreaterThan(0);
    todo.push(...page.next.filter((line) => line <= Math.min(lines.length, from + 400)));
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
        // Of the longest lines only the start is shown.
        const enough = reader.name === "files" ? 2000 : 100_000;
        if (text !== whole) expect(text.length >= enough && whole.startsWith(text), `line ${line}`).toBe(true);
      }
      expect(seen.size).toBeGreaterThanOrEqual(Math.min(1 + total - from, 5));
    }
    const past = await reader.page(session, name, total + 1);
    expect([past.lines, past.text]).toEqual([[], expect.stringMatching(new RegExp(`\\b${total}\\b`))]);
  });

  it.each(["a\nb\n", "a\nb", "a\r\nb\r\n", "\ufeffa\nb\n"])("%j has two lines", async (text) => {
    writeFileSync(join(root, "two.txt"), text);
    const session = held.session();
    const page = await reader.page(session, "two.txt", 1);
    expect(page.lines).toEqual([
      [1, "a"],
      [2, "b"],
    ]);
    expect((await reader.page(session, "two.txt", 3)).text).toMatch(/\b2 lines\b|count 2$/m);
  });
});
