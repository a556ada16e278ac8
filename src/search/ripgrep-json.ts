// Reads ripgrep's JSON, message by message: the hits of every file that is accepted and turns out to be text.
import { isUtf8 } from "node:buffer";
import type { Path } from "../backends/backend.ts";
import type { FileHits, Wanted } from "./found.ts";
import type { GrepHit } from "./grep.ts";
import { comparePaths } from "./order.ts";
import type { Accepts, Collector } from "./ripgrep-grep.ts";

type Data = { readonly text: string } | { readonly bytes: string };

interface Lines {
  readonly lines: Data;
  readonly line_number: number;
  readonly submatches: readonly { readonly start: number; readonly end: number }[];
}

interface Current {
  readonly path: Path;
  /** Those that are known without more ado; then there are no `matches`. */
  readonly ready: GrepHit[];
  readonly matches: Lines[];
  readonly context: Lines[];
}

export function hitsFromJson(wanted: Wanted, accepts: Accepts): Collector {
  const files: FileHits[] = [];
  let hits = 0;
  let beyond = false;
  let current: Current | undefined;
  let pending: Buffer[] = [];
  const simple = isSimple(wanted);

  /** Most messages are about matches, and those of a file that is not accepted need not be parsed. */
  function message(output: string, from: number, to: number): void {
    const kind = output.startsWith(TYPE, from) ? output[from + TYPE.length] : undefined;
    if ((kind === "m" || kind === "c") && current === undefined) return;
    if (kind === "m") matched(current!, output, from, to);
    else if (kind === "c") current!.context.push(parsed(output, from, to));
    else if (kind === "b") current = begun(parsed<{ path: Data }>(output, from, to).path);
    else if (kind === "e") ended(isBinary(output, from, to));
  }

  function matched({ path, ready, matches }: Current, output: string, from: number, to: number): void {
    const hit = simple && matches.length === 0 ? simpleHit(path, output, from, to) : undefined;
    if (hit !== undefined) ready.push(hit);
    else matches.push(parsed(output, from, to));
  }

  function begun(path: Data): Current | undefined {
    if (!("text" in path)) return;
    const name = path.text.startsWith("./") ? path.text.slice(2) : path.text;
    beyond = wanted.until !== undefined && comparePaths(name, wanted.until) > 0;
    return accepts(name) ? { path: name, ready: [], matches: [], context: [] } : undefined;
  }

  function number(): number {
    return wanted.mode === "lines" ? hits : files.length;
  }

  function ended(binary: boolean): void {
    if (current === undefined || binary) return;
    const latin1 = new Set<GrepHit>();
    const found = current.matches.length === 0 ? current.ready : [...current.ready, ...hitsOf(current, wanted, latin1)];
    if (found.length > 0) files.push({ path: current.path, count: found.length, hits: found, latin1 });
    hits += found.length;
    current = undefined;
  }

  return {
    take(chunk) {
      const last = chunk.lastIndexOf(NEWLINE);
      if (last === -1) {
        pending.push(chunk);
        return undefined;
      }
      const output = Buffer.concat([...pending, chunk.subarray(0, last + 1)]).toString();
      pending = [chunk.subarray(last + 1)];
      let from = 0;
      for (let to = output.indexOf("\n"); to !== -1; to = output.indexOf("\n", from)) {
        message(output, from, to);
        if (beyond || number() >= wanted.enough) return "stop";
        from = to + 1;
      }
      return undefined;
    },
    number,
    found: () => ({ files, cut: false }),
  };
}

const NEWLINE = 10;
const NO_LINES: readonly [] = [];
const AT_START = [{ start: 0, end: 0 }];

function isBinary(output: string, from: number, to: number): boolean {
  const text = output.indexOf(TEXT_FILE, from);
  if (text !== -1 && text < to) return false;
  return parsed<{ binary_offset: number | null }>(output, from, to).binary_offset !== null;
}

/** One hit a line, of which nothing but the line itself is shown. */
function isSimple({ pattern, mode, firstPerLine, before, after, ends }: Wanted): boolean {
  return mode === "lines" && firstPerLine && !pattern.multiline && before + after === 0 && ends === undefined;
}

/**
 * From the usual message, at a fraction of the cost of parsing all of it: a quote within a JSON string is escaped, so
 * these keys are found nowhere else. Undefined for any other message, and where bytes before the match are no characters.
 */
function simpleHit(path: Path, output: string, from: number, to: number): GrepHit | undefined {
  const text = output.indexOf(TEXT, from) + TEXT.length;
  const end = output.indexOf(NUMBER, text - 1);
  const start = output.indexOf(START, end);
  if (text < from + TEXT.length || end === -1 || start === -1 || start > to) return;
  const line = lineIn(output, text, end);
  const column = numberAt(output, start + START.length);
  if (line === undefined || !isAscii(line, column)) return;
  return {
    path,
    line: numberAt(output, end + NUMBER.length),
    column: column + 1,
    text: line,
    before: NO_LINES,
    after: NO_LINES,
  };
}

/** The text of a line without its newline. Most often that is all that had to be escaped. */
function lineIn(output: string, start: number, end: number): string | undefined {
  if (!output.startsWith("\\n", end - 2)) return;
  if (output.indexOf("\\", start) === end - 2) return output.slice(start, end - 2);
  const text: string = JSON.parse(output.slice(start - 1, end + 1));
  return text.endsWith("\n") ? text.slice(0, -1) : undefined;
}

function isAscii(text: string, length: number): boolean {
  if (length > text.length) return false;
  for (let n = 0; n < length; n++) if (text.charCodeAt(n) > 127) return false;
  return true;
}

