// What is not yet so, and where.
import type { FailureKind } from "../../../src/kernel/failure.ts";
import type { Lack } from "./proper.ts";
import type { SurfaceName } from "./world.ts";

/** The first line is the one that a seed fixes. */
const FIXED: Partial<Record<SurfaceName, readonly Lack[]>> = { tracked: ["first"], files: ["first"] };

const OPEN: Partial<Record<SurfaceName, readonly Lack[]>> = {
  tracked: ["next", "end"],
  files: ["next", "end", "grammar"],
};

const OPEN_KINDS: Partial<Record<SurfaceName, Partial<Record<FailureKind, readonly Lack[]>>>> = {
  workspace: { not_found: ["next"], command_failed: ["next"], cancelled: ["next"] },
  compact: { cancelled: ["next"] },
  anchors: { cancelled: ["next"] },
};

export function knownFor(name: SurfaceName, kind: FailureKind): readonly Lack[] {
  return [...(FIXED[name] ?? []), ...(OPEN[name] ?? []), ...(OPEN_KINDS[name]?.[kind] ?? [])];
}
