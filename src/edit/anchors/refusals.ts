// Anchors that lead nowhere or to several lines: the refusals, with everything the caller needs to try again.

import { type FailureKind, Refusal } from "../../kernel/failure.ts";
import type { AnchorIndex } from "./line-index.ts";
import type { Anchor, ParsedOperation } from "./operations.ts";
import { preview } from "./preview.ts";
import type { NotFound, Snapshot } from "./resolve.ts";

const NAMED_IN_MESSAGE = 10;

/** An anchor of an operation that led nowhere, or to several lines. */
export interface Unresolved {
  readonly operation: ParsedOperation;
  readonly anchor: Anchor;
  readonly resolution: NotFound;
  /** The other end of the range, where it is known. */
  readonly otherEnd?: number;
}

export function staleAnchors(unresolved: readonly Unresolved[], file: Snapshot): Refusal {
  const hashes = [...new Set(unresolved.map(({ anchor }) => anchor.given))];
  const unknown = unresolved.filter(({ resolution }) => resolution.why === undefined).map(({ anchor }) => anchor.given);
  const missing = `no line of the current file has the hash ${[...new Set(unknown)].join(", ")}`;
  const reasons = [
    ...(unknown.length > 0 ? [missing] : []),
    ...unresolved.flatMap(({ resolution }) => resolution.why ?? []),
  ];
  const empty = file.current.lines.length === 0;
  const changed = unresolved.some(({ resolution }) => !resolution.unshown);
  const what = changed
    ? "The file has changed since these anchors were read"
    : "These anchors may be of another version of the file";
  return new Refusal("anchor_stale", `${what}: ${reasons.join("; ")}.`, {
    next: empty
      ? "The file is empty: use insert_after with the hash d41d8c to add its first lines."
      : "Read the file again with hashes and use the new anchors.",
    details: {
      suggested_action: "re-read_file",
      error_family: "anchor_stale",
      missingHashes: hashes,
      file_version: file.current.fileVersion,
      ...(file.seen && { seen_file_version: file.seen.index.fileVersion, changed: changedLines(unresolved, file) }),
    },
  });
}

export function ambiguousAnchors(unresolved: readonly Unresolved[], index: AnchorIndex): Refusal {
  const all = unresolved.map((one) => describeAmbiguity(one, index));
  const { resolution, anchor, operation } = unresolved[0]!;
  const first = all[0]!;
  const kind = ambiguityKind(unresolved[0]!, index);
  const listed = first.candidates
    .slice(0, NAMED_IN_MESSAGE)
    .map(({ number, line, preview }) => `#${number} line ${line}: "${preview}"`);
  const more = first.candidates.length > listed.length ? `, and ${first.candidates.length - listed.length} more` : "";
  const why = resolution.why === undefined ? "" : `${resolution.why}; `;
  const lines = first.candidates.length === 1 ? "1 line" : `${first.candidates.length} lines`;
  const others = all.length > 1 ? ` (${all.length - 1} more ambiguous anchors in the batch.)` : "";
  return new Refusal(
    kind,
    `Operation ${operation.number} (${operation.op}): ${why}${anchor.field} ${anchor.given} matches ${lines}: ${listed.join(", ")}${more}.${others}`,
    {
      next: nextAfterAmbiguity(kind, anchor, first.candidates[0]!),
      details: {
        suggested_action: kind === "anchor_prefix_ambiguous" ? "use_context_anchor" : "re-read_with_context",
        error_family: "anchor_ambiguous",
        ...first,
        ambiguous_anchors: all,
      },
    },
  );
}

/** Candidates that differ in their text share a prefix; equal ones can differ in context; else only a position tells them apart. */
function ambiguityKind({ anchor, resolution }: Unresolved, index: AnchorIndex): FailureKind {
  if (resolution.tooShort) return "anchor_prefix_ambiguous";
  if (anchor.field !== "hash") return "anchor_context_ambiguous";
  const [first, ...others] = resolution.candidates;
  if (anchor.occurrence !== undefined || first === undefined) return "anchor_ambiguous";
  if (others.some((line) => index.line(line).digest !== index.line(first).digest)) return "anchor_prefix_ambiguous";
  const context = index.contextDigest(first);
  return others.every((line) => index.contextDigest(line) === context)
    ? "anchor_context_ambiguous"
    : "anchor_ambiguous";
}

function nextAfterAmbiguity(
  kind: FailureKind,
  anchor: Anchor,
  example: { line: number; hash: string; context_hash: string },
): string {
  if (anchor.field !== "hash")
    return `Name the line with its number, as in "${anchor.field}": "${example.line}#${example.hash.slice(0, 6)}".`;
  if (kind === "anchor_prefix_ambiguous") return "Send the longer hash of the line you mean.";
  if (kind === "anchor_context_ambiguous") return 'Add the "occurrence" of the line you mean.';
  return 'Add the "occurrence" of the line you mean, or send its context hash as the hash.';
}

function describeAmbiguity({ operation, anchor, resolution, otherEnd }: Unresolved, index: AnchorIndex) {
  const candidates = resolution.candidates.map((line, at) => ({
    number: at + 1,
    line,
    preview: preview(index.line(line).text),
    hash: index.line(line).digest.slice(0, 8),
    context_hash: index.contextHash(line),
  }));
  const nearest = otherEnd === undefined ? undefined : nearestInDirection(candidates, anchor.field, otherEnd);
  return {
    operation: operation.number,
    anchor: anchor.field,
    hash: anchor.given,
    candidates,
    ...(nearest && { nearest_candidate: nearest }),
  };
}

/** Told, never taken: the candidate closest to the other end, on the side where this end belongs. */
function nearestInDirection<T extends { line: number }>(
  candidates: readonly T[],
  field: string,
  otherEnd: number,
): T | undefined {
  if (field === "end_hash") return candidates.find((candidate) => candidate.line >= otherEnd);
  return candidates.findLast((candidate) => candidate.line <= otherEnd);
}

function changedLines(unresolved: readonly Unresolved[], { seen, current }: Snapshot) {
  return unresolved.flatMap(({ anchor, resolution: { seenLine } }) => {
    if (seen === undefined || seenLine === undefined) return [];
    const now = seen.replacedBy(seenLine);
    return {
      hash: anchor.given,
      line: seenLine,
      was: preview(seen.index.line(seenLine).text),
      ...(now && { now_lines: [now.from, now.to], now: preview(current.line(now.from).text) }),
    };
  });
}