function numberAt(output: string, from: number): number {
  return Number.parseInt(output.slice(from, from + 15), 10);
}

function parsed<T = Lines>(output: string, from: number, to: number): T {
  return JSON.parse(output.slice(from, to)).data;
}

const TYPE = '{"type":"';
const TEXT = '},"lines":{"text":"';
const NUMBER = '"},"line_number":';
const START = '},"start":';
const TEXT_FILE = '},"binary_offset":null';

function hitsOf({ path, matches, context }: Current, wanted: Wanted, latin1: Set<GrepHit>): GrepHit[] {
  const around = wanted.before + wanted.after > 0 ? linesByNumber([...matches, ...context]) : undefined;
  const { multiline } = wanted.pattern;
  const hits: GrepHit[] = [];
  // Where every match counts, one of nothing does only in a line that has no other.
  let nothing = false;
  for (const match of matches) {
    if (wanted.ends !== undefined && endsOf(match) !== wanted.ends) continue;
    for (const { line, column, text, empty } of placesOf(match, wanted)) {
      const another = hits.at(-1)?.line === line;
      if (another && (wanted.firstPerLine || empty)) continue;
      if (another && nothing) hits.pop();
      nothing = empty;
      const last = line + (multiline ? text.split("\n").length - 1 : 0);
      hits.push({
        path,
        line,
        column,
        text,
        before: around === undefined ? NO_LINES : linesFrom(around, line - wanted.before, line - 1),
        after: around === undefined ? NO_LINES : linesFrom(around, last + 1, last + wanted.after),
      });
      if ("bytes" in match.lines) latin1.add(hits.at(-1)!);
      if (wanted.firstPerLine && !multiline) break;
    }
  }
  return hits;
}

function endsOf({ lines }: Lines): "lf" | "crlf" {
  return decoded(lines).text.endsWith("\r\n") ? "crlf" : "lf";
}

interface Place {
  readonly line: number;
  readonly column: number;
  /** The whole lines. */
  readonly text: string;
  readonly empty: boolean;
}

function* placesOf(
  { lines, line_number, submatches }: Lines,
  { pattern: { multiline, text: pattern }, ends }: Wanted,
): Generator<Place> {
  const { text, bytes } = decoded(lines);
  const whole = text.endsWith("\n") ? text.slice(0, -1) : text;
  const nowhere = multiline ? [] : ends === undefined ? withoutPlace(text, pattern) : AT_START;
  for (const { start, end } of submatches.length > 0 ? submatches : nowhere) {
    const [from, to] = bytes === null ? [start, end] : [unitsIn(bytes, start), unitsIn(bytes, end)];
    if (!multiline) {
      yield { line: line_number, column: charactersIn(text.slice(0, from)) + 1, text: whole, empty: start === end };
      continue;
    }
    const lineStart = from === 0 ? 0 : text.lastIndexOf("\n", from - 1) + 1;
    const lineEnd = text.indexOf("\n", Math.max(from, to - 1));
    const before = text.slice(0, from).split("\n").length - 1;
    const shown = text.slice(lineStart, lineEnd === -1 ? undefined : lineEnd);
    const prefix = text.slice(lineStart, from);
    const inBytes = "bytes" in lines && !isUtf8(Buffer.from(shown, "latin1"));
    const proper = "text" in lines || inBytes ? (raw: string) => raw : fromLatin1;
    const column = charactersIn(proper(prefix)) + 1;
    yield { line: line_number + before, column, text: proper(shown), empty: start === end };
  }
}

/**
 * ripgrep does not say where in a line something is that is at its start, as "\A", or at its end without "\n"; and it has
 * no place for what is only found at the "\r\n" itself, which is no part of the line.
 */
function withoutPlace(text: string, pattern: string): readonly { readonly start: number; readonly end: number }[] {
  if (/\\A|\(\?\w*-\w*m/.test(pattern)) return AT_START;
  const end = Buffer.byteLength(text);
  return text.endsWith("\n") ? [] : [{ start: end, end }];
}

/** `bytes` is null when every character is one byte. A line that is not UTF-8 is shown as Latin-1: nothing gets lost. */
function decoded(data: Data): { readonly text: string; readonly bytes: Buffer | null } {
  if (!("text" in data)) return { text: Buffer.from(data.bytes, "base64").toString("latin1"), bytes: null };
  const { text } = data;
  return { text, bytes: Buffer.byteLength(text) === text.length ? null : Buffer.from(text) };
}

/** Lines that are UTF-8 although others beside them are not. */
function fromLatin1(text: string): string {
  const bytes = Buffer.from(text, "latin1");
  return isUtf8(bytes) ? bytes.toString() : text;
}

function unitsIn(bytes: Buffer, end: number): number {
  return bytes.toString("utf8", 0, end).length;
}

function charactersIn(text: string): number {
  return /[\uD800-\uDBFF]/.test(text) ? [...text].length : text.length;
}

function linesByNumber(records: readonly Lines[]): ReadonlyMap<number, string> {
  const known = new Map<number, string>();
  for (const { lines, line_number } of records) {
    for (const [n, text] of decoded(lines).text.replace(/\n$/, "").split("\n").entries())
      known.set(line_number + n, "text" in lines ? text : fromLatin1(text));
  }
  return known;
}

function linesFrom(known: ReadonlyMap<number, string>, from: number, to: number): { line: number; text: string }[] {
  const lines: { line: number; text: string }[] = [];
  for (let line = from; line <= to; line++) {
    const text = known.get(line);
    if (text !== undefined) lines.push({ line, text });
  }
  return lines;
}
