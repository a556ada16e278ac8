// One edit on one text: the public entry of the ladder. Says no as data, and never throws for any strings.
import { type FailureKind, Refusal } from "../../core/failure.ts";
import { type LadderOptions, type Landed, ladder } from "../ladder/index.ts";
import { applySplices } from "../text/splice.ts";
import type { Candidate } from "./suggest.ts";

/** As those of the ladder. */
export type ReplaceTextOptions = LadderOptions;

/** An edit that landed. */
export interface Replaced extends Omit<Landed, "warnings"> {
  /** Tells it from a refusal. */
  readonly ok: true;
  /** The text after the edit. */
  readonly text: string;
  /** What the caller should know. */
  readonly warnings?: readonly string[];
}

/** An edit that was refused. */
export interface NotReplaced {
  /** Tells it from an edit that landed. */
  readonly ok: false;
  /** Why, for programs. */
  readonly kind: FailureKind;
  /** Why, and what to do next. */
  readonly message: string;
  /** Places that old text may have been meant for. */
  readonly candidates?: readonly Candidate[];
}

/** Replaces old text by new text at the one place it was meant for, typos in it or not, or says no. */
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
