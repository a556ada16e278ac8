// Paths in this dialect: relative to the root only.
import { shown, splitPath } from "../../backends/names.ts";
import { Refusal } from "../../kernel/failure.ts";

export function relativeOnly(raw: string): string {
  if (!splitPath(raw).absolute) return raw;
  throw new Refusal("outside_workspace", `${shown(raw)} is an absolute path.`, {
    path: raw,
    next: "Use a path relative to the root of the workspace.",
  });
}

/** A directory to start from: "" and "." are the root. */
export function directoryOnly(raw: string): string {
  return raw.trim() === "" ? "." : relativeOnly(raw);
}
