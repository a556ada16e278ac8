// The scope of a search: its start, the names that it enters, and the paths that may be in its answer.
import type { Backend, Path, Resolved, SearchableCopy } from "../core/backend.ts";
import type { Deadline } from "../core/deadline.ts";
import { Refusal } from "../core/failure.ts";
import { parentOf } from "../core/paths.ts";
import { withNearNames } from "../kernel/read/near-names.ts";
import type { Session } from "../kernel/session.ts";
import { refuse } from "../words/index.ts";
import { fileTypes } from "./file-types.ts";
import { compileGlobs, type Globs, plainName } from "./globs.ts";

/** What `grep` and `findFiles` are asked alike. */
export interface SearchRequest {
  /** Where to look, as `session.resolve` gives it: then it is not resolved again. */
  readonly root: Path | Resolved;
  /** A match on a directory excludes all below; a glob without "/" is about the name, at any depth. */
  readonly exclude?: readonly string[];
  /** Also names that begin with a dot; false unless given. */
  readonly hidden?: boolean;
  /** Whether files like .gitignore hold; they do unless given. */
  readonly gitignore?: boolean;
  /** 1: only what lies directly in the root. */
  readonly maxDepth?: number | undefined;
  /** At most so many are given. */
  readonly limit: number;
  /** And at most so many bytes of them; always one. */
  readonly maxBytes?: number;
}

interface ScopeRequest extends SearchRequest {
  readonly action?: "search" | "read";
  readonly include?: readonly string[] | undefined;
  readonly anyDepth: boolean;
  readonly type?: string;
  readonly followLinks?: boolean;
  readonly links?: boolean;
}

export interface Scope {
  readonly session: Session;
  readonly at: Resolved;
  readonly hidden: boolean;
  readonly gitignore: boolean;
  readonly followLinks: boolean;
  /** Links that are not followed are entries of their own. */
  readonly links: boolean;
  /** Infinity unless asked for, or a glob would be slow. */
  readonly maxDepth: number;
  readonly type: string | undefined;
  /** Globs of the last name that every accepted path matches: ripgrep skips other files early. */
  readonly lastNames: readonly string[] | undefined;
  /** Names excluded wherever they are: ripgrep skips them early. */
  readonly excludedNames: readonly string[];
  /** May be in the answer: included, not excluded, allowed by the policy. */
  accepts(path: string): path is Path;
  /** Nothing at or below this directory can be in the answer. */
  prunes(directory: string): boolean;
  /** What had to be left out for other reasons than the request or the policy. */
  notes(): readonly string[];
  /** Adds a note once; only the first few are kept. */
  note(text: string): void;
}

/** For a glob with several "**", which would take very long on a deeper path. No tree that people make is so deep. */
const MAX_LEVELS = 128;
const MAX_NOTES = 5;
/** Denied by every policy, so that ripgrep need not look there at all. */
const STATE = ".stet";

export async function openScope(session: Session, request: ScopeRequest): Promise<Scope> {
  const { backend, policy } = session.workspace;
  const { action = "search", hidden = false, anyDepth, exclude = [] } = request;
  const include = request.include && compileGlobs(checkedGlobs(request.include), { anyDepth, dot: hidden, backend });
  const excluded = compileGlobs(exclude, { anyDepth: true, dot: true, backend });
  const type = request.type === undefined ? undefined : typeGlobs(request.type, backend);
  const { root } = request;
  const at = typeof root === "string" ? await backend.resolve(root === "" ? "." : root) : root;
  policy.check(at.path, action);
  if (at.kind !== "file" && at.kind !== "directory") throw await notSearchable(session, root, at);

  const start = at.kind === "file" ? at.path.lastIndexOf("/") + 1 : at.path === "" ? 0 : at.path.length + 1;
  const isExcluded = exclusion(excluded, at.path.slice(0, start));
  const isListable = policy.allowedActions.includes("list");
  const levels = include?.slowWhenDeep || excluded.slowWhenDeep ? MAX_LEVELS : Number.POSITIVE_INFINITY;
  const noted = new Set<string>();
  return {
    session,
    at,
    hidden: hidden || include?.namesHidden === true,
    gitignore: request.gitignore !== false,
    followLinks: request.followLinks === true,
    links: request.links === true,
    maxDepth: Math.min(request.maxDepth ?? Number.POSITIVE_INFINITY, levels),
    type: request.type,
    lastNames: include?.lastNames,
    excludedNames: [STATE, ...exclude.flatMap((glob) => plainName(glob) ?? [])],
    accepts(path): path is Path {
      const relative = path.slice(start);
      if (include !== undefined && !include.matches(relative, path)) return false;
      if (type !== undefined && !type.matches(relative, path)) return false;
      return !isExcluded(relative) && policy.allows(path, action);
    },
    notes: () => [...noted],
    note(text) {
      if (noted.size < MAX_NOTES) noted.add(text);
    },
    prunes(directory) {
      if (isExcluded(directory.slice(start))) return true;
      return isListable && !policy.allows(directory, "list") && !policy.allows(directory, action);
    },
  };
}

