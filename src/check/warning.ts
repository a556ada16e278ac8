// An edit as its texts before and after, and a warning: what a check found in the text after.

type Check =
  | "syntax"
  | "unbalanced_braces"
  | "unbalanced_parens"
  | "unbalanced_brackets"
  | "boundary_echo"
  | "omission_placeholder"
  | "duplicate_line";

/** What a check found in the text after an edit. */
export interface Warning {
  /** The check that found it. */
  readonly check: Check;
  /** 1-based, in the text after the edit. */
  readonly line: number;
  /** What it found. */
  readonly message: string;
  /**
   * `suspicious`: damage, reason enough to refuse the edit. `doubtful`: may be intended; refused where the caller can
   * insist, else not reported. `note`: never a reason to refuse.
   */
  readonly severity: "suspicious" | "doubtful" | "note";
}

/** `before` is null for a file that is created, `after` for one that is deleted. */
export interface Edit {
  /** Tells the language. */
  readonly path: string;
  /** The whole text that was there. */
  readonly before: string | null;
  /** The whole text that is there now. */
  readonly after: string | null;
}

/** More of one kind say nothing new. */
export const MAX_OF_A_KIND = 20;

/** The short form of the anchors surface: `unbalanced_braces: net +2`. */
export function warningText({ check, line, message }: Warning): string {
  if (check === "duplicate_line" || check.startsWith("unbalanced_")) return `${check}: ${message}`;
  return `${check} at line ${line}: ${message}`;
}
