// What the command line adds to a policy: read-only from outside, and its own files out of every tool's reach.
import { basename, dirname, join, relative, sep } from "node:path";
import type { PolicyInput } from "../../kernel/policy.ts";
import { contains, realOrAsGiven } from "./paths.ts";

/** Flags and environment decide when they speak; otherwise every place in the file that says read-only is believed. */
export function readOnlyOr(policy: PolicyInput, outside: boolean | undefined, inFile: boolean): PolicyInput {
  if (outside === undefined && !inFile) return policy;
  const { readOnly, readonly, ...rest } = policy;
  return { ...rest, readOnly: outside ?? true };
}

/** The configuration, the tokens and the state of other roots, when they lie in this one, under whatever name. */
export function denyOwnFiles(policy: PolicyInput, root: string, files: readonly string[]): PolicyInput {
  const places = files.flatMap((file) => [realOrAsGiven(file), join(realOrAsGiven(dirname(file)), basename(file))]);
  const globs = [...new Set(places)]
    .filter((file) => contains(root, file))
    .map((file) => asGlob(relative(root, file).replaceAll(sep, "/")));
  if (globs.length === 0) return policy;
  const { deniedPaths, denied_paths, ...rest } = policy;
  return { ...rest, deniedPaths: [...(deniedPaths ?? denied_paths ?? []), ...globs] };
}

/** What a glob would take for more than a letter becomes "any letter": it denies this file, and at most its likes. */
function asGlob(path: string): string {
  return path.replaceAll(/[*?[\]{}()!~\\+@]|^\s|\s$/g, "?");
}