/**
 * Searches in the directory of the workspace, or in a copy of it; `undefined` where there is neither. What is found in a
 * copy counts only if nothing was missing there: it lies in a cache, which may be emptied at any time. A search counts
 * only if the root is still in its place afterwards: `directory` is entered by name where it cannot be pinned.
 */
export async function searchIn<T>(
  { session, at, followLinks }: Scope,
  deadline: Deadline,
  search: (directory: string | undefined) => Promise<T>,
): Promise<T> {
  const { backend } = session.workspace;
  const directory = backend.pinned ?? backend.directory;
  try {
    // Only the backend can tell whether a link stays inside.
    if (followLinks) return await search(undefined);
    if (directory !== undefined) return await search(directory);
    const copy = await backend.searchable?.(deadline);
    if (copy === undefined) return await search(undefined);
    return (await inCopy(copy, at, search)) ?? (await search(undefined));
  } finally {
    await backend.resolve(".");
  }
}

/** Undefined where the copy is not whole. */
async function inCopy<T>(
  { directory, isWhole }: SearchableCopy,
  { kind, path }: Resolved,
  search: (directory: string) => Promise<T>,
): Promise<T | undefined> {
  const below = kind === "file" ? (parentOf(path) as Path) : path;
  try {
    const found = await search(directory);
    return (await isWhole(below)) ? found : undefined;
  } catch (error) {
    const isEnded = error instanceof Refusal && (error.kind === "timeout" || error.kind === "cancelled");
    if (isEnded || (await isWhole(below))) throw error;
    return undefined;
  }
}

async function notSearchable({ workspace }: Session, root: Path | Resolved, at: Resolved): Promise<Refusal> {
  const path = typeof root === "string" ? root : at.path;
  if (at.kind !== "absent") return refuse("special_file", { path });
  return withNearNames(workspace, refuse("search_root_missing", { path }));
}

function checkedGlobs(patterns: readonly string[]): readonly string[] {
  const isUsable = (glob: unknown) => typeof glob === "string" && glob !== "" && !glob.includes("\0");
  if (Array.isArray(patterns) && patterns.every(isUsable)) return patterns;
  throw refuse("glob_unusable", {});
}

/** A match on a directory excludes all that lies below. */
function exclusion(globs: Globs, start: string): (relative: string) => boolean {
  const directories = new Map<string, boolean>([["", false]]);
  const inExcluded = (directory: string): boolean => {
    const known = directories.get(directory);
    if (known !== undefined) return known;
    const excluded = globs.matches(directory, start + directory) || inExcluded(parentOf(directory));
    directories.set(directory, excluded);
    return excluded;
  };
  return (relative) => inExcluded(parentOf(relative)) || globs.matches(relative, start + relative);
}

function typeGlobs(type: string, backend: Backend): Globs {
  const globs = fileTypes().get(type);
  if (globs !== undefined) return compileGlobs(globs, { anyDepth: true, dot: true, backend });
  const near = [...fileTypes().keys()].filter((name) => name[0] === type[0]).slice(0, 12);
  throw refuse("file_type_unknown", { type, near });
}
