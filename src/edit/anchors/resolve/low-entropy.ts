// Brackets and blank lines as anchors: when they are refused, and what to use instead.

import { Refusal } from "../../../core/failure.ts";
import type { AnchorIndex } from "../lines/line-index.ts";
import { preview } from "../lines/preview.ts";
import type { Anchor } from "../operations.ts";
import { isNumbered, type Resolution, type Snapshot } from "./resolve.ts";

/**
 * What to do when a single-line operation names a bracket or a blank line. `explicit`: refuse unless an `occurrence`
 * is given. `tolerant`: also allow it when only one line matches. `strict`: always refuse.
 */
export type LowEntropyRule = "explicit" | "tolerant" | "strict";

/** The anchor of a single-line operation, and where it led. */
export interface Lead {
  readonly anchor: Anchor;
  readonly resolution: Resolution;
}

const NEIGHBOUR_DISTANCE = 3;
const MAX_NEIGHBOURS = 6;
const MOST_CANDIDATES = 20;

export function refuseLowEntropy(
  leads: readonly Lead[],
  { current: index, known }: Snapshot,
  rule: LowEntropyRule,
): void {
  const refused = leads.filter((lead) => leadsToLowLine(lead, index) && !isAllowed(lead, rule));
  const entries = refused.flatMap((lead) => describe(lead, index));
  const [first, second] = entries;
  if (first === undefined) return;
  const all = [...new Set(entries.flatMap((entry) => entry.neighbor_anchors))];
  // The words name only what the caller may use at once: lines that it was shown, by their numbers in this version.
  const neighbours = all.filter((anchor) => isNumbered(Number.parseInt(anchor, 10), known)).slice(0, MAX_NEIGHBOURS);
  const where = `${second ? "Lines" : "Line"} ${entries.map((entry) => entry.line).join(", ")}`;
  const what = first.content === "" ? "blank" : `"${first.content}"`;
  const instead = neighbours.length === 0 ? "a distinctive line" : `a neighbour (${neighbours.join(", ")})`;
  const named = `"hash": "${index.anchor(first.line)}", "occurrence": ${first.occurrence}`;
  const insist = `, or send ${named} if line ${first.line} is meant`;
  throw new Refusal(
    "anchor_low_entropy",
    `${where} (${what}) cannot serve as anchor: lines like this repeat, so a hash does not tell them apart.`,
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

function describe({ anchor, resolution }: Lead, index: AnchorIndex) {
  const lines = resolution.found ? [resolution.line] : resolution.candidates.slice(0, MOST_CANDIDATES);
  return lines.map((line) => ({
    hash: anchor.given,
    line,
    content: preview(index.line(line).text),
    occurrence: resolution.candidates.indexOf(line) + 1,
    neighbor_anchors: neighbourAnchors(index, line),
  }));
}

/** The high-quality lines within three of this one; when there are none, the nearest on either side. */
function neighbourAnchors(index: AnchorIndex, line: number): string[] {
  const isHigh = (number: number) => index.lineAt(number)?.quality === "high";
  const window = Array.from({ length: 2 * NEIGHBOUR_DISTANCE + 1 }, (_, n) => line - NEIGHBOUR_DISTANCE + n);
  const near = window.filter(isHigh);
  const chosen = near.length > 0 ? near : [nearestHigh(line, -1), nearestHigh(line, 1)].filter(isHigh);
  return chosen.map((number) => index.anchor(number));

  function nearestHigh(from: number, step: number): number {
    let number = from + step;
    while (number >= 1 && number <= index.count && !isHigh(number)) number += step;
    return number;
  }
}
