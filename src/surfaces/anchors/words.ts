// Refusals in the names of this dialect: `details.error`, `details.suggested_action` and `details.error_family`.
import type { FailureKind } from "../../core/failure.ts";
import { type Dialect, diffInWords, type Row, type Rows, type Said } from "../refusal.ts";
import { legibleDiff } from "../shared/legible.ts";

const AGAIN: Row = { next: "Read the file again and re-apply your edit." };
const TOO_LARGE: Row = { next: "Leave it as it is; these tools take smaller files only." };

/** These tools list no directories, search no files and go by file versions. */
const rows: Rows = {
  changed_since: () => AGAIN,
  expected_no_file: () => AGAIN,
  not_mergeable: () => AGAIN,
  file_missing: ({ tool, offers }) => ({
    next: `Check the path${tool.effect !== "read" && offers("write_file") ? "; write_file creates a file" : ""}.`,
  }),
  special_file: () => undefined,
  not_a_file: ({ details }) => (details.special === undefined ? { next: "Name a file." } : undefined),
  too_large: ({ tool }) => (tool.effect === "read" ? TOO_LARGE : undefined),
};

/** The kind stays what it is everywhere; the dialect's own names ride along, and what the refusal says itself wins. */
function inNames(said: Said, row: Row): Row {
  const { failure, details } = said;
  const { error, ...action } = named(said);
  return {
    ...row,
    details: { error, error_family: error, ...action, ...(allDisplayable(details) as object) },
    attached: freshAnchors(said) + diffInWords(failure),
  };
}

/** The anchors of the file as it is now: what the caller goes on with. */
function freshAnchors({ details: { fresh_anchors: fresh } }: Said): string {
  return Array.isArray(fresh) ? `\n\nAnchors of the file now:\n${fresh.join("\n")}` : "";
}

interface Named {
  readonly error: string;
  readonly suggested_action?: string;
}

function named({ failure: { kind }, details, facts, tool }: Said): Named {
  if (kind === "invalid_input") return invalidInput(facts.missing as readonly string[] | undefined);
  if (kind === "stale_file" && details.cause === undefined) {
    const error = tool.name === "write_file" ? "write_conflict" : "file_version_mismatch";
    return { error, suggested_action: "re-read_file" };
  }
  return NAMES[kind] ?? { error: kind };
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

function invalidInput(missing: readonly string[] = []): Named {
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

export const WORDS: Dialect = { rows, every: inNames };
