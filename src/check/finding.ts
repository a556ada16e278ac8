// What a parser has to say about one text.

export interface SyntaxProblem {
  readonly line: number;
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

// The first errors are the telling ones; the rest follow from them.
export const MOST_FINDINGS = 20;
