// Lines by pattern: ripgrep where there is a directory, JavaScript elsewhere; the same answers in the same order.
import { COUNT, FLAG, oneOf, type Shape, strictOptions, TEXT, TEXTS } from "../api/options.ts";
import type { Path, Resolved } from "../core/backend.ts";
import type { CallOptions, Session } from "../kernel/session.ts";
import { refuse } from "../words/index.ts";
import { listed, plural } from "../words/plural.ts";
import { inTurn, openCall, type SearchCall, type Tally, withProgress } from "./call.ts";
import { checkPattern, type FileHits, type Found, type Wanted, withinBytes } from "./engine.ts";
import { grepByJavascript, MAX_BYTES } from "./fallback.ts";
import { findRipgrep, grepByRipgrep } from "./ripgrep.ts";
import { openScope, type Scope, type SearchRequest, searchIn } from "./scope.ts";
import { walk, withStats } from "./walk.ts";

/** Which lines are wanted. `limit` and `maxBytes` are about hits, or about files in the other modes. */
export interface GrepRequest extends SearchRequest {
  /** A regular expression as ripgrep takes it: in Rust's dialect, or in Perl's where that does not do. One hit a line. */
  readonly pattern: string;
  /** The pattern is plain text. */
  readonly literal?: boolean;
  /** Whether large and small letters differ. */
  readonly caseSensitive?: boolean;
  /** A match may span lines. */
  readonly multiline?: boolean;
  /** What the policy must allow. Default "search". */
  readonly action?: "search" | "read";
  /** Globs relative to `root`; one without "/" is about the name, at any depth. */
  readonly include?: readonly string[];
  /** A file type of ripgrep: "ts", "py", … */
  readonly type?: string;
  /** False: only what lies directly in the root. */
  readonly recursive?: boolean;
  /** Lines of context before a hit. */
  readonly before?: number;
  /** And after it. */
  readonly after?: number;
  /** Larger files are passed over. */
  readonly maxFileBytes?: number;
  /** Hits, files that have one, or how many each file has; hits unless given. */
  readonly mode?: "lines" | "files" | "count";
  /** So many are passed over first. */
  readonly offset?: number;
  /** Of a longer line a part is shown, with "…" where it is cut: its start, or what is around the hit. */
  readonly maxLineBytes?: number;
  /** Also tell how many files were searched; with ripgrep they have to be listed for that. */
  readonly countFiles?: boolean;
}

/** One place. */
export interface GrepHit {
  /** The file. */
  readonly path: Path;
  /** Counted from 1. */
  readonly line: number;
  /** Of the match in its line, 1-based, in characters. */
  readonly column: number;
  /** The line without its end; all the lines of a match that spans several, with "\n" between them. */
  readonly text: string;
  /** Lines before it, as many as were asked for, but for those that another hit is or shows. */
  readonly before: readonly { readonly line: number; readonly text: string }[];
  /** And after it. */
  readonly after: readonly { readonly line: number; readonly text: string }[];
}

/** The places that fit. */
export interface GrepResult {
  /** Empty unless the mode is "lines". */
  readonly hits: readonly GrepHit[];
  /** The files of these hits with how many there are in each; "count": all its lines; "files": 1. */
  readonly files: readonly { readonly path: Path; readonly count: number }[];
  /** There are more than the limit. */
  readonly truncated: boolean;
  /** Of those that may be in the answer, when asked for and everything was read. */
  readonly filesScanned?: number;
  /** Of hits, or of files in the other modes; known when everything was read. */
  readonly total?: number;
  /** As many as are known of where the total is not. */
  readonly atLeast?: number;
  /** What was not searched though it was asked for, in words. */
  readonly notes: readonly string[];
  /** What searched. */
  readonly engine: "ripgrep" | "javascript";
}

