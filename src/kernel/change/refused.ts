// Formats a refused call for the journal: paths, what was to be done with each, with which proof, and why it was refused.
import type { Backend, EntryDraft } from "../../core/backend.ts";
import type { FailureKind, Refusal } from "../../core/failure.ts";
import type { Action } from "../policy/policy.ts";
import type { Target } from "../session.ts";

export type RefusedTarget = Pick<Target, "path"> & Partial<Target>;

const MAX_TARGETS = 20;

/** Kinds whose message shows lines of a file or arguments of a call. */
const QUOTING: ReadonlySet<FailureKind> = new Set<FailureKind>([
  "old_text_not_found",
  "multiple_matches",
  "overlapping_edits",
  "no_change",
  "mid_token",
  "indent_inconsistent",
  "already_applied",
  "omission_placeholder",
  "patch_parse_error",
  "patch_apply_error",
  "anchor_stale",
  "anchor_not_found",
  "anchor_ambiguous",
  "anchor_context_ambiguous",
  "anchor_low_entropy",
  "safety_check_failed",
  "merge_conflict",
  "not_text",
  "invalid_input",
  "unknown",
]);

/** `message` and `next` are left out where they quote a file: the journal holds no content. */
export function asRefused(
  refusal: Refusal,
  targets: readonly RefusedTarget[],
  backend: Pick<Backend, "relative">,
): Pick<EntryDraft, "error" | "message" | "details"> {
  const { kind, failure } = refusal;
  const { message, suggestedAction: next } = failure;
  const quotes = QUOTING.has(kind);
  return {
    error: kind,
    ...(!quotes && { message: message.slice(0, 1000) }),
    details: {
      ...attemptOf(targets, refusal, backend),
      ...(!quotes && next !== undefined && { next: next.slice(0, 300) }),
    },
  };
}

/** What a refused call was about, as its caller wrote it. */
export function pathsAskedFor({ details }: Pick<EntryDraft, "details">): string[] {
  const asked: unknown = details?.paths;
  return Array.isArray(asked) ? asked.filter((path) => typeof path === "string") : [];
}

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

/** The first ones, or where those are too few, the ones from the refused one on. */
function fewOf(targets: readonly RefusedTarget[], at: number): readonly RefusedTarget[] {
  const isMove = targets[at]?.action === "move";
  const from = isMove
    ? startOfMove(
        targets.map(({ action }) => action),
        at,
      )
    : at;
  return targets.slice(at < MAX_TARGETS - 1 ? 0 : from).slice(0, MAX_TARGETS);
}
