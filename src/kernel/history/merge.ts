// Carries a step between two versions of a file over to a third one, line by line.
import type { Path, Version } from "../../core/backend.ts";
import { Deadline } from "../../core/deadline.ts";
import { LIMITS } from "../../core/limits.ts";
import type { MergeConflict } from "../../core/refusal-details.ts";
import { versionOf } from "../../core/version.ts";
import { conflictsOf } from "../change/plan.ts";
import { runInWorker } from "../run-in-worker.ts";
import { decode, encodeWhole } from "../text/text.ts";

export interface Step {
  readonly from: Version;
  readonly to: Version;
}

/** The encoding and the mode are those of `onto`. */
export async function mergeStep(
  { from, to }: Step,
  onto: Version,
  path?: Path,
): Promise<Version | { readonly conflicts: readonly MergeConflict[] }> {
  const text = decode(onto.parts, { path });
  const [base, next] = [from, to].map(({ parts }) => decode(parts, { path }).body);
  const merged = await runInWorker("merge3", [base!, text.body, next!], new Deadline(LIMITS.callMs));
  return merged.ok ? versionOf(encodeWhole(text, merged.text), onto.mode) : { conflicts: conflictsOf(merged) };
}
