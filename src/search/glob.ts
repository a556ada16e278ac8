// Files by glob: all matches are put in order first, and cut then.
import type { Listed } from "../core/backend.ts";
import { counted } from "../core/counted.ts";
import { otherWorkNowAndThen } from "../core/other-work.ts";
import type { CallOptions, Session } from "../kernel/session.ts";
import { openCall, type SearchCall, type Tally, withProgress } from "./call.ts";
import { comparePaths } from "./order.ts";
import { checkRequest, FIND } from "./request.ts";
import { withinBytes } from "./results.ts";
import { openScope, type Place, type Scope, type ScopeRequest, searchIn } from "./scope.ts";
import { type Walked, walk, withStats } from "./walk.ts";

/** Which files are wanted. */
export interface FindRequest {
  /** Globs relative to `root`. */
  readonly pattern?: string | readonly string[];
  /** A pattern without "/" is about the name, at any depth. */
  readonly anyDepth?: boolean;
  /** A match on a directory excludes all below; a glob without "/" is about the name, at any depth. */
  readonly exclude?: readonly string[];
  /** Where to look, as `session.resolve` gives it. */
  readonly root: ScopeRequest["root"];
  /** any: links, too, as they are; else they are in no answer unless they are followed. */
  readonly kind?: "file" | "directory" | "any";
  /** Also names that begin with a dot; false unless given. */
  readonly hidden?: boolean;
  /** Whether files like .gitignore hold; they do unless given. */
  readonly gitignore?: boolean;
  /** Never to what is outside the workspace. */
  readonly followLinks?: boolean;
  /** 1: only what lies directly in the root. */
  readonly maxDepth?: number;
  /** By path unless given. */
  readonly order?: "path" | "newest";
  /** The most that are given. */
  readonly limit: number;
  /** And until their paths have so many bytes; always one. */
  readonly maxBytes?: number;
}

/** A file that fits. */
export type FoundFile = Omit<Listed, "name">;

/** The files that fit. */
export interface FindResult {
  /** In order. */
  readonly files: readonly FoundFile[];
  /** There are more than the limit. */
  readonly truncated: boolean;
  /** How many there are, where that is known. */
  readonly total?: number;
  /** As many as are known of where the total is not. */
  readonly atLeast?: number;
  /** What was left out though it was asked for, in words. */
  readonly notes: readonly string[];
}

/** Files by glob, in order, and cut then. */
export async function findFiles(
  session: Session,
  request: FindRequest,
  options: CallOptions = {},
): Promise<FindResult> {
  checkRequest(request, FIND, options);
  const { pattern, anyDepth = false, kind } = request;
  const call = openCall(session, options);
  const include = typeof pattern === "string" ? [pattern] : pattern;
  const scope = await openScope(session, { ...request, include, anyDepth, links: kind === "any" });
  const { files: found, total } = await withProgress(options.progress, call.tally, formatProgress, () =>
    searchIn(scope, call.deadline, (place) => find(scope, place, request, call)),
  );
  const files = withinBytes(request.maxBytes ?? Number.POSITIVE_INFINITY, found);
  const notes = scope.notes();
  return { files, truncated: files.length < total, ...(notes.length === 0 ? { total } : { atLeast: total }), notes };
}

async function find(scope: Scope, place: Place | undefined, request: FindRequest, call: SearchCall) {
  const { kind = "file", order = "path", limit } = request;
  const found: Walked[] = [];
  call.tally.files = 0;
  for await (const batch of walk(scope, place, call.deadline)) {
    for (const entry of batch) if (kind === "any" || entry.kind === kind) found.push(entry);
    call.tally.files += batch.length;
    call.tally.matches = found.length;
  }
  if (order === "path") {
    const first = found.slice(0, limit);
    const files = await lookedAt(place, first, call);
    return { files, total: found.length - (first.length - files.length) };
  }
  const files = await lookedAt(place, found, call);
  files.sort((a, b) => b.mtimeMs - a.mtimeMs || comparePaths(a.path, b.path));
  return { files: files.slice(0, limit), total: files.length };
}

/** Synchronous: faster than through the thread pool. */
async function lookedAt(place: Place | undefined, found: readonly Walked[], { deadline }: SearchCall) {
  const otherWork = otherWorkNowAndThen();
  const files: FoundFile[] = [];
  for (const entry of found) {
    const pause = otherWork();
    if (pause !== undefined) {
      await pause;
      deadline.check();
    }
    const file = withStats(place, entry);
    if (file !== undefined) files.push(file);
  }
  return files;
}

function formatProgress({ files = 0, matches }: Tally): string {
  return `${counted(files, "entry")} seen, ${counted(matches, "match")}`;
}
