// Lines by pattern: ripgrep where there is a directory, JavaScript elsewhere; the same answers in the same order.
import type { Path, Resolved } from "../core/backend.ts";
import { listed } from "../core/counted.ts";
import { type Deadline, startDeadline } from "../core/deadline.ts";
import { Refusal } from "../core/failure.ts";
import { indexAfter, startWithin } from "../kernel/read/columns.ts";
import type { CallOptions, Session } from "../kernel/session.ts";
import { grepByJavascript, LARGEST, needsReading, skipped } from "./fallback/grep.ts";
import { looked } from "./find.ts";
import { comparePaths } from "./order.ts";
import { checkPattern } from "./pattern.ts";
import { counted, type Tally, telling } from "./progress.ts";
import { checkRequest, GREP } from "./request-names.ts";
import { type FileHits, type Found, type SearchCall, type Wanted, within } from "./results.ts";
import { filesByRipgrep } from "./ripgrep/files.ts";
import { both, notUtf8 } from "./ripgrep/grep.ts";
import { inWhole } from "./ripgrep/in-whole.ts";
import { isBinary } from "./ripgrep/output/binary.ts";
import { type Ripgrep, RipgrepUnable, ripgrepFor } from "./ripgrep/process.ts";
import { grepByRipgrep } from "./ripgrep/settled.ts";
import { underRules } from "./ripgrep/under-rules.ts";
import { inPlace, openScope, type Scope, type ScopeRequest } from "./scope.ts";

/** Which lines are wanted. */
export interface GrepRequest {
  /** A regular expression as ripgrep takes it: in Rust's dialect, or in Perl's where that does not do. */
  readonly pattern: string;
  /** The pattern is plain text. */
  readonly literal?: boolean;
  /** Whether large and small letters differ. */
  readonly caseSensitive?: boolean;
  /** A match may span lines. */
  readonly multiline?: boolean;
  /** Where to look, as `session.resolve` gives it. */
  readonly root: ScopeRequest["root"];
  /** What the policy must allow. Default "search". */
  readonly action?: "search" | "read";
  /** Globs relative to `root`; one without "/" is about the name, at any depth. */
  readonly include?: readonly string[];
  /** The same for what is left out; a match on a directory leaves out all below. */
  readonly exclude?: readonly string[];
  /** A file type of ripgrep: "ts", "py", … */
  readonly type?: string;
  /** Also names that begin with a dot; false unless given. */
  readonly hidden?: boolean;
  /** Whether files like .gitignore hold; they do unless given. */
  readonly gitignore?: boolean;
  /** False: only what lies directly in the root. */
  readonly recursive?: boolean;
  /** 1: only what lies directly in the root. */
  readonly maxDepth?: number;
  /** Lines of context before a hit. */
  readonly before?: number;
  /** And after it. */
  readonly after?: number;
  /** Larger files are passed over. */
  readonly maxFileBytes?: number;
  /** Hits, files that have one, or how many each file has; hits unless given. */
  readonly mode?: "lines" | "files" | "count";
  /** One hit per line; otherwise one per match. */
  readonly firstPerLine?: boolean;
  /** The most that are given. */
  readonly limit: number;
  /** So many are passed over first. */
  readonly offset?: number;
  /** Hits, or files in the other modes, are given until they have so many bytes; always one. */
  readonly maxBytes?: number;
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
  /** The line without its newline (a CR stays); all the lines of a match that spans several. */
  readonly text: string;
  /** Lines before it, as many as were asked for. */
  readonly before: readonly { readonly line: number; readonly text: string }[];
  /** And after it. */
  readonly after: readonly { readonly line: number; readonly text: string }[];
}

