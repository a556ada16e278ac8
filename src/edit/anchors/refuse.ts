// Refusals of anchors that lead nowhere, to several lines, or to a line that cannot serve as one.
import { type FailureKind, Refusal } from "../../core/failure.ts";
import { linesBetween, plural } from "../../core/plural.ts";
import { type AnchorIndex, isNumbered, preview } from "./lines.ts";
import { type Anchor, type ParsedOperation, withoutPosition } from "./operations.ts";
import type { Lead, NotFound, Snapshot } from "./resolve.ts";

/** An anchor of an operation that led nowhere, or to several lines. */
export interface Unresolved {
  readonly operation: ParsedOperation;
  readonly anchor: Anchor;
  readonly resolution: NotFound;
  /** The other end of the range, where it is known. */
  readonly otherEnd?: number;
}

const MAX_NAMED = 10;
const MAX_DETAILED = 100;

/** Names every candidate by something that leads to it alone. */
export function ambiguousAnchors(unresolved: readonly Unresolved[], file: Snapshot): Refusal {
  const { index } = file;
  const all = unresolved.slice(0, MAX_NAMED).map((one) => describeAmbiguity(one, index));
  const { resolution, anchor, operation } = unresolved[0]!;
  const { candidates } = all[0]!;
  // Both of a range, where both are wrong.
  const ends = unresolved.filter((one) => one.operation === operation);
  const listed = candidates.slice(0, MAX_NAMED).map(({ number, line, preview }) => {
    return `#${number} line ${line}${ownHashes(anchor, line, index)}: "${preview}"`;
  });
  const unlisted = resolution.candidates.length - listed.length;
  const more = unlisted > 0 ? `, and ${unlisted} more` : "";
  const why = resolution.why === undefined ? "" : `${resolution.why}; `;
  const others =
    unresolved.length > 1 ? ` (${plural(unresolved.length - 1, "more ambiguous anchor")} in the batch.)` : "";
  return new Refusal(
    ambiguityKind(unresolved[0]!, index),
    `Operation ${operation.number} (${operation.op}): ${why}${anchor.field} ${anchor.given} matches ${plural(resolution.candidates.length, "line")}: ${listed.join(", ")}${more}.${others}`,
    {
      next: [...new Set(ends.map((one) => nextAfterAmbiguity(one, file)))].join(" "),
      details: {
        suggested_action: "re-read_with_context",
        error_family: "anchor_ambiguous",
        ...all[0],
        ambiguous_anchors: all.slice(0, MAX_NAMED),
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

/** Only a position distinguishes candidates that are equal at every level, and an end of a range takes no position. */
function ambiguityKind({ anchor, resolution }: Unresolved, index: AnchorIndex): FailureKind {
  if (anchor.field !== "hash") return "anchor_context_ambiguous";
  const contexts = new Set(resolution.candidates.map((line) => index.contextHash(line)));
  const isSame = contexts.size === 1 && resolution.candidates.length > 1 && anchor.occurrence === undefined;
  return isSame ? "anchor_context_ambiguous" : "anchor_ambiguous";
}

function nextAfterAmbiguity({ anchor, resolution, otherEnd }: Unresolved, file: Snapshot): string {
  const { index, known } = file;
  const { candidates, contradicted } = resolution;
  const example = candidates[0]!;
  // What it says to send must be taken, and a refusal gives no number that counts.
  const isCounted = candidates.every((line) => isNumbered(line, known));
  if (anchor.field !== "hash") {
    const near = candidates.length === 1 ? example : nearestInDirection(candidates, anchor.field, otherEnd);
    if (near === undefined)
      return isCounted
        ? `Name the line with its number, as "${anchor.field}": "N#${anchor.prefix}".`
        : reading(candidates, file);
    const { hash } = index.line(near);
    const own = [hash, index.contextHash(near)].find((each) => index.find(each).length === 1);
    if (own === undefined && !isCounted) return reading(candidates, file);
    return `If line ${near} is meant, send "${anchor.field}": "${near}#${own ?? hash}".`;
  }
  if (contradicted) return 'Give "occurrence" and "line" of the same line.';
  if (candidates.length === 1) {
    const isLow = index.line(example).quality === "low";
    return `If line ${example} is meant, ${isLow ? 'add "occurrence": 1' : `send "hash": "${index.anchor(example)}"${withoutPosition(anchor)}`}.`;
  }
  const add = `${anchor.line === undefined ? "add" : "in place of the number"} the "occurrence" (the number after #) of the line you mean`;
  const instead = isCounted ? `${add}.` : reading(candidates, file);
  return candidates.slice(0, MAX_NAMED).some((line) => ownHashes(anchor, line, index) !== "")
    ? `Send one of the hashes shown in brackets as "hash"${withoutPosition(anchor)}${isCounted ? `, or ${add}` : ""}.`
    : `${instead.charAt(0).toUpperCase()}${instead.slice(1)}`;
}

const MAX_READ = 200;

/** A read that names no lines shows the first ones. */
function reading(lines: readonly number[], { known: { parts = [] } }: Snapshot, max = MAX_READ): string {
  const [from, ...others] = [...lines].sort((a, b) => a - b);
  const to = others.at(-1) ?? from;
  if (from === undefined || to === undefined) return READ_AGAIN;
  if (to - from >= max) return READ_MEANT;
  const part = from === to ? parts.find(({ line }) => line === from) : undefined;
  const column = part === undefined ? "" : `, start_column ${part.upTo + 1}`;
  return `Read ${linesBetween(from, to)} with read_file, hashes true, offset ${from - 1}, limit ${to - from + 1}${column}, and use the new anchors.`;
}

function describeAmbiguity({ operation, anchor, resolution, otherEnd }: Unresolved, index: AnchorIndex) {
  const describe = (line: number) => ({
    number: resolution.candidates.indexOf(line) + 1,
    line,
    preview: preview(index.line(line).text),
    hash: index.line(line).digest.slice(0, 8),
    context_hash: index.contextHash(line),
  });
  const nearest = nearestInDirection(resolution.candidates, anchor.field, otherEnd);
  return {
    operation: operation.number,
    anchor: anchor.field,
    hash: anchor.given,
    candidates: resolution.candidates.slice(0, MAX_DETAILED).map(describe),
    matches: resolution.candidates.length,
    ...(nearest && { nearest_candidate: describe(nearest) }),
  };
}

/** The candidate closest to the other end, on the side where this end belongs. It is proposed, never taken. */
function nearestInDirection(candidates: readonly number[], field: string, otherEnd?: number): number | undefined {
  if (otherEnd === undefined) return undefined;
  return field === "end_hash"
    ? candidates.find((line) => line > otherEnd)
    : candidates.findLast((line) => line < otherEnd);
}

const READ_MEANT = "Read the lines that you mean again with hashes and use the new anchors.";
export const READ_AGAIN = "Read the file again with hashes and use the new anchors.";
export const FILL_EMPTY = "The file is empty: use insert_after with the hash d41d8c to add its first lines.";

/** Names the lines to read. `all`: the ambiguous anchors of the batch, too. */
export function staleAnchors(unresolved: readonly Unresolved[], file: Snapshot, all: readonly Unresolved[]): Refusal {
  const { index } = file;
  const meant = all.flatMap(({ anchor: { line = 0 }, resolution: { candidates, unread } }) => {
    return unread ?? [...candidates, ...(index.lineAt(line) ? [line] : [])];
  });
  // Lines that were not shown have to be read, however many; of equal lines only those that are meant.
  const isOne = all.every(({ resolution: { candidates, unread } }) => unread && candidates.length <= 1);
  return new Refusal("anchor_stale", `${reasonsOf(unresolved, file)}.`, {
    next: index.count === 0 ? FILL_EMPTY : reading(meant, file, isOne ? Number.POSITIVE_INFINITY : MAX_READ),
    details: {
      suggested_action: "re-read_file",
      error_family: "anchor_stale",
      missingHashes: [...new Set(unresolved.map(({ anchor }) => anchor.given))],
    },
  });
}

function reasonsOf(unresolved: readonly Unresolved[], { known }: Snapshot): string {
  const unknown = unresolved.filter(({ resolution }) => resolution.why === undefined).map(({ anchor }) => anchor.given);
  const missing = `no line of the current file has the hash ${[...new Set(unknown)].join(" or ")}`;
  const others = unresolved.flatMap(({ resolution }) => resolution.why ?? []);
  const reasons = [...(unknown.length > 0 ? [missing] : []), ...others].join("; ");
  const whole = reasons.charAt(0).toUpperCase() + reasons.slice(1);
  if (unresolved.every(({ resolution }) => resolution.unread)) return whole;
  const because = known.shown
    ? "the file is as you last read or edited it, so the anchor is mistyped or of an older version"
    : "you have not read the file in this session, so it may have changed since";
  return `${whole}; ${because}`;
}

/**
 * The rule for a single-line operation that names a bracket or a blank line. `explicit`: refuse unless an `occurrence`
 * is given. `tolerant`: also allow it when only one line matches. `strict`: always refuse.
 */
export type LowEntropyRule = "explicit" | "tolerant" | "strict";

const NEIGHBOUR_DISTANCE = 3;
const MAX_NEIGHBOURS = 6;
const MAX_CANDIDATES = 20;

export function refuseLowEntropy(leads: readonly Lead[], { index, known }: Snapshot, rule: LowEntropyRule): void {
  const refused = leads.filter((lead) => leadsToLowLine(lead, index) && !isAllowed(lead, rule));
  const entries = refused.flatMap((lead) => describeLow(lead, index));
  const [first, second] = entries;
  if (first === undefined) return;
  const all = [...new Set(entries.flatMap((entry) => entry.neighbor_anchors))];
  // The words name only what the caller may use at once: lines that it was shown, by their numbers in this version.
  const neighbours = all.filter((anchor) => isNumbered(Number.parseInt(anchor, 10), known)).slice(0, MAX_NEIGHBOURS);
  const where = `${second ? "Lines" : "Line"} ${entries.map((entry) => entry.line).join(", ")}`;
  const content = first.content === "" ? "blank" : `"${first.content}"`;
  const instead = neighbours.length === 0 ? "a distinctive line" : `a neighbour (${neighbours.join(", ")})`;
  const named = `"hash": "${index.anchor(first.line)}", "occurrence": ${first.occurrence}`;
  const insist = `, or send ${named} if line ${first.line} is meant`;
  throw new Refusal(
    "anchor_low_entropy",
    `${where} (${content}) cannot serve as anchor: lines like this repeat, so a hash does not single one out.`,
    {
      next: `Anchor on ${instead} instead${rule === "strict" || !isNumbered(first.line, known) ? "" : insist}.`,
      details: {
        suggested_action: "use_neighbor_anchor",
        error_family: "anchor_low_entropy",
        ...(second === undefined && { line: first.line, content: first.content, occurrence: first.occurrence }),
        occurrences: refused[0]?.resolution.candidates.length,
        neighbor_anchors: all.slice(0, MAX_NEIGHBOURS),
        low_entropy_anchors: entries,
      },
    },
  );
}

function leadsToLowLine({ resolution }: Lead, index: AnchorIndex): boolean {
  const lines = resolution.found ? [resolution.line] : resolution.candidates;
  return lines.every((line) => index.lineAt(line)?.quality === "low");
}

function isAllowed({ anchor, resolution }: Lead, rule: LowEntropyRule): boolean {
  if (rule === "strict") return false;
  return anchor.occurrence !== undefined || (rule === "tolerant" && resolution.candidates.length === 1);
}

function describeLow({ anchor, resolution }: Lead, index: AnchorIndex) {
  const lines = resolution.found ? [resolution.line] : resolution.candidates.slice(0, MAX_CANDIDATES);
  return lines.map((line) => ({
    hash: anchor.given,
    line,
    content: preview(index.line(line).text),
    occurrence: resolution.candidates.indexOf(line) + 1,
    neighbor_anchors: neighbourAnchors(index, line),
  }));
}

/** The high-quality lines within three of this one; when there are none, the nearest on either side. */
function neighbourAnchors({ lines }: AnchorIndex, line: number): string[] {
  const high = lines.filter(({ quality }) => quality === "high");
  const near = high.filter(({ number }) => Math.abs(number - line) <= NEIGHBOUR_DISTANCE);
  const nearest = [high.findLast(({ number }) => number < line), high.find(({ number }) => number > line)];
  return (near.length > 0 ? near : nearest).flatMap((each) => (each ? `${each.number}#${each.hash}` : []));
}
