// Formats a refused call for the journal: paths, what was to be done with each, with which proof, and why it was refused.
import type { Backend, EntryDraft } from "../../core/backend.ts";
import type { FailureKind, Refusal } from "../../core/failure.ts";
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

/** Leaves out `message` and `next` where they quote a file: the journal holds no content. */
export function asRefused(
  refusal: Refusal,
  targets: readonly RefusedTarget[],
  backend: Pick<Backend, "relative">,
): Pick<EntryDraft, "error" | "message" | "details"> {
  const { kind, message, suggestedAction: next, details } = refusal.failure;
  const quotes = QUOTING.has(kind);
  return {
    error: kind,
    ...(!quotes && { message: message.slice(0, 1000) }),
    details: {
      ...attemptOf(targets, refusal, backend),
      ...(!quotes && next !== undefined && { next: next.slice(0, 300) }),
      ...(typeof details?.expectedSha256 === "string" && { expected: details.expectedSha256 }),
    },
  };
}

/** What a refused call was about, as its caller wrote it. */
export function pathsAskedFor({ details }: Pick<EntryDraft, "details">): string[] {
  const asked: unknown = details?.paths;
  return Array.isArray(asked) ? asked.filter((path) => typeof path === "string") : [];
}

/** The refused target comes first, with both ends of a move. */
function attemptOf(
  targets: readonly RefusedTarget[],
  { failure }: Refusal,
  { relative }: Pick<Backend, "relative">,
): Record<string, unknown> {
  const start = startOf(targets, failure.path);
  const named = [...targets.slice(start), ...targets.slice(0, start)].slice(0, MAX_TARGETS);
  const paths = named.map(({ path }) => (relative?.(String(path)) ?? String(path)).slice(0, 1000));
  const actions = named.flatMap(({ action }) => action ?? []);
  const proofs = named.flatMap(({ proof }) => proof?.by ?? []);
  return {
    paths,
    ...(actions.length === paths.length && actions.length > 0 && { actions }),
    ...(proofs.length > 0 && { proofs }),
  };
}

/** A move is two targets side by side, and moves may follow one another. */
function startOf(targets: readonly RefusedTarget[], path: string | undefined): number {
  const at = Math.max(
    0,
    targets.findIndex((target) => target.path === path),
  );
  let first = at;
  while (targets[at]?.action === "move" && targets[first - 1]?.action === "move") first--;
  return at - ((at - first) % 2);
}
