// Reads the lines that ripgrep prints: `path NUL line ":" column ":" text`, and `path NUL line "-" text` for context.
import { isUtf8 } from "node:buffer";
import type { Path } from "../core/backend.ts";
import { decodeEscaped } from "../kernel/text/encoding.ts";
import { displayable } from "../kernel/text/text.ts";
import type { FileHits, Wanted } from "./engine.ts";
import type { GrepHit } from "./grep.ts";
import type { Scope } from "./scope.ts";

/** Takes the output as it comes. */
export interface OutputReader {
  /** "stop" when there is enough. */
  take(chunk: Buffer): "stop" | undefined;
  /** Hits, or files in the other modes, of the files that are read to their end. */
  readonly number: number;
  /** Call it when there is no more output. */
  end(): readonly FileHits[];
  /** Some file turned out to be binary: its lines are left out. */
  readonly sawBinary: boolean;
}

/** Longer lines are not printed, but said to be left out: whatever is printed is held in memory. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** Marks around a match, which no file has: they separate matches in the same line or in adjacent lines. */
const MARK = crypto.randomUUID().slice(0, 8);
const OPEN = `${MARK}<`;
const CLOSE = `${MARK}>`;

export function outputArguments(wanted: Wanted): string[] {
  const { mode, before, after, enough, pattern } = wanted;
  const isLimited = mode === "lines" && Number.isSafeInteger(enough) && !pattern.multiline;
  const max = mode === "files" ? 1 : isLimited ? enough : undefined;
  return [
    ...["--null", "--with-filename", "--line-number", "--no-heading", "--color=never", "--no-context-separator"],
    ...["--max-columns", String(MAX_LINE_BYTES)],
    ...(isPlain(wanted) ? [] : ["--column"]),
    ...(max === undefined ? [] : ["--max-count", String(max)]),
    ...(mode === "lines" ? ["--before-context", String(before), "--after-context", String(after)] : []),
    ...(pattern.multiline ? ["--replace", `${OPEN}\${0}${CLOSE}`] : []),
  ];
}

/** A plain word is found in its line by indexOf, which is faster than to have ripgrep look for its column. */
function isPlain({ pattern: { text, literal, caseSensitive, multiline } }: Wanted): boolean {
  if (!caseSensitive || multiline || !/^[\x20-\x7e]+$/.test(text)) return false;
  return literal || !/[\\^$.|?*+()[\]{}]/.test(text);
}

interface PrintedLine {
  readonly line: number;
  /** In characters; 0 for context. */
  readonly column: number;
  readonly text: string;
}

export function readOutput(wanted: Wanted, scope: Scope): OutputReader {
  const { mode, enough, pattern } = wanted;
  const files: FileHits[] = [];
  const word = isPlain(wanted) ? pattern.text : undefined;
  const reader = { take, number: 0, end, sawBinary: false };
  let held: Buffer = Buffer.alloc(0);
  /** The file whose lines come, as printed with one character for each byte, and its lines if they are wanted. */
  let name = "";
  let current: { readonly path: Path; lines: PrintedLine[]; matched: number } | undefined;
  if (scope.at.kind === "file") begin(Buffer.from(`./${scope.at.path}`).toString("latin1"));

  function take(chunk: Buffer): "stop" | undefined {
    const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    held = chunk.includes(LF) ? bytes.subarray(takeRecords(bytes)) : bytes;
    const inCurrent = mode === "lines" && !pattern.multiline ? (current?.matched ?? 0) : 0;
    return reader.number + inCurrent >= enough ? "stop" : undefined;
  }

  /** Takes all whole records and returns where the next one begins. */
  function takeRecords(bytes: Buffer): number {
    // One character for each byte, so that places in one are places in the other.
    const output = bytes.toString("latin1");
    for (let from = 0; ; ) {
      let start = from + name.length;
      if (output[start] !== "\0" || !output.startsWith(name, from)) {
        const next = output.indexOf("\n", from) + 1;
        if (next > 0 && isBinaryMessage(output, from)) {
          reader.sawBinary = true;
          current = undefined;
          from = next;
          continue;
        }
        start = output.indexOf("\0", from);
        if (start === -1 || !output.includes("\n", start)) return from;
        begin(output.slice(from, start));
      }
      const end = output.indexOf("\n", start);
      if (end === -1) return from;
      const textEnd = output[end - 1] === "\r" ? end - 1 : end;
      if (current !== undefined) takeLine(current, bytes, output, start + 1, textEnd);
      from = end + 1;
    }
  }

  function isBinaryMessage(output: string, from: number): boolean {
    const after = from + name.length;
    return name !== "" && output.startsWith(name, from) && BINARY.test(output.slice(after, after + 60));
  }

  function begin(printedName: string): void {
    finish();
    name = printedName;
    const path = pathOf(printedName);
    current = path !== undefined && scope.accepts(path) ? { path, lines: [], matched: 0 } : undefined;
  }

  function takeLine(file: NonNullable<typeof current>, bytes: Buffer, output: string, from: number, end: number): void {
    let at = from;
    while (output.charCodeAt(at) >= ZERO && output.charCodeAt(at) <= NINE) at++;
    const isMatch = output[at] === ":";
    if (isMatch) file.matched++;
    if (mode !== "lines" && !pattern.multiline) return;
    const line = Number(output.slice(from, at));
    const start = isMatch && word === undefined ? output.indexOf(":", at + 1) + 1 : at + 1;
    const raw = output.slice(start, end);
    const isDecoded = BEYOND_ASCII.test(raw);
    const decodedTo = (to: number): string => decodeEscaped(bytes.subarray(start, to)).body;
    const text = isDecoded ? displayable(decodedTo(end)) : raw;
    const before = word === undefined ? Number(output.slice(at + 1, start - 1)) - 1 : raw.indexOf(word);
    const prefix = isDecoded ? [...decodedTo(start + before)].length : before;
    file.lines.push({ line, column: isMatch ? prefix + 1 : 0, text });
  }

  function finish(): void {
    if (current === undefined) return;
    const { path, matched } = current;
    const { lines, spans } = pattern.multiline
      ? withoutMarks(current.lines)
      : { lines: current.lines, spans: spansIn(current.lines) };
    current = undefined;
    const hits = hitsOf(path, lines, spans, wanted);
    const count = pattern.multiline ? hits.length : matched;
    if (count === 0) return;
    files.push({ path, count, hits: mode === "lines" ? hits : [] });
    reader.number += mode === "lines" ? count : 1;
  }

  function end(): readonly FileHits[] {
    finish();
    return files;
  }

  return reader;
}