const FIELDS: Shape<GrepRequest> = {
  pattern: TEXT,
  literal: FLAG,
  caseSensitive: FLAG,
  multiline: FLAG,
  root: true,
  action: oneOf("search", "read"),
  include: TEXTS,
  exclude: TEXTS,
  type: TEXT,
  hidden: FLAG,
  gitignore: FLAG,
  recursive: FLAG,
  maxDepth: COUNT,
  before: COUNT,
  after: COUNT,
  maxFileBytes: COUNT,
  mode: oneOf("lines", "files", "count"),
  limit: COUNT,
  offset: COUNT,
  maxBytes: COUNT,
  maxLineBytes: COUNT,
  countFiles: FLAG,
};
const REQUEST = strictOptions(FIELDS, ["pattern", "limit"]);

/** Lines by pattern, in the order of paths. */
export async function grep(session: Session, request: GrepRequest, options: CallOptions = {}): Promise<GrepResult> {
  const call = openCall(session, request, REQUEST, options);
  const wanted = wantedBy(request);
  const scope = await openScope(session, {
    ...request,
    include: request.include?.length === 0 ? undefined : request.include,
    anyDepth: true,
    maxDepth: request.recursive === false ? 1 : request.maxDepth,
  });
  const program = await findRipgrep();
  let engine: GrepResult["engine"] = "javascript";
  const found = await withProgress(options.progress, call.tally, formatProgress, () =>
    searchIn(scope, call.deadline, (directory) => {
      engine = directory !== undefined && program !== undefined ? "ripgrep" : "javascript";
      refuseTooLarge(scope.at, request.maxFileBytes ?? (engine === "ripgrep" ? Number.POSITIVE_INFINITY : MAX_BYTES));
      call.tally.files = engine === "ripgrep" ? undefined : 0;
      // In its turn from the first file on: a search that waits holds no text.
      if (directory === undefined || program === undefined)
        return inTurn(call, () => grepByJavascript(scope, directory, wanted, call));
      return byRipgrep(program, directory, scope, wanted, call, request);
    }),
  );
  const notes = [...skippedNotes(found.tooLarge ?? [], wanted), ...scope.notes()];
  return { ...pageOf(found, request, notes.length === 0), notes, engine };
}

async function byRipgrep(
  program: string,
  directory: string,
  scope: Scope,
  wanted: Wanted,
  call: SearchCall,
  { countFiles, maxFileBytes }: GrepRequest,
): Promise<Found> {
  const found = await grepByRipgrep(program, directory, scope, wanted, call);
  if (found.cut || (!countFiles && maxFileBytes === undefined)) return found;
  const tooLarge: Path[] = [];
  let filesScanned = 0;
  for await (const batch of walk(scope, directory, call.deadline)) {
    const files = batch.filter(({ kind }) => kind === "file");
    const isLarge = ({ size }: { readonly size: number }) => size > maxFileBytes!;
    const large = maxFileBytes === undefined ? [] : withStats(directory, files).filter(isLarge);
    tooLarge.push(...large.map(({ path }) => path));
    filesScanned += files.length - large.length;
  }
  return { ...found, filesScanned, tooLarge };
}

function formatProgress({ files, matches }: Tally): string {
  const found = plural(matches, "match");
  return files === undefined ? `${found} so far` : `${plural(files, "file")} searched, ${found}`;
}

function skippedNotes(tooLarge: readonly Path[], { maxFileBytes = MAX_BYTES }: Wanted): readonly string[] {
  if (tooLarge.length === 0) return [];
  const names = listed(tooLarge);
  return [`Not searched, because larger than ${maxFileBytes} bytes: ${names}. Read a range of lines there instead.`];
}

/** Skipped silently, a named file would look like one without a match. */
function refuseTooLarge({ kind, path, size }: Resolved, maxBytes: number): void {
  if (kind !== "file" || size <= maxBytes) return;
  throw refuse("too_large_to_search", { path, size, maxBytes });
}

