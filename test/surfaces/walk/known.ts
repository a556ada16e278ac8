// What is not as it is elsewhere: where a seed fixes the words, and what is not yet so.
import type { FailureKind } from "../../../src/kernel/failure.ts";
import type { Lack } from "./proper.ts";
import type { SurfaceName } from "./world.ts";

/** The first line is the one that the seed fixes. */
const FIXED: Partial<Record<SurfaceName, readonly Lack[]>> = { tracked: ["first"], files: ["first"] };

const OPEN: Partial<Record<SurfaceName, readonly Lack[]>> = {
  tracked: ["next", "end"],
  files: ["next", "end"],
};

export function knownFor(name: SurfaceName, kind: FailureKind): readonly Lack[] {
  // "refusing to edit a.txt: Read it first" is all of it, and says what to do.
  const whole: readonly Lack[] = name === "tracked" && kind === "unread_file" ? ["next", "end"] : [];
  return [...(FIXED[name] ?? []), ...whole, ...(OPEN[name] ?? [])];
}
