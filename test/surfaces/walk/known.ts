// What seeds fix, although it is said otherwise elsewhere.
import type { Lack } from "./proper.ts";
import type { SurfaceName } from "./world.ts";

/** The first line is the one that the seed fixes. */
const FIXED: Partial<Record<SurfaceName, readonly Lack[]>> = { tracked: ["first"], files: ["first"] };

/** One line that says all, without a full stop. */
const COMPLETE = /^refusing to (?:edit|overwrite) .+: Read it first$/;

export function knownFor(name: SurfaceName, text: string): readonly Lack[] {
  if (name === "tracked" && COMPLETE.test(text)) return ["first", "next", "end"];
  return FIXED[name] ?? [];
}
