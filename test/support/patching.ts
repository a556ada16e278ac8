// What the patch tests share: apply a patch to a few named texts, or get the refusal.
import { type Failure, Refusal } from "stet";
import { parsePatch, planPatch } from "stet/edit";
import { expect } from "vitest";

export type Files = Readonly<Record<string, string>>;

/** Files as they would be after the patch. */
export function patched(files: Files, patch: string): Record<string, string> {
  const after: Record<string, string> = { ...files };
  for (const plan of plans(files, patch)) {
    if (plan.op !== "add") delete after[plan.path];
    if (plan.op !== "delete") after[plan.op === "move" ? plan.toPath : plan.path] = plan.newText;
  }
  return after;
}

export function plans(files: Files, patch: string) {
  return planPatch(parsePatch(patch), (path) => files[path] ?? null);
}

export function refusal(files: Files, patch: string): Failure {
  try {
    plans(files, patch);
  } catch (error) {
    if (error instanceof Refusal) return error.failure;
    throw error;
  }
  return expect.unreachable("the patch was not refused");
}

/** An envelope around section lines. */
export function envelope(...lines: string[]): string {
  return ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");
}

/** One update of the file `f`. */
export function update(...lines: string[]): string {
  return envelope("*** Update File: f", ...lines);
}

export function unified(...lines: string[]): string {
  return ["--- a/f", "+++ b/f", ...lines, ""].join("\n");
}
