// Refusals of the kernel in words that the tools of a dialect can follow.
import type { Failure, FailureKind } from "../../core/failure.ts";
import type { AnyTool } from "../tool.ts";

/** The kernel knows encodings, ranges and deletion; a tool that has no such parameter must not be told to use it. */
export function followable(given: Failure, tool: AnyTool): Failure {
  const failure = rootAsDirectory(given, tool.additive === true ? "already_exists" : "not_a_file");
  const { kind, suggestedAction } = failure;
  // The file as it is, which no part of a page helps to change; what it would become has words of its own.
  if (kind === "file_too_large" && tool.effect !== "read" && given.reason === "too_large")
    return { ...failure, suggestedAction: TOO_LARGE_TO_CHANGE };
  if (kind === "old_text_not_found" && failure.details?.empty === true)
    return { ...failure, suggestedAction: `Use ${WRITERS[tool.name]} to give it its text.` };
  if (suggestedAction === undefined || (kind !== "not_text" && kind !== "binary_file")) return failure;
  const possible = Object.hasOwn(tool.input.shape, "encoding") ? suggestedAction : withoutEncoding(suggestedAction);
  return { ...failure, suggestedAction: possible.replace(DELETION, WRITERS[tool.name] === "Write" ? OVER : ".") };
}

/** A caller that would write to the root has mistaken a directory for a file; no rule of the owner is in the way. */
export function rootAsDirectory(
  failure: Failure,
  as: Extract<FailureKind, "already_exists" | "not_a_file"> = "not_a_file",
): Failure {
  const { kind, details } = failure;
  if (kind !== "permission_denied" || details?.rule !== "root" || details.source !== "built-in") return failure;
  return {
    ...failure,
    kind: as,
    message: "The root of the workspace is a directory.",
    suggestedAction: "Name a file in it.",
    details: { directory: true },
    recoverable: true,
  };
}

const TOO_LARGE_TO_CHANGE =
  "It is too large to be changed by these tools: leave it as it is, change it another way, such as a command in a shell, or have the owner allow larger files.";

/** Beside the tools that edit. */
const WRITERS: Readonly<Record<string, string>> = { edit_file: "write_file", Edit: "Write", files: "write" };

const DELETION = "; if it is to be replaced, delete it and create it anew.";
const OVER = "; Write replaces it as a whole.";

function withoutEncoding(action: string): string {
  return action.replace(/, or (?:write the whole file with encoding "utf-8"|name the file's encoding)\.$/, ".");
}
