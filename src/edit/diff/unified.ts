// Unified diffs of two versions of a file, with counts and a maximum length.
import { strictOptions, validate } from "../../api/options.ts";
import { countLines, skipLines } from "../text/lines.ts";
import { applySplices, type Splice, sortSplices } from "../text/splice.ts";
import { diffLines, type Region } from "./diff.ts";

/** Names and lengths of a diff. */
export interface UnifiedDiffOptions {
  /** Name on both sides; `fromPath` and `toPath` override one side, and null means no file there. */
  readonly path?: string;
  /** Name of the file before. */
  readonly fromPath?: string | null;
  /** Name of the file after. */
  readonly toPath?: string | null;
  /** Unchanged lines around each change; 3 by default. */
  readonly context?: number;
  /** Lines of the file before the two texts, if these are parts of it. */
  readonly linesBefore?: number;
  /** Maximum UTF-8 bytes, without the closing note. Lines of more than an eighth of it are cut. */
  readonly maxBytes?: number;
}

/** A diff and its counts. */
export interface UnifiedDiff {
  /** Empty when nothing differs. */
  readonly text: string;
  /** Number of added lines, even if the text is cut. */
  readonly insertions: number;
  /** Number of removed lines, even if the text is cut. */
  readonly deletions: number;
  /** The text, or a line in it, is cut. */
  readonly truncated: boolean;
}

const OPTIONS = strictOptions<UnifiedDiffOptions>({
  path: true,
  fromPath: true,
  toPath: true,
  context: true,
  linesBefore: true,
  maxBytes: true,
});

/** Makes a diff. Lines end at LF, as in all tools for diffs, so a CR before it belongs to the line. */
export function unifiedDiff(before: string, after: string, options: UnifiedDiffOptions = {}): UnifiedDiff {
  validate(options, OPTIONS);
  const context = Math.max(0, options.context ?? 3);
  const [a, b] = [physicalLines(before), physicalLines(after)];
  const regions = diffLines(a, b);
  const { maxBytes = Number.POSITIVE_INFINITY } = options;
  const out = new CappedLines(maxBytes);
  for (const line of header(options, regions.length > 0)) out.add(`${line}\n`);
  for (const hunk of hunks(regions, context)) {
    if (out.full) break;
    writeHunk(out, a, b, hunk, { context, linesBefore: options.linesBefore ?? 0 });
  }
  return {
    text: out.full ? `${out.text}…(truncated, full diff exceeded ${maxBytes} bytes)` : out.text,
    insertions: regions.reduce((sum, r) => sum + r.bEnd - r.bStart, 0),
    deletions: regions.reduce((sum, r) => sum + r.aEnd - r.aStart, 0),
    truncated: out.truncated,
  };
}

/** Returns the regions of each hunk of such a diff. */
export function hunksOf(before: string, after: string, context = 3): readonly (readonly Region[])[] {
  return [...hunks(diffLines(physicalLines(before), physicalLines(after)), context)];
}

// One more than the lines of context, so that the edge of the part never looks like the edge of the file.
const AROUND = 4;

/** Returns the lines around the splices of an edit, which are enough for its diff. */
export function aroundSplices(text: string, splices: readonly Splice[]) {
  const sorted = sortSplices(splices);
  let from = sorted[0]?.start ?? 0;
  for (let n = 0; n <= AROUND && from > 0; n++) from = text.lastIndexOf("\n", from - 1);
  from = from > 0 ? from + 1 : 0;
  const to = skipLines(text, sorted.at(-1)?.end ?? 0, AROUND + 1);
  const before = text.slice(from, to);
  const shifted = sorted.map(({ start, end, text: by }) => ({ start: start - from, end: end - from, text: by }));
  return { before, after: applySplices(before, shifted), linesBefore: countLines(text.slice(0, from)) };
}

