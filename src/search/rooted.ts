// Globs of a request: those that are absolute say a path from the root of the workspace, all others from where it starts.
import { Refusal } from "../kernel/failure.ts";
import type { Session } from "../kernel/session.ts";
import { compileGlobs, type GlobOptions, type Globs } from "./globs.ts";

export interface RootedGlobs extends Omit<Globs, "matches"> {
  /** `relative`: below the start; `path`: below the root of the workspace. */
  matches(relative: string, path: string): boolean;
}

export function compileRooted(session: Session, patterns: readonly string[], options: GlobOptions): RootedGlobs {
  refuseOutside(session, patterns);
  const { relative } = session.workspace.backend;
  const fromRoot = (pattern: string): string | undefined => relative?.(pattern);
  const here = compileGlobs(
    patterns.filter((pattern) => fromRoot(pattern) === undefined),
    options,
  );
  const absolute = patterns.flatMap((pattern) => fromRoot(pattern) ?? []);
  if (absolute.length === 0) return here;
  const rooted = compileGlobs(
    absolute.map((pattern) => (pattern === "." ? "*" : pattern)),
    { ...options, anyDepth: false },
  );
  return {
    matches: (below, path) => here.matches(below) || rooted.matches(path),
    slowWhenDeep: here.slowWhenDeep || rooted.slowWhenDeep,
    namesHidden: here.namesHidden || rooted.namesHidden,
    ...(absolute.length === patterns.length && rooted.lastNames !== undefined && { lastNames: rooted.lastNames }),
  };
}

/** Absolute, and not in the workspace: it could only match nothing. */
function refuseOutside({ workspace: { backend } }: Session, patterns: readonly string[]): void {
  const outside = patterns.find(
    (each) => /^(?:[\\/]|[A-Za-z]:[\\/])/.test(each) && backend.relative?.(each) === undefined,
  );
  if (outside === undefined) return;
  throw new Refusal("outside_workspace", `The pattern ${JSON.stringify(outside)} leads outside the workspace.`, {
    path: outside,
    next: "Give a pattern that is relative to the directory that is searched.",
  });
}