function wantedBy(request: GrepRequest): Wanted {
  const { offset = 0, limit } = request;
  const pattern = {
    text: request.pattern,
    literal: request.literal === true,
    caseSensitive: request.caseSensitive !== false,
    multiline: request.multiline === true,
  };
  checkPattern(pattern);
  return {
    pattern,
    mode: request.mode ?? "lines",
    before: request.before ?? 0,
    after: request.after ?? 0,
    maxFileBytes: request.maxFileBytes,
    // One more than is shown, to know whether there is more.
    enough: offset + limit + 1,
  };
}

function pageOf(found: Found, request: GrepRequest, isWhole: boolean): Omit<GrepResult, "engine" | "notes"> {
  const { offset = 0, limit, mode, maxLineBytes, maxBytes = Number.POSITIVE_INFINITY } = request;
  const isLines = (mode ?? "lines") === "lines";
  const all: readonly (GrepHit | FileHits)[] = isLines ? eachLineOnce(found) : found.files;
  const page = all.slice(offset, offset + limit);
  const shown = isLines ? (page as GrepHit[]).map((hit) => shortened(hit, maxLineBytes)) : [];
  const hits = withinBytes(maxBytes, shown);
  const files = withinBytes(maxBytes, isLines ? [] : (page as FileHits[]));
  return {
    hits,
    files: isLines ? countsOf(hits) : files.map(({ path, count }) => ({ path, count: mode === "count" ? count : 1 })),
    truncated: found.cut || all.length > offset + hits.length + files.length,
    ...(request.countFiles && found.filesScanned !== undefined && { filesScanned: found.filesScanned }),
    ...(!found.cut && isWhole ? { total: all.length } : { atLeast: all.length }),
  };
}

/** Context that two hits share stands with the first of them, and no hit is context, shown or not. */
function eachLineOnce({ files }: Found): GrepHit[] {
  return files.flatMap(({ hits }) => {
    let last = 0;
    return hits.map((hit, n) => {
      const next = hits[n + 1]?.line ?? Number.POSITIVE_INFINITY;
      const before = hit.before.filter(({ line }) => line > last);
      const after = hit.after.filter(({ line }) => line < next);
      last = Math.max(last, after.at(-1)?.line ?? hit.line + hit.text.split("\n").length - 1);
      return { ...hit, before, after };
    });
  });
}

function countsOf(hits: readonly GrepHit[]): { path: Path; count: number }[] {
  const counts: { path: Path; count: number }[] = [];
  for (const { path } of hits) {
    const last = counts.at(-1);
    if (last?.path === path) last.count++;
    else counts.push({ path, count: 1 });
  }
  return counts;
}

function shortened(hit: GrepHit, maxBytes = Number.POSITIVE_INFINITY): GrepHit {
  const short = <T extends { readonly text: string }>(line: T): T => ({
    ...line,
    text: partOf(line.text, 1, maxBytes),
  });
  const text = partOf(hit.text, hit.column, maxBytes);
  return { ...hit, text, before: hit.before.map(short), after: hit.after.map(short) };
}

/** The start of a text where the column is in the first half of what is shown; else from a quarter before the column on. */
function partOf(text: string, column: number, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = Buffer.from(text);
  const place = Buffer.byteLength([...text.slice(0, 2 * column)].slice(0, column - 1).join(""));
  const start = place <= maxBytes / 2 ? 0 : characterStart(bytes, place - Math.floor(maxBytes / 4), 1);
  const end = characterStart(bytes, start + maxBytes, -1);
  return `${start > 0 ? "…" : ""}${bytes.toString("utf8", start, end)}${end < bytes.length ? "…" : ""}`;
}

/** The nearest place in this direction at which a character begins. */
function characterStart(bytes: Buffer, place: number, step: 1 | -1): number {
  let at = Math.min(place, bytes.length);
  while (at > 0 && at < bytes.length && (bytes[at]! & 0xc0) === 0x80) at += step;
  return at;
}
