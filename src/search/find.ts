// Files by glob: everything that matches is put in order first, and cut then.
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as otherWork } from "node:timers/promises";
import type { Listed, Path } from "../core/backend.ts";
import { type Deadline, startDeadline } from "../core/deadline.ts";
import { Refusal } from "../core/failure.ts";
import type { CallOptions, Session } from "../kernel/session.ts";
import { walk } from "./fallback/walk.ts";
import { comparePaths, inOrder } from "./order.ts";
import { counted, type Tally, telling } from "./progress.ts";
import { checkRequest, FIND } from "./request-names.ts";
import { type SearchCall, within } from "./results.ts";
import { besideFiles } from "./ripgrep/directories.ts";
import { filesByRipgrep } from "./ripgrep/files.ts";
import { inWhole } from "./ripgrep/in-whole.ts";
import { type Ripgrep, ripgrepFor } from "./ripgrep/process.ts";
import { underRules } from "./ripgrep/under-rules.ts";
import { momentBefore, movedSince } from "./ripgrep/unmoved.ts";
import { inPlace, openScope, type Scope, type ScopeRequest } from "./scope.ts";

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
  return inPlace(session, () => search(session, request, options));
}

async function search(session: Session, request: FindRequest, options: CallOptions): Promise<FindResult> {
  const { pattern, exclude, root, hidden, gitignore, followLinks, maxDepth } = request;
  const deadline =
    options.deadline ?? startDeadline(options.deadlineMs ?? session.workspace.limits.callMs, options.signal);
  const scope = await openScope(session, {
    root,
    ...(pattern !== undefined && { include: typeof pattern === "string" ? [pattern] : pattern }),
    anyDepth: request.anyDepth === true,
    exclude,
    hidden,
    gitignore,
    followLinks,
    links: request.kind === "any",
    maxDepth,
  });
  const ripgrep = await ripgrepFor(scope, deadline);
  const tally: Tally = { files: 0, matches: 0 };
  const call = { deadline, signal: options.signal, tenant: session.workspace.backend.tenant, tally };
  const result = await telling(options.progress, tally, inWords, () => found(ripgrep, scope, request, call));
  const notes = scope.notes();
  const files = within(request.maxBytes ?? Number.POSITIVE_INFINITY, result.files);
  const { total, ...page } = { ...result, files, truncated: result.truncated || files.length < result.files.length };
  if (total === undefined) return { ...page, notes };
  return { ...page, ...(notes.length === 0 ? { total } : { atLeast: total }), notes };
}

type Page = Omit<FindResult, "notes">;

async function found(
  ripgrep: Ripgrep | undefined,
  scope: Scope,
  request: FindRequest,
  call: SearchCall,
): Promise<Page> {
  const isAsked = ripgrep !== undefined && !(scope.at.kind === "file" && request.kind === "directory");
  const page = isAsked ? await inWhole(ripgrep, scope, () => foundByRipgrep(ripgrep, scope, request, call)) : undefined;
  return page ?? cut(await walked(scope, request, call), request);
}

/** Undefined where ripgrep cannot do it. */
async function foundByRipgrep(
  ripgrep: Ripgrep,
  scope: Scope,
  request: FindRequest,
  call: SearchCall,
): Promise<Page | undefined> {
  const start = momentBefore();
  const paths = await pathsByRipgrep(ripgrep, scope, request, call);
  if (paths === undefined) return;
  const page =
    request.order === "newest"
      ? cut(await looked(ripgrep, scope, paths, call.deadline), request)
      : await firstByPath(ripgrep, scope, paths, request.limit, call.deadline);
  return withoutStrangers(ripgrep, scope, page, start);
}

