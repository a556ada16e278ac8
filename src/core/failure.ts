// Every way stet says no: the closed list of kinds, the data of a no, and the one class that is thrown.
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
  /** More for programs; what is in it depends on the kind: `RefusalDetails`. A surface may say it in names of its own. */
  details?: Record<string, unknown>;
  /** True when the caller can put it right by itself: re-read, change its arguments, wait. */
  recoverable: boolean;
  /** As of the `Refusal`, for surfaces; not enumerable, so no answer shows it. */
  readonly reason?: string;
}

/** What `details` holds of a refusal of this kind: what `RefusalDetails` promises, and anything else. */
type DetailsOf<K extends FailureKind> = Record<string, unknown> &
  (FailureKind extends K ? unknown : K extends keyof RefusalDetails ? RefusalDetails[K] : unknown);

/** The data of a refusal of this kind, or of any: a comparison of `kind` tells the compiler what is in `details`. */
export type FailureOf<K extends FailureKind = FailureKind> = K extends FailureKind
  ? Omit<Failure, "kind" | "details"> & { kind: K; details?: DetailsOf<K> }
  : never;

/** What a refusal says besides its kind and its message. */
export interface RefusalContext<K extends FailureKind = FailureKind> {
  /** The file it is about. */
  path?: string | undefined;
  /** The one thing to do next. */
  next?: string | undefined;
  /** More for programs. */
  details?: DetailsOf<K> | undefined;
  /** Whether the caller can put it right by itself; follows from the kind unless given. */
  recoverable?: boolean | undefined;
  /** The error that led to it. */
  cause?: unknown;
  /** The row of the catalogue that its words come from, finer than its kind. */
  reason?: string | undefined;
  /** What those words are made of. */
  facts?: Readonly<Record<string, unknown>> | undefined;
}

/** Of an empty file, which has no text to edit. */
export const WHOLE = "Write the whole file in place of editing it.";

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
export interface Refusal extends Error {
  /** Tells it from other errors across copies of the package. */
  readonly name: "Refusal";
  /** All of it as data. */
  readonly failure: FailureOf;
  /** Why it was refused, for programs. */
  readonly kind: FailureKind;
  /** The row of the catalogue (src/words) that its words come from; absent where code wrote them itself. */
  readonly reason?: string | undefined;
  /** What those words are made of. */
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
}

interface Refusing {
  /** The kind says what `details` may hold. */
  new <K extends FailureKind>(kind: K, message: string, context?: RefusalContext<K>): Refusal;
  readonly prototype: Refusal;
}

/** Says no. The value and its type are declared separately: the constructor knows the kind, and `instanceof` gives every refusal one type. */
export const Refusal: Refusing = class Refusal<K extends FailureKind> extends Error {
  override readonly name = "Refusal";
  readonly failure: FailureOf;
  readonly reason: string | undefined;
  readonly facts: Readonly<Record<string, unknown>> | undefined;

  constructor(kind: K, message: string, context: RefusalContext<K> = {}) {
    super(inOrder([message, context.next]), { cause: context.cause });
    this.reason = context.reason;
    this.facts = context.facts;
    const failure: Failure = {
      kind,
      message,
      recoverable: context.recoverable ?? !FINAL.has(kind),
      ...(context.path !== undefined && { path: context.path }),
      ...(context.next !== undefined && { suggestedAction: context.next }),
      ...(context.details !== undefined && { details: context.details as Record<string, unknown> }),
    };
    Object.defineProperty(failure, "reason", { value: context.reason });
    this.failure = failure as FailureOf;
  }

  get kind(): FailureKind {
    return this.failure.kind;
  }
};

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
  const { reason, facts } = refusal;
  const given = { path, details, next, reason, facts, ...more };
  return new Refusal(kind, message ?? why, { ...given, recoverable, cause: refusal });
}
