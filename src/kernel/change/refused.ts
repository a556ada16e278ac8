// What was asked for and refused, as the journal keeps it: paths, what was to be done with each, with which proof.
import type { Backend } from "../../core/backend.ts";
import type { Refusal } from "../../core/failure.ts";
import type { Action } from "../policy/policy.ts";
import type { Target } from "../session.ts";

export type RefusedTarget = Pick<Target, "path"> & Partial<Target>;

const MOST_NAMED = 20;

/** `at`: which of them it was refused for, unless for the first. */
export function attemptOf(
  targets: readonly RefusedTarget[],
  { failure }: Refusal,
  { relative }: Pick<Backend, "relative">,
): Record<string, unknown> {
  const named = fewOf(targets, indexOf(targets, failure.path));
  const paths = named.map(({ path }) => (relative?.(String(path)) ?? String(path)).slice(0, 1000));
  const actions = named.flatMap(({ action }) => action ?? []);
  const proofs = named.flatMap(({ proof }) => proof?.by ?? []);
  const at = indexOf(named, failure.path);
  return {
    paths,
    ...(actions.length === paths.length && actions.length > 0 && { actions }),
    ...(proofs.length > 0 && { proofs }),
    ...(at > 0 && { at }),
  };
}

/** The place where a move begins whose paths include this one: from and to stand side by side, and moves may follow one another. */
export function startOfMove(actions: readonly (Action | undefined)[], at: number): number {
  let first = at;
  while (actions[first - 1] === "move") first--;
  return at - ((at - first) % 2);
}

function indexOf(targets: readonly RefusedTarget[], path: string | undefined): number {
  return targets.findIndex((target) => target.path === path);
}

/** The first ones, and in any case the one that it was refused for. */
function fewOf(targets: readonly RefusedTarget[], at: number): readonly RefusedTarget[] {
  if (at < MOST_NAMED - 1) return targets.slice(0, MOST_NAMED);
  const isMove = targets[at]?.action === "move";
  const actions = targets.map(({ action }) => action);
  const from = isMove ? startOfMove(actions, at) : at;
  const refused = targets.slice(from, from + (isMove ? 2 : 1));
  return [...refused, ...targets.slice(0, MOST_NAMED - refused.length).filter((each) => !refused.includes(each))];
}
