// What is not yet so, and where.
import type { Lack } from "./proper.ts";
import type { SurfaceName } from "./world.ts";

/** The first line is the one that a seed fixes. */
const FIXED: Partial<Record<SurfaceName, readonly Lack[]>> = { tracked: ["first"], files: ["first"] };

const OPEN: Partial<Record<SurfaceName, readonly Lack[]>> = {
  tracked: ["next", "end"],
  files: ["next", "end", "grammar"],
};

export function knownFor(name: SurfaceName): readonly Lack[] {
  return [...(FIXED[name] ?? []), ...(OPEN[name] ?? [])];
}
