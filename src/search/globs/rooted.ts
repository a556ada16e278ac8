// Globs of a request: those that are absolute say a path from the root of the workspace, all others from where it starts.
import type { Backend } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import type { Session } from "../../kernel/session.ts";
import { compileGlobs, type GlobOptions, type Globs } from "./globs.ts";

export interface RootedGlobs extends Omit<Globs, "matches"> {
  /** `relative`: below the start; `path`: below the root of the workspace. */
  matches(relative: string, path: string): boolean;
}

export function compileRooted(
  { workspace: { backend } }: Session,
  patterns: readonly string[],
  options: GlobOptions,
): RootedGlobs {
  const here = compileGlobs(
    patterns.filter((pattern) => !isAbsolute(pattern)),
    options,
  );
  const absolute = patterns.filter(isAbsolute).map((pattern) => fromRoot(backend, pattern));
  if (absolute.length === 0) return here;
  const rooted = compileGlobs(
    absolute.map((pattern) => (pattern === "." || pattern === "" ? "*" : pattern)),
    { ...options, anyDepth: false },
  );
  return {
    matches: (below, path) => here.matches(below) || rooted.matches(path),
    slowWhenDeep: here.slowWhenDeep || rooted.slowWhenDeep,
    namesHidden: here.namesHidden || rooted.namesHidden,
    ...(absolute.length === patterns.length && rooted.lastNames !== undefined && { lastNames: rooted.lastNames }),
  };
}

/** Where the files are in no directory, the root is "/". What is not in the workspace could only match nothing. */
function fromRoot({ relative }: Backend, pattern: string): string {
  const path = relative === undefined ? /^\/+(.*)$/s.exec(pattern)?.[1] : relative(pattern);
  if (path !== undefined) return path;
  throw new Refusal("outside_workspace", `The glob ${JSON.stringify(pattern)} leads outside the workspace.`, {
    path: pattern,
    next: "Give a glob that is relative to the directory that is searched.",
  });
}

/** In the writing of any system; a backslash before a character that means something in a glob only escapes it. */
function isAbsolute(pattern: string): boolean {
  return /^(?:\/|\\(?![[\](){}!*?+@|])|[A-Za-z]:[\\/])/.test(pattern);
}
