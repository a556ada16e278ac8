// Edits as texts before and after, and warnings about the text after.

type Check =
  | "syntax"
  | "unbalanced_braces"
  | "unbalanced_parens"
  | "unbalanced_brackets"
  | "boundary_echo"
  | "omission_placeholder"
  | "duplicate_line";

/** A finding in the text after an edit. */
export interface Warning {
  /** The check that reports it. */
  readonly check: Check;
  /** 1-based, in the text after the edit. */
  readonly line: number;
  /** What the check finds. */
  readonly message: string;
  /**
   * `suspicious`: damage, a reason to refuse the edit. `doubtful`: may be intended, so refused only if the caller can
   * insist, else not reported. `note`: never a reason to refuse.
   */
  readonly severity: "suspicious" | "doubtful" | "note";
}

/** An edit of one file. `before` is null when it is created, `after` when it is deleted. */
export interface Edit {
  /** Determines the language. */
  readonly path: string;
  /** The whole text before. */
  readonly before: string | null;
  /** The whole text after. */
  readonly after: string | null;
}

/** Maximum number of warnings of one kind: more say nothing new. */
export const MAX_OF_A_KIND = 20;

/** Renders the short form of the anchors surface: `unbalanced_braces: net +2`. */
export function warningText({ check, line, message }: Warning): string {
  if (check === "duplicate_line" || check.startsWith("unbalanced_")) return `${check}: ${message}`;
  return `${check} at line ${line}: ${message}`;
}
