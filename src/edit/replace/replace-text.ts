// One edit of one text by the ladder. Returns refusals as data, and never throws for any strings.
import { type FailureKind, Refusal } from "../../core/failure.ts";
import { type LadderOptions, type Landed, ladder } from "../ladder/index.ts";
import { applySplices } from "../text/splice.ts";
import type { Candidate } from "./suggest.ts";

/** The options of the ladder. */
export type ReplaceTextOptions = LadderOptions;

/** An applied edit. */
export interface Replaced extends Omit<Landed, "warnings"> {
  /** Tells it from a refusal. */
  readonly ok: true;
  /** The text after the edit. */
  readonly text: string;
  /** What the caller should know. */
  readonly warnings?: readonly string[];
}

/** A refused edit. */
export interface NotReplaced {
  /** Tells it from an applied edit. */
  readonly ok: false;
  /** The kind of refusal. */
  readonly kind: FailureKind;
  /** The reason, and what to do next. */
  readonly message: string;
  /** Similar places that may be the intended one. */
  readonly candidates?: readonly Candidate[];
}

/** Replaces old text by new text at the one intended place, despite small mistakes in old text, or refuses. */
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
