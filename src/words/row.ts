// What a row of the catalogue gives: words in no dialect, and the data for programs.
import type { FailureKind, FailureOf } from "../core/failure.ts";

export interface Words<K extends FailureKind = FailureKind> {
  readonly kind: K;
  /** In one or more sentences. */
  readonly why: string;
  /** The one thing to do next. */
  readonly next?: string | undefined;
  /** For programs: `RefusalDetails`. */
  readonly details?: FailureOf<K>["details"];
  /** Whether the caller can put it right by itself; follows from the kind unless given. */
  readonly recoverable?: boolean;
}

type AnyWords = { [K in FailureKind]: Words<K> }[FailureKind];

/** Reasons, each with what makes words of its facts. */
export type Catalogue = Readonly<Record<string, (facts: never) => AnyWords>>;
