// What a row of the catalogue gives: words in no dialect, and the data for programs.
import type { FailureKind } from "../core/failure.ts";
import type { RefusalDetails } from "../core/refusal-details.ts";

export interface Words {
  readonly kind: FailureKind;
  /** In one or more sentences. */
  readonly why: string;
  /** The one thing to do next. */
  readonly next?: string | undefined;
  /** For programs. */
  readonly details?: RefusalDetails | undefined;
  /** Whether the caller can put it right by itself; follows from the kind unless given. */
  readonly recoverable?: boolean;
}

/** Reasons, each with what makes words of its facts. */
export type Catalogue = Readonly<Record<string, (facts: never) => Words>>;
