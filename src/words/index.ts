// The catalogue of refusals: each reason has a kind, and words that are made of facts. Code elsewhere names reason and facts.
import { inOrder, Refusal, reworded } from "../core/failure.ts";
import { ANCHORS } from "./anchors.ts";
import { CHANGE } from "./change.ts";
import { EDIT } from "./edit.ts";
import { HISTORY } from "./history.ts";
import { PATCH } from "./patch.ts";
import { didYouMean } from "./plural.ts";
import { POLICY } from "./policy.ts";
import type { Words } from "./row.ts";
import { SEARCH } from "./search.ts";
import { TEXT } from "./text.ts";
import { WORKSPACE } from "./workspace.ts";

const CATALOGUE = {
  ...ANCHORS,
  ...CHANGE,
  ...EDIT,
  ...HISTORY,
  ...PATCH,
  ...POLICY,
  ...SEARCH,
  ...TEXT,
  ...WORKSPACE,
};

/** Why something is refused, finer than a kind. Refusals of one reason differ only in their facts. */
export type Reason = keyof typeof CATALOGUE;

/** What the words of a reason are made of. */
export type FactsOf<R extends Reason> = Parameters<(typeof CATALOGUE)[R]>[0];

/** Facts that any reason may have. */
interface CommonFacts {
  /** The file that it is about. */
  readonly path?: string;
  /** What became of that file since the caller saw it, for `details`. */
  readonly since?: object;
}

/** A refusal for this reason; `cause` is the error that led to it. */
export function refuse<R extends Reason>(reason: R, facts: FactsOf<R>, cause?: unknown): Refusal {
  const { kind, why, details, ...words } = (CATALOGUE[reason] as (facts: unknown) => Words)(facts);
  const { path, since } = facts as CommonFacts;
  const known = Object.entries({ ...details, ...since }).filter(([, value]) => value !== undefined);
  return new Refusal(kind, why, {
    ...words,
    details: details === undefined && since === undefined ? undefined : Object.fromEntries(known),
    path,
    cause,
    reason,
    facts: facts as Record<string, unknown>,
  });
}

/** Makes the same refusal with more facts. */
export function knowing(refusal: Refusal, facts: Readonly<Record<string, unknown>>): Refusal {
  if (refusal.reason !== undefined)
    return refuse(refusal.reason as Reason, { ...refusal.facts, ...facts } as FactsOf<Reason>, refusal);
  // Backends write their words themselves.
  const { nearest, since } = facts as { readonly nearest?: readonly string[]; readonly since?: object };
  const { message, details } = refusal.failure;
  const more = { ...details, ...since, ...(nearest && { nearest }) };
  return reworded(refusal, { message: inOrder([message, nearest && didYouMean(nearest)]), details: more });
}