/** Splits a text at LF; each line keeps its LF. */
export function physicalLines(text: string): string[] {
  const lines: string[] = [];
  for (let start = 0; start < text.length; ) {
    const lf = text.indexOf("\n", start);
    const end = lf === -1 ? text.length : lf + 1;
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}

function header(options: UnifiedDiffOptions, changed: boolean): string[] {
  const path = options.path ?? options.toPath ?? options.fromPath ?? "file";
  const from = options.fromPath === undefined ? path : options.fromPath;
  const to = options.toPath === undefined ? path : options.toPath;
  const names = [
    `--- ${from === null ? "/dev/null" : quoteName(`a/${from}`)}`,
    `+++ ${to === null ? "/dev/null" : quoteName(`b/${to}`)}`,
  ];
  if (from !== null && to !== null && from !== to) {
    const move = [gitLine(from, to), `rename from ${quoteName(from)}`, `rename to ${quoteName(to)}`];
    return changed ? [...move, ...names] : move;
  }
  if (changed) return names;
  // Only git's header can show that an empty file is created or deleted.
  if (from === null && to !== null) return [gitLine(to, to), "new file mode 100644"];
  if (from !== null && to === null) return [gitLine(from, from), "deleted file mode 100644"];
  return [];
}

function gitLine(from: string, to: string): string {
  return `diff --git ${quoteName(`a/${from}`)} ${quoteName(`b/${to}`)}`;
}

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\" };

function quoteName(name: string): string {
  const escaped = name.replace(
    /[\u0000-\u001f"\\\u007f]/g,
    (c) => ESCAPES[c] ?? `\\${c.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
  return escaped === name ? name : `"${escaped}"`;
}

/** Groups regions into hunks: regions whose context meets share one. */
function* hunks(regions: readonly Region[], context: number): Generator<readonly Region[]> {
  for (let n = 0, next = 1; n < regions.length; n = next++) {
    while (next < regions.length && regions[next]!.aStart - regions[next - 1]!.aEnd <= 2 * context) next++;
    yield regions.slice(n, next);
  }
}

function writeHunk(
  out: CappedLines,
  a: readonly string[],
  b: readonly string[],
  regions: readonly Region[],
  { context, linesBefore }: { readonly context: number; readonly linesBefore: number },
): void {
  const first = regions[0]!;
  const last = regions.at(-1)!;
  const lead = Math.min(context, first.aStart);
  const tail = Math.min(context, a.length - last.aEnd);
  const range = (start: number, end: number): string => rangeOf(linesBefore + start, linesBefore + end);
  out.add(`@@ -${range(first.aStart - lead, last.aEnd + tail)} +${range(first.bStart - lead, last.bEnd + tail)} @@\n`);
  let at = first.aStart - lead;
  for (const { aStart, aEnd, bStart, bEnd } of regions) {
    writeLines(out, " ", a, at, aStart);
    writeLines(out, "-", a, aStart, aEnd);
    writeLines(out, "+", b, bStart, bEnd);
    at = aEnd;
  }
  writeLines(out, " ", a, at, last.aEnd + tail);
}

function rangeOf(start: number, end: number): string {
  const count = end - start;
  const line = count === 0 ? start : start + 1;
  return count === 1 ? `${line}` : `${line},${count}`;
}

function writeLines(out: CappedLines, sign: string, lines: readonly string[], from: number, to: number): void {
  for (let i = from; i < to && !out.full; i++) {
    const line = lines[i]!;
    const isEnded = line.endsWith("\n");
    out.add(isEnded ? sign + line : `${sign}${line}\n`);
    if (!isEnded) out.add("\\ No newline at end of file\n");
  }
}

/** Cuts the text of a diff like `unifiedDiff`. */
export function cutDiff(diff: string, maxBytes: number): Pick<UnifiedDiff, "text" | "truncated"> {
  const out = new CappedLines(maxBytes);
  for (const line of physicalLines(diff)) out.add(line);
  return out;
}

/** Collects lines up to a maximum of bytes. Cuts lines that take much of it. */
export class CappedLines {
  readonly #max: number;
  readonly #parts: string[] = [];
  #room: number;
  /** A line is missing or cut. */
  truncated = false;
  /** No further line is taken. */
  full = false;

  constructor(max: number) {
    this.#max = max;
    this.#room = max;
  }

  get text(): string {
    return this.#parts.join("");
  }

  /** Returns true if all of the line is in. */
  add(line: string): boolean {
    if (this.full) return false;
    const part = cutLine(line, this.#max);
    this.#room -= Buffer.byteLength(part);
    this.full = this.#room < 0;
    if (!this.full) this.#parts.push(part);
    this.truncated ||= this.full || part !== line;
    return !this.full && part === line;
  }
}

/** Cuts a long line, so that it does not hide all others. Never splits a surrogate pair. */
export function cutLine(line: string, maxBytes: number): string {
  const max = Math.max(MIN_LINE, Math.floor(maxBytes / 8));
  if (line.length <= max) return line;
  return `${line.slice(0, max).replace(/[\uD800-\uDBFF]$/, "")}…(line cut)${line.endsWith("\n") ? "\n" : ""}`;
}

const MIN_LINE = 200;
