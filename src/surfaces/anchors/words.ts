// Refusals in the names of this dialect: `details.error`, `details.suggested_action` and `details.error_family`.
import { type Failure, type FailureKind, inOrder } from "../../core/failure.ts";
import { followable } from "../answer/followable.ts";
import { legibleDiff, legibleFailure } from "../answer/legible.ts";
import { diffInWords } from "../call.ts";
import type { AnyTool } from "../tool.ts";

/** The usual words, and before the diff the anchors of the file as it is now: what the caller goes on with. */
export function withFreshAnchors(failure: Failure, tool: AnyTool): string | undefined {
  const fresh = failure.details?.fresh_anchors;
  if (!Array.isArray(fresh)) return undefined;
  const { message, suggestedAction } = failure;
  const anchors = `\n\nAnchors of the file now:\n${fresh.join("\n")}`;
  return inOrder([tool.refused, message, suggestedAction]) + anchors + diffInWords(failure);
}

interface Named {
  readonly error: string;
  readonly suggested_action?: string;
}

/** The kind stays what it is everywhere; the dialect's own names ride along, and what the refusal says itself wins. */
export function inDialect(given: Failure, tool: AnyTool): Failure {
  const failure = legibleFailure(followable(given, tool));
  const { error, ...action } = named(failure, tool);
  const isNotHere = STALE.has(given.reason) || NOT_HERE.test(failure.suggestedAction ?? "");
  const next = isNotHere ? nextWith(tool, failure.kind) : undefined;
  return {
    ...failure,
    ...(next !== undefined && { suggestedAction: next }),
    details: { error, error_family: error, ...action, ...(allDisplayable(failure.details ?? {}) as object) },
  };
}

/** These tools list no directories, search no files and go by file versions. */
const NOT_HERE = /\b(?:list|search in)\b/i;
const STALE: ReadonlySet<string | undefined> = new Set(["changed_since", "expected_no_file", "not_mergeable"]);
const NEXT: Readonly<Partial<Record<FailureKind, string>>> = {
  stale_file: "Read the file again and re-apply your edit.",
  not_found: "Check the path; write_file creates a file.",
  not_a_file: "Name a file.",
  file_too_large: "Leave it as it is; these tools take smaller files only.",
};

/** An agent that reads may not be allowed to write. */
function nextWith({ effect }: AnyTool, kind: FailureKind): string | undefined {
  return kind === "not_found" && effect === "read" ? "Check the path." : NEXT[kind];
}

function named(failure: Failure, tool: AnyTool): Named {
  if (failure.kind === "invalid_input") return invalidInput(failure);
  if (failure.kind === "stale_file" && failure.details?.cause === undefined) {
    const error = tool.name === "write_file" ? "write_conflict" : "file_version_mismatch";
    return { error, suggested_action: "re-read_file" };
  }
  return NAMES[failure.kind] ?? { error: failure.kind };
}

const NAMES: Readonly<Partial<Record<FailureKind, Named>>> = {
  anchor_stale: { error: "anchor_stale", suggested_action: "re-read_file" },
  anchor_not_found: { error: "anchor_not_found", suggested_action: "reformat_anchor" },
  anchor_ambiguous: { error: "anchor_ambiguous", suggested_action: "re-read_with_context" },
  anchor_context_ambiguous: { error: "anchor_context_ambiguous", suggested_action: "re-read_with_context" },
  anchor_low_entropy: { error: "anchor_low_entropy", suggested_action: "use_neighbor_anchor" },
  invalid_range_order: { error: "invalid_range_order", suggested_action: "re-read_file" },
  overlapping_operations: { error: "overlapping_operations", suggested_action: "rewrite_as_single_block" },
  empty_operations: { error: "empty_operations", suggested_action: "provide_at_least_one_operation" },
  safety_check_failed: { error: "safety_check_failed", suggested_action: "re-read_file" },
  path_changed: { error: "apply_failed", suggested_action: "re-read_file" },
  busy: { error: "apply_failed", suggested_action: "re-read_file" },
  not_found: { error: "not_found", suggested_action: "check_path" },
  file_too_large: { error: "too_large" },
};

function invalidInput({ details }: Failure): Named {
  const problems = Array.isArray(details?.problems) ? details.problems.map(String) : [];
  const missing = problems.flatMap((problem) => /^The required parameter `(\w+)` is missing/.exec(problem)?.[1] ?? []);
  if (missing.length === 0) return { error: "schema_invalid" };
  return { error: "missing_parameter", ...(missing.includes("path") && { suggested_action: "provide_path" }) };
}

/** Every string within, safe to show. */
function allDisplayable(value: unknown): unknown {
  if (typeof value === "string") return legibleDiff(value);
  if (Array.isArray(value)) return value.map(allDisplayable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, allDisplayable(each)]));
}
