// One edit on one text: the public entry of the ladder. Says no as data, and never throws for any strings.

import { type FailureKind, Refusal } from "../../core/failure.ts";
import { type LadderOptions, ladder, type Strategy } from "../ladder/index.ts";
import { applySplices, type Splice } from "../text/splice.ts";
import type { Candidate } from "./suggest.ts";

export type ReplaceTextOptions = LadderOptions;

export interface Replaced {
  readonly ok: true;
  readonly text: string;
  readonly strategy: Strategy;
  readonly similarity?: number;
  readonly matchedText: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly occurrences: number;
  readonly splices: readonly Splice[];
  readonly warnings?: readonly string[];
}

export interface NotReplaced {
  readonly ok: false;
  readonly kind: FailureKind;
  readonly message: string;
  readonly candidates?: readonly Candidate[];
}

export function replaceText(
  text: string,
  oldText: string,
  newText: string,
  options: ReplaceTextOptions = {},
): Replaced | NotReplaced {
  try {
    const { warnings, ...landed } = ladder(text, oldText, newText, options);
    return {
      ok: true,
      text: applySplices(text, landed.splices),
      ...landed,
      ...(warnings.length > 0 && { warnings }),
    };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const candidates = error.failure.details?.candidates as readonly Candidate[] | undefined;
    return { ok: false, kind: error.kind, message: error.message, ...(candidates && { candidates }) };
  }
}
