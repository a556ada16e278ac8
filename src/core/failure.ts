// Every way stet says no: the closed list of kinds, the data of a no, and the one class that is thrown.

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
  /** More for programs; what is in it depends on the kind. */
  details?: Record<string, unknown>;
  /** True when the caller can put it right by itself: re-read, change its arguments, wait. */
  recoverable: boolean;
}

/** What a refusal says besides its kind and its message. */
export interface RefusalContext {
  /** The file it is about. */
  path?: string;
  /** The one thing to do next. */
  next?: string;
  /** More for programs. */
  details?: Record<string, unknown>;
  /** Whether the caller can put it right by itself; follows from the kind unless given. */
  recoverable?: boolean;
  /** The error that led to it. */
  cause?: unknown;
}

/** The one thing to do about a stale file, in the words that every surface uses. */
export const STALE_ACTION = "Re-read the file to obtain the current sha256 and re-apply your edit.";

/** What to do about a file that is too large to be read as a whole. */
export const IN_PARTS = "Read a range of lines, or search in it.";

const FINAL: ReadonlySet<FailureKind> = new Set<FailureKind>([
  "outside_workspace",
  "permission_denied",
  "unsupported",
  "journal_damaged",
  "io_error",
  "not_kept",
  "unknown",
]);

/** An expected "no". Thrown inside; turned into data at the tool boundary only. Nothing was changed when one is thrown, but for `outcome_unknown`. */
export class Refusal extends Error {
  /** Tells it from other errors across copies of the package. */
  override readonly name = "Refusal";
  /** All of it as data. */
  readonly failure: Failure;

  constructor(kind: FailureKind, message: string, context: RefusalContext = {}) {
    super(inOrder([message, context.next]), { cause: context.cause });
    this.failure = {
      kind,
      message,
      recoverable: context.recoverable ?? !FINAL.has(kind),
      ...(context.path !== undefined && { path: context.path }),
      ...(context.next !== undefined && { suggestedAction: context.next }),
      ...(context.details !== undefined && { details: context.details }),
    };
  }

  /** Why it was refused, for programs. */
  get kind(): FailureKind {
    return this.failure.kind;
  }
}

/** Of a history that may not be used: files can be read all the same. */
export function isStateNotUsed(error: unknown): error is Refusal {
  return error instanceof Refusal && error.failure.details?.stateNotUsed !== undefined;
}

/** Sentences after one another; one that ends a line is followed by the next line. */
export function inOrder(sentences: readonly (string | undefined)[]): string {
  const said = sentences.filter((each) => each !== undefined && each !== "");
  return said.map((each, n) => (n === said.length - 1 || each!.endsWith("\n") ? each : `${each} `)).join("");
}

/** The same refusal in other words: code that knows more of the caller can say better what to do next. */
export function reworded(
  refusal: Refusal,
  { message, ...more }: Pick<RefusalContext, "path" | "next" | "details"> & { readonly message?: string },
): Refusal {
  const { kind, message: why, path, details, suggestedAction: next, recoverable } = refusal.failure;
  return new Refusal(kind, message ?? why, {
    ...(path !== undefined && { path }),
    ...(details !== undefined && { details }),
    ...(next !== undefined && { next }),
    ...more,
    recoverable,
    cause: refusal,
  });
}
