// Problems that a parser reports about one text.

export interface SyntaxProblem {
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
  /** Last line of what the parser could not make sense of, where it tells. */
  readonly endLine?: number;
  readonly message: string;
}

export interface Finding extends SyntaxProblem {
  readonly code?: string;
  readonly severity: "error" | "warning";
  /** The text parses all the same: a rule about names is broken, which the next edit may well put right. */
  readonly grammatical?: true;
}

/** `null`: the parser could not tell (too deep, too slow, not installed). */
export type Verdict = readonly Finding[] | null;

// Later errors follow from the first ones.
export const MAX_FINDINGS = 20;

/** Turns an offset into line and column, with the same idea of a line as the editing engines. */
export function positionAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const end = Math.max(0, Math.min(offset, text.length));
  let line = 1;
  let start = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", start)) {
    // A position behind the final newline belongs to the last line: there is no line after it.
    if (at + 1 === text.length) break;
    line++;
    start = at + 1;
  }
  return { line, column: end - start + 1 };
}
