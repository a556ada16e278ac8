// Refusals: the closed list of kinds, their data, and the one class that is thrown.
import type { RefusalDetails } from "./refusal-details.ts";

/** Why something was refused. The list is closed: code may switch over it. */
export type FailureKind =
  // proof and versions
  | "stale_file"
  | "unread_file"
  | "unseen_content"
  | "already_exists"
  | "not_found"
  | "merge_conflict"
  // paths and policy
  | "invalid_path"
  | "outside_workspace"
  | "permission_denied"
  | "path_changed"
  | "not_a_file"
  | "not_a_directory"
  | "symlink_loop"
  // content
  | "binary_file"
  | "not_text"
  | "file_too_large"
  | "too_many_files"
  // text edits
  | "old_text_not_found"
  | "multiple_matches"
  | "overlapping_edits"
  | "no_change"
  | "empty_old_text"
  | "mid_token"
  | "indent_inconsistent"
  | "already_applied"
  | "omission_placeholder"
  | "line_out_of_range"
  // patches
  | "patch_parse_error"
  | "patch_apply_error"
  // anchors
  | "anchor_stale"
  | "anchor_not_found"
  | "anchor_ambiguous"
  | "anchor_context_ambiguous"
  | "anchor_low_entropy"
  | "invalid_range_order"
  | "overlapping_operations"
  | "empty_operations"
  // checks and calls
  | "safety_check_failed"
  | "invalid_input"
  | "command_failed"
  | "pattern_too_complex"
  | "timeout"
  | "cancelled"
  // storage
  | "disk_full"
  | "io_error"
  | "busy"
  | "not_kept"
  | "journal_damaged"
  | "outcome_unknown"
  | "unsupported"
  | "unknown";

/** The data of a refusal. `message` says why; `suggestedAction` is the one thing to do next. */
export interface Failure {
  /** For programs. */
  kind: FailureKind;
  /** Why, in one or more sentences. */
  message: string;
  /** The file it is about, as the caller wrote it. */
  path?: string;
  /** The one thing to do next. */
  suggestedAction?: string;
  /** More for programs. A surface may say it in names of its own. */
  details?: RefusalDetails;
  /** True when the caller can put it right by itself: re-read, change its arguments, wait. Follows from the kind unless given. */
  recoverable: boolean;
}

/** What a refusal says besides its kind and its message. */
export interface RefusalContext extends Partial<Pick<Failure, "path" | "details" | "recoverable">> {
  /** The one thing to do next. */
  next?: string | undefined;
  /** The row of the catalogue that its words come from, finer than its kind. */
  reason?: string | undefined;
  /** The error that led to it. */
  cause?: unknown;
  /** What those words are made of. */
  facts?: Readonly<Record<string, unknown>> | undefined;
}

const FINAL: ReadonlySet<FailureKind> = new Set<FailureKind>([
  "outside_workspace",
  "permission_denied",
  "unsupported",
  "journal_damaged",
  "io_error",
  "not_kept",
  "unknown",
]);

/** An expected "no", which becomes data at the tool boundary only. Nothing was changed, unless its kind is `outcome_unknown`. */
export class Refusal extends Error {
  /** Tells it from other errors across copies of the package. */
  override readonly name = "Refusal";
  /** All of it as data. */
  readonly failure: Failure;
  /** The row of the catalogue (src/words) that its words come from; absent where code wrote them itself. */
  readonly reason: string | undefined;
  /** What those words are made of. */
  readonly facts: Readonly<Record<string, unknown>> | undefined;

  /** Says no. */
  constructor(kind: FailureKind, message: string, context: RefusalContext = {}) {
    const { path, next: suggestedAction, details, reason, facts, cause, recoverable = !FINAL.has(kind) } = context;
    super(inOrder([message, suggestedAction]), { cause });
    this.reason = reason;
    this.facts = facts;
    this.failure = { kind, message, path, suggestedAction, details, recoverable };
  }

  /** Why it was refused, for programs. */
  get kind(): FailureKind {
    return this.failure.kind;
  }
}

/** For `catch`: gives `instead` in place of what is refused, and lets every other error through. */
export function ifRefused<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Refusal) return instead;
    throw error;
  };
}

/** Joins sentences by blanks; after one that ends in a newline the next begins at once. */
export function inOrder(sentences: readonly (string | undefined)[]): string {
  const said = sentences.filter((each) => each !== undefined && each !== "");
  return said.map((each, n) => (n === said.length - 1 || each!.endsWith("\n") ? each : `${each} `)).join("");
}

/** The same refusal in other words, for code that knows better what the caller can do next. */
export function reworded(
  refusal: Refusal,
  { message, ...more }: Pick<RefusalContext, "path" | "next" | "details" | "facts"> & { readonly message?: string },
): Refusal {
  const { kind, message: why, suggestedAction: next, ...given } = refusal.failure;
  const { reason, facts } = refusal;
  return new Refusal(kind, message ?? why, { ...given, next, reason, facts, ...more, cause: refusal });
}
