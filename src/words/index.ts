// The catalogue of refusals: for each reason its kind, and its words made of facts. Code below names reason and facts only.
import { Refusal } from "../core/failure.ts";
import { ANCHORS } from "./anchors.ts";
import { EDIT } from "./edit.ts";
import { PATCH } from "./patch.ts";
import type { Words } from "./row.ts";
import { SEARCH } from "./search.ts";

const CATALOGUE = { ...SEARCH, ...EDIT, ...PATCH, ...ANCHORS };

/** Why something is refused, finer than a kind: refusals of one reason differ in their facts only. */
export type Reason = keyof typeof CATALOGUE;

/** What the words of a reason are made of. */
export type FactsOf<R extends Reason> = Parameters<(typeof CATALOGUE)[R]>[0];

/** A refusal for this reason. A `path` among the facts is the file that it is about; `cause`, the error that led to it. */
export function refuse<R extends Reason>(reason: R, facts: FactsOf<R>, cause?: unknown): Refusal {
  const { kind, why, ...words } = (CATALOGUE[reason] as (facts: unknown) => Words)(facts);
  const { path } = facts as { readonly path?: string };
  return new Refusal(kind, why, { ...words, path, cause, reason, facts: facts as Record<string, unknown> });
}

/** The same refusal, knowing more. */
export function knowing(refusal: Refusal, facts: Readonly<Record<string, unknown>>): Refusal {
  return refuse(refusal.reason as Reason, { ...refusal.facts, ...facts } as FactsOf<Reason>, refusal);
}
