// Places that are the owner's alone, as globs of the policy of a root that they lie in.
import { posix, relative, sep } from "node:path";
import { contains } from "../backends/disk/paths/owner-path.ts";
import type { PolicyInput } from "../kernel/policy/policy.ts";

/** Places that are the owner's alone, with all below them, where they lie in this root: files, states, and what decides the way there. */
export function denyPlaces(policy: PolicyInput, root: string, places: readonly string[]): PolicyInput {
  const globs = [...new Set(places)]
    .filter((place) => place !== root && contains(root, place))
    .map((place) => asGlob(relative(root, place).replaceAll(sep, "/")));
  if (globs.length === 0) return policy;
  const { deniedPaths, denied_paths, ...rest } = policy;
  return { ...rest, deniedPaths: [...(deniedPaths ?? denied_paths ?? []), ...globs] };
}

const MAX_GLOB = 512;

/** What a glob would take for more than a letter, or not take at all, becomes "any letter": it denies this file, and at most its likes. */
function asGlob(path: string): string {
  const glob = path.replaceAll(/[*?[\]{}()!~\\+@:,\0-\x1F\x7F]|^\s|\s$/g, "?");
  return glob.length > MAX_GLOB ? `**/${posix.basename(glob)}` : glob;
}
