// Reads ripgrep's JSON, message by message: the hits of every file that is accepted and turns out to be text.
import { isUtf8 } from "node:buffer";
import type { Path } from "../../../core/backend.ts";
import type { GrepHit } from "../../grep.ts";
import { comparePaths } from "../../order.ts";
import type { FileHits, Wanted } from "../../results.ts";
import type { Accepts, Collector } from "../grep.ts";
import { messagesOf } from "./messages.ts";

type Data = { readonly text: string } | { readonly bytes: string };

interface Lines {
  readonly lines: Data;
  readonly line_number: number;
  readonly submatches: readonly { readonly start: number; readonly end: number }[];
}

interface Current {
  readonly path: Path;
  readonly matches: Lines[];
  readonly context: Lines[];
}

export function hitsFromJson(wanted: Wanted, accepts: Accepts): Collector {
  const files: FileHits[] = [];
  let hits = 0;
  let beyond = false;
  let current: Current | undefined;
  const messages = messagesOf(wanted.firstPerLine && !wanted.pattern.multiline);

  /** Most messages are about matches, and those of a file that is not accepted need not be parsed. */
  function message(output: string, from: number, to: number): void {
    const kind = output.startsWith(TYPE, from) ? output[from + TYPE.length] : undefined;
    if ((kind === "m" || kind === "c") && current === undefined) return;
    if (kind === "m") current!.matches.push(parsed(output, from, to));
    else if (kind === "c") current!.context.push(parsed(output, from, to));
    else if (kind === "b") current = begun(parsed<{ path: Data }>(output, from, to).path);
    else if (kind === "e") ended(parsed<{ binary_offset: number | null }>(output, from, to).binary_offset !== null);
  }

  function begun(path: Data): Current | undefined {
    if (!("text" in path)) return;
    const name = path.text.startsWith("./") ? path.text.slice(2) : path.text;
    beyond = wanted.until !== undefined && comparePaths(name, wanted.until) > 0;
    return accepts(name) ? { path: name, matches: [], context: [] } : undefined;
  }

  function number(): number {
    return wanted.mode === "lines" ? hits : files.length;
  }

  function ended(binary: boolean): void {
    if (current === undefined || binary) return;
    const found = hitsOf(current, wanted);
    if (found.length > 0) files.push({ path: current.path, count: found.length, hits: found });
    hits += found.length;
    current = undefined;
  }

  return {
    take(chunk) {
      const output = messages.take(chunk);
      if (output === undefined) return undefined;
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

const NO_LINES: readonly [] = [];
const AT_START = [{ start: 0, end: 0 }];

function parsed<T = Lines>(output: string, from: number, to: number): T {
  return JSON.parse(output.slice(from, to)).data;
}

const TYPE = '{"type":"';

function hitsOf({ path, matches, context }: Current, wanted: Wanted): GrepHit[] {
  const around = wanted.before + wanted.after > 0 ? linesByNumber([...matches, ...context]) : undefined;
  const { multiline } = wanted.pattern;
  const hits: GrepHit[] = [];
  // Where every match counts, one of nothing does only in a line that has no other.
  let nothing = false;
  for (const match of matches) {
    if (wanted.ends !== undefined && endsOf(match) !== wanted.ends) continue;
    for (const { line, empty, shown } of placesOf(match, wanted)) {
      const another = hits.at(-1)?.line === line;
      if (another && (wanted.firstPerLine || empty)) continue;
      if (another && nothing) hits.pop();
      nothing = empty;
      const { column, text } = shown();
      const last = line + (multiline ? text.split("\n").length - 1 : 0);
      hits.push({
        path,
        line,
        column,
        text,
        before: around === undefined ? NO_LINES : linesFrom(around, line - wanted.before, line - 1),
        after: around === undefined ? NO_LINES : linesFrom(around, last + 1, last + wanted.after),
      });
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
  readonly empty: boolean;
  /** What costs as much as the line is long, and is not asked for where a line has had its hit. */
  shown(): { readonly column: number /** The whole lines. */; readonly text: string };
}

/** In one pass: places come in the order of the text, however many there are. */
function* placesOf(
  { lines, line_number, submatches }: Lines,
  { pattern: { multiline, text: pattern }, ends }: Wanted,
): Generator<Place> {
  const { text, bytes } = decoded(lines);
  const units = bytes === null ? (place: number) => place : unitsIn(bytes);
  if (!multiline) {
    const whole = text.endsWith("\n") ? text.slice(0, -1) : text;
    const nowhere = ends === undefined ? withoutPlace(text, pattern) : AT_START;
    for (const { start, end } of submatches.length > 0 ? submatches : nowhere) {
      const from = units(start);
      const shown = () => ({ column: charactersIn(text.slice(0, from)) + 1, text: whole });
      yield { line: line_number, empty: start === end, shown };
    }
    return;
  }
  const lineEnd = firstNewline(text);
  let line = line_number;
  let lineStart = 0;
  for (const { start, end } of submatches) {
    const from = units(start);
    const to = units(end);
    for (let next = lineEnd(lineStart); next !== -1 && next < from; next = lineEnd(lineStart)) {
      line++;
      lineStart = next + 1;
    }
    const first = lineStart;
    const shown = () => {
      const newline = text.indexOf("\n", Math.max(from, to - 1));
      const found = text.slice(first, newline === -1 ? undefined : newline);
      const inBytes = "bytes" in lines && !isUtf8(Buffer.from(found, "latin1"));
      const proper = "text" in lines || inBytes ? (raw: string) => raw : fromLatin1;
      return { column: charactersIn(proper(text.slice(first, from))) + 1, text: proper(found) };
    };
    yield { line, empty: start === end, shown };
  }
}

/** The first newline at or after a place. Asked for places that only grow, it looks at no character twice. */
function firstNewline(text: string): (from: number) => number {
  let known = text.indexOf("\n");
  return (from) => {
    if (known !== -1 && known < from) known = text.indexOf("\n", from);
    return known;
  };
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

/** Places in bytes to places in the text. Asked for places that only grow, it decodes no byte twice. */
function unitsIn(bytes: Buffer): (place: number) => number {
  let at = 0;
  let units = 0;
  return (place) => {
    if (place < at) at = units = 0;
    const more = units + bytes.toString("utf8", at, place).length;
    // Within a character, what follows could not be told from here.
    if (((bytes[place] ?? 0) & 0xc0) !== 0x80) {
      at = place;
      units = more;
    }
    return more;
  };
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
