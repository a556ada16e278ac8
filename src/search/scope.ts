// What a search looks at: where it starts, which names it goes through, and which paths may be in its answer.
import type { Backend, Path, Resolved } from "../core/backend.ts";
import { Refusal } from "../core/failure.ts";
import { TEXTS } from "../core/options/option-values.ts";
import { parentOf } from "../core/paths.ts";
import { withNearNames } from "../kernel/read/near-names.ts";
import type { Session } from "../kernel/session.ts";
import { fileTypes } from "./globs/file-types.ts";
import { compileGlobs, type Globs, plainName } from "./globs/globs.ts";
import { compileRooted, type RootedGlobs } from "./globs/rooted.ts";

export interface ScopeRequest {
  /** Where to search. What a session has just resolved is not resolved again. */
  readonly root: Path | Resolved;
  /** What the policy must allow. Default "search"; "read" for a tool that looks into one file it reads anyway. */
  readonly action?: "search" | "read" | undefined;
  readonly include?: readonly string[];
  readonly anyDepth: boolean;
  readonly exclude?: readonly string[] | undefined;
  readonly type?: string | undefined;
  readonly hidden?: boolean | undefined;
  readonly gitignore?: boolean | undefined;
  readonly followLinks?: boolean | undefined;
  readonly links?: boolean | undefined;
  readonly maxDepth?: number | undefined;
}

export interface Scope {
  readonly session: Session;
  readonly at: Resolved;
  readonly hidden: boolean;
  readonly gitignore: boolean;
  readonly followLinks: boolean;
  /** Links are entries of their own; only where they are not followed. */
  readonly links: boolean;
  /** 1: only what lies directly in the root. Infinity unless asked for. */
  readonly maxDepth: number;
  readonly type: string | undefined;
  /** Globs of the last name that every accepted path fits; for an engine that can skip files by name. */
  readonly lastNames: readonly string[] | undefined;
  /** Names that are excluded wherever they are; for an engine that can skip them early. */
  readonly excludedNames: readonly string[];
  /** May be in the answer: included, not excluded, allowed by the policy. */
  accepts(path: string): boolean;
  /** What had to be left out for other reasons than those of the request or the policy, in words. */
  notes(): readonly string[];
  /** Adds to the notes; what was said already is not said again, nor are more than a few. */
  note(text: string): void;
  /** Nothing at or below this directory can be in the answer. */
  prunes(directory: string): boolean;
}

/** Deeper than any tree that people make; it bounds what a glob with several "**" has to try. */
const DEEPEST = 128;
const MOST_NOTES = 5;
/** Not up to the policy's owner, so an engine need not look there at all. */
const STATE = ".stet";

/**
 * Other programs go to the root by its path, which the backend does not: a search counts only if the root was there
 * before it, as `openScope` sees to, and after it. Where it is gone, that is the reason for whatever else went wrong.
 */
export async function inPlace<T>({ workspace: { backend } }: Session, search: () => Promise<T>): Promise<T> {
  try {
    return await search();
  } finally {
    await backend.resolve(".");
  }
}