/** The places that fit. */
export interface GrepResult {
  /** Empty unless the mode is "lines". */
  readonly hits: readonly GrepHit[];
  /** The files of these hits with how many there are in each; "count": all its lines (or matches); "files": 1. */
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

/** Lines by pattern, in the order of paths. */
export async function grep(session: Session, request: GrepRequest, options: CallOptions = {}): Promise<GrepResult> {
  checkRequest(request, GREP, options);
  if (typeof request.pattern !== "string") throw new Refusal("invalid_input", "A pattern must be a string.");
  return inPlace(session, () => search(session, request, options));
}

async function search(session: Session, request: GrepRequest, options: CallOptions): Promise<GrepResult> {
  const deadline =
    options.deadline ?? startDeadline(options.deadlineMs ?? session.workspace.limits.callMs, options.signal);
  const wanted = wantedBy(request);
  checkPattern(wanted.pattern);
  const scope = await openScope(session, {
    root: request.root,
    action: request.action,
    ...(request.include !== undefined && request.include.length > 0 && { include: request.include }),
    anyDepth: true,
    exclude: request.exclude,
    type: request.type,
    hidden: request.hidden,
    gitignore: request.gitignore,
    maxDepth: request.recursive === false ? 1 : request.maxDepth,
  });
  const ripgrep = await ripgrepFor(scope, deadline);
  const largest = Math.min(
    request.maxFileBytes ?? Number.POSITIVE_INFINITY,
    ripgrep ? Number.POSITIVE_INFINITY : LARGEST,
  );
  if (scope.at.kind === "file" && scope.at.size > largest) throw tooLarge(scope.at, largest);
  const tally: Tally = { files: ripgrep ? undefined : 0, matches: 0 };
  const call = { deadline, signal: options.signal, tenant: session.workspace.backend.tenant, tally };
  let engine: GrepResult["engine"] = "javascript";
  const found = await telling(options.progress, tally, inWords, async () => {
    if (ripgrep === undefined) return grepByJavascript(scope, wanted, call);
    try {
      engine = "ripgrep";
      const done = await inWhole(ripgrep, scope, () =>
        underRules(ripgrep, scope, deadline, (ruled) => byRipgrep(ruled, scope, wanted, call, request)),
      );
      if (done !== undefined) return done;
    } catch (error) {
      if (!(error instanceof RipgrepUnable)) throw error;
    }
    engine = "javascript";
    return grepByJavascript(scope, wanted, { ...call, tally: { files: 0, matches: 0 } });
  });
  const notes = [...(found.notes ?? []), ...scope.notes(), ...(await notesOnNamed(scope, found, deadline))];
  return { ...arranged({ ...found, notes }, request), notes, engine };
}

async function byRipgrep(
  ripgrep: Ripgrep,
  scope: Scope,
  wanted: Wanted,
  call: SearchCall,
  { countFiles }: GrepRequest,
): Promise<Found> {
  const searched = await grepByRipgrep(ripgrep, scope, wanted, call);
  const found = needsReading(wanted.pattern)
    ? await withOtherEncodings(ripgrep, scope, wanted, call, searched)
    : searched;
  const { maxFileBytes } = wanted;
  if ((!countFiles && maxFileBytes === undefined) || found.cut) return found;
  const paths = await filesByRipgrep(ripgrep, scope, { ...call, tally: { files: 0, matches: 0 } });
  const files = maxFileBytes === undefined ? [] : await looked(ripgrep, scope, paths, call.deadline);
  const tooLarge = files.filter(({ size }) => size > maxFileBytes!).map(({ path }) => path);
  const notes = new Set([...(found.notes ?? []), ...skipped(tooLarge, wanted)]);
  return { ...found, filesScanned: paths.length - tooLarge.length, notes: [...notes] };
}

/** Files that are not UTF-8 are searched in the form that reads show. */
async function withOtherEncodings(
  ripgrep: Ripgrep,
  scope: Scope,
  wanted: Wanted,
  call: SearchCall,
  found: Found,
): Promise<Found> {
  const last = found.cut ? found.files.at(-1)?.path : undefined;
  const others = new Set(await notUtf8(ripgrep, scope, call));
  if (others.size === 0) return found;
  const paths = [...others].sort(comparePaths).filter((path) => last === undefined || comparePaths(path, last) <= 0);
  const files = found.files.filter(({ path }) => !others.has(path));
  const read = await grepByJavascript(scope, wanted, call, paths).catch((error) => {
    if (!(error instanceof Refusal) || error.kind !== "command_failed") throw error;
    const why = `Not searched, because not UTF-8: ${listed(paths)}. ${error.failure.message}`;
    return { files: [], cut: false, notes: [why] };
  });
  return both({ ...found, files }, read, wanted);
}

function inWords({ files, matches }: Tally): string {
  const found = counted(matches, "match", "matches");
  return files === undefined ? `${found} so far` : `${counted(files, "file", "files")} searched, ${found}`;
}

/** In a tree, binary files are passed over as if they were not there; one that is asked for by name is told of. */
async function notesOnNamed(scope: Scope, { files }: Found, deadline: Deadline): Promise<readonly string[]> {
  const { kind, path } = scope.at;
  if (kind !== "file" || files.length > 0 || !scope.accepts(path) || !(await isBinary(scope, path, deadline)))
    return [];
  return [`${path} has NUL characters: it is taken for binary, and binary files are not searched.`];
}

/** Passed over silently it would look like a file without a match. */
function tooLarge({ path, size }: Resolved, maxBytes: number): Refusal {
  return new Refusal("file_too_large", `${path} has ${size} bytes; files of more than ${maxBytes} are not searched.`, {
    path,
    next: "Read a range of its lines instead.",
    details: { size, maxBytes },
  });
}

function wantedBy(request: GrepRequest): Wanted {
  const { offset = 0, limit } = request;
  if (!(limit >= 0) || !(offset >= 0)) {
    throw new Refusal("invalid_input", "limit and offset must be numbers that are not negative.", {
      next: "Correct them.",
    });
  }
  return {
    pattern: {
      text: request.pattern,
      literal: request.literal === true,
      caseSensitive: request.caseSensitive !== false,
      multiline: request.multiline === true,
    },
    mode: request.mode ?? "lines",
    firstPerLine: request.firstPerLine !== false,
    before: request.before ?? 0,
    after: request.after ?? 0,
    maxFileBytes: request.maxFileBytes,
    enough: offset + limit + 1,
  };
}

/** The page asked for. One more than that was looked for, to know whether there is more. */
function arranged(found: Found, request: GrepRequest): Omit<GrepResult, "engine" | "notes"> {
  const { offset = 0, limit, maxLineBytes, maxBytes = Number.POSITIVE_INFINITY } = request;
  const lines = (request.mode ?? "lines") === "lines";
  const all: readonly (GrepHit | FileHits)[] = lines ? found.files.flatMap((file) => file.hits) : found.files;
  const page = all.slice(offset, offset + limit);
  const shown = lines ? (page as GrepHit[]) : [];
  const hits = within(maxBytes, maxLineBytes === undefined ? shown : shown.map((hit) => shortened(hit, maxLineBytes)));
  const files = lines ? [] : within(maxBytes, page as FileHits[]);
  return {
    hits,
    files: lines
      ? countsOf(hits)
      : files.map(({ path, count }) => ({ path, count: request.mode === "count" ? count : 1 })),
    truncated: found.cut || all.length > offset + hits.length + files.length,
    ...(request.countFiles && found.filesScanned !== undefined && { filesScanned: found.filesScanned }),
    ...(!found.cut && found.notes?.length === 0 ? { total: all.length } : { atLeast: all.length }),
  };
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

function shortened(hit: GrepHit, maxBytes: number): GrepHit {
  const short = <T extends { readonly text: string }>(line: T): T => ({
    ...line,
    text: partOf(line.text, 1, maxBytes),
  });
  const text = partOf(hit.text, hit.column, maxBytes);
  return { ...hit, text, before: hit.before.map(short), after: hit.after.map(short) };
}

/** The start of a text where the column is within its first half; else from a quarter of a part before the column on. */
function partOf(text: string, column: number, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  const place = indexAfter(text, column - 1);
  const near = place <= maxBytes / 2 && Buffer.byteLength(text.slice(0, place)) <= maxBytes / 2;
  const start = near ? 0 : place - endWithin(text.slice(0, place), maxBytes / 4);
  const part = startWithin(text.slice(start), maxBytes);
  return `${start > 0 ? "…" : ""}${part}${start + part.length < text.length ? "…" : ""}`;
}

/** How many units at the end of a text have so many bytes. */
function endWithin(text: string, maxBytes: number): number {
  const bytes = Buffer.from(text.slice(-maxBytes));
  let start = Math.max(0, bytes.length - Math.floor(maxBytes));
  while (start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start++;
  return bytes.toString("utf8", start).length;
}
