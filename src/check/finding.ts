// Problems that a parser reports about one text.

export interface SyntaxProblem {
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
  /** Last line of the text that the parser cannot read, if it tells. */
  readonly endLine?: number;
  readonly message: string;
}

export interface Finding extends SyntaxProblem {
  readonly code?: string;
  readonly severity: "error" | "warning";
  /** The text parses, but breaks a rule about names, which the next edit may fix. */
  readonly grammatical?: true;
}

/** What a parser finds; `null` when it cannot tell (too deep, too slow, not installed). */
export type Verdict = readonly Finding[] | null;

// Later errors follow from the first ones.
export const MAX_FINDINGS = 20;

/** Returns the line and column of an offset. */
export function positionAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const end = Math.max(0, Math.min(offset, text.length));
  let line = 1;
  let start = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", start)) {
    // A final newline starts no further line.
    if (at + 1 === text.length) break;
    line++;
    start = at + 1;
  }
  return { line, column: end - start + 1 };
}