export async function openScope(session: Session, request: ScopeRequest): Promise<Scope> {
  const { backend, policy } = session.workspace;
  const { action = "search" } = request;
  const include = request.include === undefined ? undefined : globsOf(session, request.include, request);
  const exclude = compileRooted(session, request.exclude ?? [], { anyDepth: true, dot: true });
  const type = request.type === undefined ? undefined : typeGlobs(request.type);
  const at = await startAt(backend, request.root);
  const path = typeof request.root === "string" ? request.root : at.path;
  policy.check(at.path, action);
  if (at.kind === "absent") {
    const missing = new Refusal("not_found", `${path} does not exist.`, {
      path,
      next: "Check the path; list the directory above it to see what is there.",
    });
    throw await withNearNames(session.workspace, missing);
  }
  if (at.kind !== "file" && at.kind !== "directory") throw neither(path);

  const start = at.kind === "file" ? at.path.lastIndexOf("/") + 1 : at.path === "" ? 0 : at.path.length + 1;
  const isExcluding = (request.exclude ?? []).length > 0;
  const excluded = isExcluding ? exclusion(exclude, at.path.slice(0, start)) : () => false;
  const listable = policy.allowedActions.includes("list");
  const slowWhenDeep = include?.slowWhenDeep === true || exclude.slowWhenDeep;
  let deepest: string | undefined;
  const told = new Set<string>();
  return {
    session,
    at,
    hidden: request.hidden === true || include?.namesHidden === true,
    gitignore: request.gitignore !== false,
    followLinks: request.followLinks === true,
    links: request.links === true && request.followLinks !== true,
    maxDepth: request.maxDepth ?? Number.POSITIVE_INFINITY,
    type: request.type,
    lastNames: include?.lastNames,
    excludedNames: [STATE, ...(request.exclude ?? []).flatMap((glob) => plainName(glob) ?? [])],
    accepts(path) {
      const relative = path.slice(start);
      if (slowWhenDeep && isDeep(relative)) {
        if (policy.allows(path, action)) deepest ??= path;
        return false;
      }
      if (include !== undefined && !include.matches(relative, path)) return false;
      if (type !== undefined && !type.matches(relative)) return false;
      return !excluded(relative) && policy.allows(path, action);
    },
    notes: () => [...(deepest === undefined ? [] : [tooDeep(deepest)]), ...told],
    note(text) {
      if (told.size < MOST_NOTES) told.add(text);
    },
    prunes(directory) {
      if (slowWhenDeep && isDeep(directory.slice(start))) return false;
      if (excluded(directory.slice(start))) return true;
      return listable && !policy.allows(directory, "list") && !policy.allows(directory, action);
    },
  };
}

/** A backend refuses to resolve its root when that is gone. */
async function startAt(backend: Backend, root: Path | Resolved): Promise<Resolved> {
  const path = typeof root === "string" ? root : root?.path;
  if (typeof path !== "string") throw new Refusal("invalid_input", "The root of a search is a path.");
  const isTop = path === "" || path === ".";
  if (typeof root !== "string" && isTop) return root;
  const top = await backend.resolve(".");
  if (typeof root !== "string") return root;
  return isTop ? top : backend.resolve(root);
}

/** A pipe, a socket or a device. */
export function neither(path: string): Refusal {
  return new Refusal("not_a_file", `${path} is neither a file nor a directory, but a pipe, a socket or a device.`, {
    path,
    next: "Name a directory or a regular file.",
    details: { special: true },
  });
}

function isDeep(relative: string): boolean {
  return relative.length > DEEPEST && relative.split("/").length > DEEPEST;
}

function tooDeep(path: string): string {
  return `Paths of more than ${DEEPEST} levels are not compared with globs of several "**", so what lies so deep is left out: search from a directory further down, such as ${path.split("/").slice(0, DEEPEST).join("/")}, or with a simpler glob.`;
}

function globsOf(session: Session, patterns: readonly string[], { anyDepth, hidden }: ScopeRequest): RootedGlobs {
  if (!TEXTS.fits(patterns) || patterns.some((pattern) => pattern === "" || pattern.includes("\0"))) {
    throw new Refusal("invalid_input", "A glob must not be empty or contain a NUL character.", {
      next: 'Give a glob such as "**/*.ts".',
    });
  }
  return compileRooted(session, patterns, { anyDepth, dot: hidden === true });
}

/** A match on a directory excludes all that lies below. */
function exclusion(globs: RootedGlobs, start: string): (relative: string) => boolean {
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

function typeGlobs(type: string): Globs {
  const globs = fileTypes().get(type);
  if (globs !== undefined) return compileGlobs(globs, { anyDepth: true, dot: true });
  const near = [...fileTypes().keys()].filter((name) => name[0] === type[0]);
  throw new Refusal("invalid_input", `There is no file type ${JSON.stringify(type)}.`, {
    next: `Use a known type${near.length > 0 ? ` (${near.slice(0, 12).join(", ")})` : ""}, or a glob such as "*.${type}".`,
  });
}
