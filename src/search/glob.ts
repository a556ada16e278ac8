// Files by glob: all matches are put in order first, and cut then.
import { COUNT, FLAG, oneOf, strictOptions, TEXTS } from "../api/options.ts";
import type { Listed } from "../core/backend.ts";
import type { CallOptions, Session } from "../kernel/session.ts";
import { plural } from "../words/plural.ts";
import { openCall, type SearchCall, type Tally, withProgress } from "./call.ts";
import { comparePaths, withinBytes } from "./engine.ts";
import { openScope, type Scope, type SearchRequest, searchIn } from "./scope.ts";
import { type Walked, walk, withStats } from "./walk.ts";

/** Which files are wanted. */
export interface FindRequest extends SearchRequest {
  /** Globs relative to `root`. */
  readonly pattern?: string | readonly string[];
  /** A pattern without "/" is about the name, at any depth. */
  readonly anyDepth?: boolean;
  /** any: links, too, as they are; else they are in no answer unless they are followed. */
  readonly kind?: "file" | "directory" | "any";
  /** Never to what is outside the workspace. */
  readonly followLinks?: boolean;
  /** By path unless given. */
  readonly order?: "path" | "newest";
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

const REQUEST = strictOptions<FindRequest>({
  pattern: true,
  anyDepth: FLAG,
  exclude: TEXTS,
  root: true,
  kind: oneOf("file", "directory", "any"),
  hidden: FLAG,
  gitignore: FLAG,
  followLinks: FLAG,
  maxDepth: COUNT,
  order: oneOf("path", "newest"),
  limit: COUNT,
  maxBytes: COUNT,
});

/** Files by glob, in order, and cut then. */
export async function findFiles(
  session: Session,
  request: FindRequest,
  options: CallOptions = {},
): Promise<FindResult> {
  const { pattern, anyDepth = false, kind } = request;
  const call = openCall(session, request, REQUEST, options);
  const include = typeof pattern === "string" ? [pattern] : pattern;
  const scope = await openScope(session, { ...request, include, anyDepth, links: kind === "any" });
  const { files: found, total } = await withProgress(options.progress, call.tally, formatProgress, () =>
    searchIn(scope, call.deadline, (directory) => find(scope, directory, request, call)),
  );
  const files = withinBytes(request.maxBytes ?? Number.POSITIVE_INFINITY, found);
  const notes = scope.notes();
  return { files, truncated: files.length < total, ...(notes.length === 0 ? { total } : { atLeast: total }), notes };
}

async function find(
  scope: Scope,
  directory: string | undefined,
  request: FindRequest,
  { deadline, tally }: SearchCall,
) {
  const { kind = "file", order = "path", limit } = request;
  const found: Walked[] = [];
  tally.files = 0;
  for await (const batch of walk(scope, directory, deadline)) {
    const fitting = kind === "any" ? batch : batch.filter((entry) => entry.kind === kind);
    found.push(...(order === "path" ? fitting : withStats(directory, fitting)));
    tally.files += batch.length;
    tally.matches = found.length;
  }
  if (order === "newest") {
    const files = found as FoundFile[];
    files.sort((a, b) => b.mtimeMs - a.mtimeMs || comparePaths(a.path, b.path));
    return { files: files.slice(0, limit), total: found.length };
  }
  const first = found.slice(0, limit);
  const files = withStats(directory, first);
  return { files, total: found.length - (first.length - files.length) };
}

function formatProgress({ files = 0, matches }: Tally): string {
  return `${plural(files, "entry")} seen, ${plural(matches, "match")}`;
}
