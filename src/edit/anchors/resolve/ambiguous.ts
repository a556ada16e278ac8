// Anchors that lead to several lines: the refusal names every one of them by something that leads to it alone.

import { counted } from "../../../core/counted.ts";
import { type FailureKind, Refusal } from "../../../core/failure.ts";
import type { AnchorIndex } from "../lines/line-index.ts";
import { preview } from "../lines/preview.ts";
import { type Anchor, type ParsedOperation, withoutPosition } from "../operations.ts";
import type { NotFound } from "./resolve.ts";

const NAMED_IN_MESSAGE = 10;

/** An anchor of an operation that led nowhere, or to several lines. */
export interface Unresolved {
  readonly operation: ParsedOperation;
  readonly anchor: Anchor;
  readonly resolution: NotFound;
  /** The other end of the range, where it is known. */
  readonly otherEnd?: number;
}

export function ambiguousAnchors(unresolved: readonly Unresolved[], index: AnchorIndex): Refusal {
  const all = unresolved.map((one) => describeAmbiguity(one, index));
  const { resolution, anchor, operation } = unresolved[0]!;
  const first = all[0]!;
  const listed = first.candidates.slice(0, NAMED_IN_MESSAGE).map(({ number, line, preview }) => {
    return `#${number} line ${line}${ownHashes(anchor, line, index)}: "${preview}"`;
  });
  const more = first.candidates.length > listed.length ? `, and ${first.candidates.length - listed.length} more` : "";
  const why = resolution.why === undefined ? "" : `${resolution.why}; `;
  const rest = all.length - 1;
  const others = rest > 0 ? ` (${counted(rest, "more ambiguous anchor")} in the batch.)` : "";
  return new Refusal(
    ambiguityKind(unresolved[0]!, index),
    `Operation ${operation.number} (${operation.op}): ${why}${anchor.field} ${anchor.given} matches ${counted(first.candidates.length, "line")}: ${listed.join(", ")}${more}.${others}`,
    {
      next: nextAfterAmbiguity(unresolved[0]!, index),
      details: {
        suggested_action: "re-read_with_context",
        error_family: "anchor_ambiguous",
        ...first,
        ambiguous_anchors: all,
      },
    },
  );
}

/** The longer hashes that lead to this line alone: of its text, and of its text with its neighbours. */
function ownHashes({ field }: Anchor, line: number, index: AnchorIndex): string {
  // A bracket or a blank line needs its occurrence, whatever its hash.
  if (field === "hash" && index.line(line).quality === "low") return "";
  const hashes = { hash: index.line(line).digest.slice(0, 8), ctx: index.contextHash(line) };
  const own = Object.entries(hashes).filter(([, hash]) => index.find(hash).length === 1);
  return own.length === 0 ? "" : ` (${own.map(([name, hash]) => `${name}=${hash}`).join(" ")})`;
}

/** Only a position tells candidates apart that are equal at every level, and an end of a range takes no position. */
function ambiguityKind({ anchor, resolution }: Unresolved, index: AnchorIndex): FailureKind {
  if (anchor.field !== "hash") return "anchor_context_ambiguous";
  const [first, ...others] = resolution.candidates;
  if (anchor.occurrence !== undefined || first === undefined || others.length === 0) return "anchor_ambiguous";
  const context = index.contextDigest(first);
  return others.every((line) => index.contextDigest(line) === context)
    ? "anchor_context_ambiguous"
    : "anchor_ambiguous";
}

function nextAfterAmbiguity({ anchor, resolution, otherEnd }: Unresolved, index: AnchorIndex): string {
  const { candidates, contradicted } = resolution;
  const example = candidates[0]!;
  if (anchor.field !== "hash") {
    const near = candidates.length === 1 ? example : nearestInDirection(candidates, anchor.field, otherEnd);
    if (near === undefined) return `Name the line with its number, as "${anchor.field}": "N#${anchor.prefix}".`;
    const { hash, occurrences } = index.line(near);
    const context = index.contextHash(near);
    const own = occurrences > 1 && index.find(context).length === 1 ? context : hash;
    return `If line ${near} is meant, send "${anchor.field}": "${near}#${own}".`;
  }
  if (contradicted) return 'Give "occurrence" and "line" of the same line.';
  if (candidates.length === 1) {
    const isLow = index.line(example).quality === "low";
    return `If line ${example} is meant, ${isLow ? 'add "occurrence": 1' : `send "hash": "${index.anchor(example)}"${withoutPosition(anchor)}`}.`;
  }
  const add = `${anchor.line === undefined ? "add" : "in place of the number"} the "occurrence" (the number after #) of the line you mean.`;
  return candidates.slice(0, NAMED_IN_MESSAGE).some((line) => ownHashes(anchor, line, index) !== "")
    ? `Send one of the hashes shown in brackets as "hash"${withoutPosition(anchor)}, or ${add}`
    : `${add.charAt(0).toUpperCase()}${add.slice(1)}`;
}

function describeAmbiguity({ operation, anchor, resolution, otherEnd }: Unresolved, index: AnchorIndex) {
  const candidates = resolution.candidates.map((line, at) => ({
    number: at + 1,
    line,
    preview: preview(index.line(line).text),
    hash: index.line(line).digest.slice(0, 8),
    context_hash: index.contextHash(line),
  }));
  const nearest = nearestInDirection(resolution.candidates, anchor.field, otherEnd);
  return {
    operation: operation.number,
    anchor: anchor.field,
    hash: anchor.given,
    candidates,
    ...(nearest && { nearest_candidate: candidates.find(({ line }) => line === nearest) }),
  };
}

/** Told, never taken: the candidate closest to the other end, on the side where this end belongs. */
function nearestInDirection(candidates: readonly number[], field: string, otherEnd?: number): number | undefined {
  if (otherEnd === undefined) return undefined;
  return field === "end_hash"
    ? candidates.find((line) => line > otherEnd)
    : candidates.findLast((line) => line < otherEnd);
}