const LF = 10;
const ZERO = 48;
const NINE = 57;
const BEYOND_ASCII = /[\x80-\xff]/;
const BINARY = /^: (?:WARNING: stopped searching binary file|binary file matches)/;

/** A name that is not valid UTF-8 has no path that leads to it. */
function pathOf(printedName: string): Path | undefined {
  const bytes = Buffer.from(printedName, "latin1");
  return isUtf8(bytes) ? (bytes.toString().replace(/^\.\//, "") as Path) : undefined;
}

/** A match, by the indexes of its first and last printed line. */
interface Span {
  readonly first: number;
  last: number;
  readonly column: number;
}

/** The first match that starts in each line. */
function hitsOf(path: Path, lines: readonly PrintedLine[], spans: readonly Span[], wanted: Wanted): GrepHit[] {
  const hits: GrepHit[] = [];
  for (const { first, last, column } of spans) {
    const { line } = lines[first]!;
    if (hits.at(-1)?.line === line) continue;
    const texts = lines.slice(first, last + 1).map(({ text }) => text);
    hits.push({ path, line, column, text: texts.join("\n"), ...contextOf(lines, first, last, wanted) });
  }
  return hits;
}

function contextOf(
  lines: readonly PrintedLine[],
  first: number,
  last: number,
  { before, after }: Wanted,
): Pick<GrepHit, "before" | "after"> {
  const from = lines[first]!.line - before;
  const to = lines[last]!.line + after;
  const shown = ({ line, text }: PrintedLine) => ({ line, text });
  return {
    before: lines
      .slice(Math.max(0, first - before), first)
      .filter(({ line }) => line >= from)
      .map(shown),
    after: lines
      .slice(last + 1, last + 1 + after)
      .filter(({ line }) => line <= to)
      .map(shown),
  };
}

function spansIn(lines: readonly PrintedLine[]): Span[] {
  return lines.flatMap(({ column }, n) => (column === 0 ? [] : [{ first: n, last: n, column }]));
}

/** Takes the marks around matches out of the lines. */
function withoutMarks(marked: readonly PrintedLine[]): { readonly lines: PrintedLine[]; readonly spans: Span[] } {
  const lines: PrintedLine[] = [];
  const spans: Span[] = [];
  let open: Span | undefined;
  for (const { line, column, text } of marked) {
    // A match that ends with a line break has its closing mark in a line of its own.
    if (open !== undefined && text === CLOSE) {
      open = undefined;
      continue;
    }
    const [start = "", ...parts] = text.split(MARK);
    let plain = start;
    for (const part of parts) {
      if (part.startsWith("<")) {
        open = { first: lines.length, last: lines.length, column: [...plain].length + 1 };
        spans.push(open);
      } else if (open !== undefined) {
        open.last = plain === "" && open.first < lines.length ? lines.length - 1 : lines.length;
        open = undefined;
      }
      plain += part.slice(1);
    }
    lines.push({ line, column, text: plain });
    if (open !== undefined) open.last = lines.length - 1;
  }
  return { lines, spans };
}