/** Names that may have come from elsewhere stay only if they are here, as the backend sees it. */
async function withoutStrangers(ripgrep: Ripgrep, scope: Scope, result: Page, start: number): Promise<Page> {
  const paths = result.files.map(({ path }) => path);
  const moved = await movedSince(ripgrep, paths, start);
  if (moved.size === 0) return result;
  const files: FoundFile[] = [];
  for (const file of result.files) {
    const known = moved.has(file.path) ? await asBackendSees(scope, file.path) : file;
    if (known?.kind === file.kind) files.push(known);
  }
  const gone = result.files.length - files.length;
  return { ...result, files, ...(result.total !== undefined && { total: result.total - gone }) };
}

async function asBackendSees({ session }: Scope, path: Path): Promise<FoundFile | undefined> {
  try {
    const at = await session.workspace.backend.resolve(path, { link: true });
    if (at.path !== path) return;
    return { path, kind: at.kind, size: at.size, mtimeMs: at.mtimeMs };
  } catch (error) {
    if (error instanceof Refusal) return;
    throw error;
  }
}

function inWords({ files = 0, matches }: Tally): string {
  return `${counted(files, "entry", "entries")} seen, ${counted(matches, "match", "matches")}`;
}

/** Undefined where ripgrep cannot do it. */
async function pathsByRipgrep(
  ripgrep: Ripgrep,
  scope: Scope,
  { kind = "file" }: FindRequest,
  call: SearchCall,
): Promise<Path[] | undefined> {
  const files = await underRules(ripgrep, scope, call.deadline, async (ruled) =>
    kind === "directory" ? [] : filesByRipgrep(ruled, scope, call),
  );
  if (files === undefined || kind === "file" || scope.at.kind === "file") return files;
  const others = await besideFiles(ripgrep, scope, call.deadline);
  call.tally.matches += others.length;
  return [...files, ...others];
}

async function walked(
  scope: Scope,
  { kind = "file" }: FindRequest,
  { deadline, tally }: SearchCall,
): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  for await (const entry of walk(scope, deadline)) {
    tally.files = (tally.files ?? 0) + 1;
    tally.matches = found.length;
    if (kind !== "any" && entry.kind !== kind) continue;
    if (!scope.accepts(entry.path)) continue;
    found.push({ path: entry.path, kind: entry.kind, size: entry.size, mtimeMs: entry.mtimeMs });
  }
  return found;
}

function cut(found: FoundFile[], { order = "path", limit }: FindRequest): Page {
  const byPath = (a: FoundFile, b: FoundFile) => comparePaths(a.path, b.path);
  found.sort(order === "path" ? byPath : (a, b) => b.mtimeMs - a.mtimeMs || byPath(a, b));
  return { files: found.slice(0, limit), truncated: found.length > limit, total: found.length };
}

/** Only what is shown has to be looked at. */
async function firstByPath(
  ripgrep: Ripgrep,
  scope: Scope,
  paths: readonly Path[],
  limit: number,
  deadline: Deadline,
): Promise<Page> {
  const files = await looked(ripgrep, scope, inOrder(paths, (path) => path).slice(0, limit), deadline);
  return { files, truncated: paths.length > limit, total: paths.length };
}

const BATCH = 4096;

/** One after the other is faster than through the thread pool; other work gets its turn in between. */
export async function looked(
  { directory }: Ripgrep,
  { links }: Scope,
  paths: readonly Path[],
  deadline: Deadline,
): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  for (const [n, path] of paths.entries()) {
    if (n % BATCH === BATCH - 1) {
      await otherWork();
      deadline.check();
    }
    const stat = lstatSync(join(directory, path), { throwIfNoEntry: false });
    if (stat?.isFile()) found.push({ path, kind: "file", size: stat.size, mtimeMs: stat.mtimeMs });
    else if (stat?.isDirectory()) found.push({ path, kind: "directory", size: 0, mtimeMs: stat.mtimeMs });
    else if (links && stat?.isSymbolicLink()) found.push({ path, kind: "link", size: 0, mtimeMs: stat.mtimeMs });
  }
  return found;
}
