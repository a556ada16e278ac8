// Level: one line of the old text has two letters of one word exchanged or a double letter missing, and nothing else in the file comes close.

import { similarity } from "../../../core/similarity.ts";
import type { Source } from "../../text/source.ts";
import { quote } from "../../text/visible.ts";
import type { Lookup } from "../compare/lookup.ts";
import { type NearWindow, nearWindows } from "../compare/near.ts";
import { isBlankLine } from "../compare/normal.ts";
import { isPlainlyTransposed, type Slip, slipsBetween } from "../compare/slips.ts";
import { addsWord, hasWord } from "../compare/words.ts";
import { oneToOne, segmentsOf } from "../merge.ts";
import { type Place, type Wanted, weightOf, wholeLines } from "../place.ts";
import { fitFor } from "./indentation.ts";

const LEAST_LINES = 3;
const LEAST_WEIGHT = 20;
const ALIKE_LINE = 0.5;

/**
 * Exchanged and doubled letters are how a hand slips, not how names differ. All other lines must be equal, the misspelt
 * word must be nowhere in the file, and no other window may resemble the old text.
 */
export function findMisspelt(lookup: Lookup, wanted: Wanted, seen: boolean): Place | undefined {
  const { source } = lookup;
  const { oldLines, newLines } = wholeLines(wanted);
  if (oldLines.filter((line) => !isBlankLine(line)).length < LEAST_LINES || weightOf(oldLines) < LEAST_WEIGHT)
    return undefined;
  const rivals = nearWindows(lookup, oldLines, 2)?.filter((window) => resembles(source, oldLines, window));
  const [window] = rivals ?? [];
  if (!window || rivals?.length !== 1 || window.differing.length !== 1) return undefined;

  const at = window.differing[0]!;
  const wrote = oldLines[at]!.trim();
  const file = source.lines[window.first + at]!.text.trim();
  const slips = slipsBetween(wrote, file);
  const [slip] = slips ?? [];
  if (slips?.length !== 1 || !slip || !isHandSlip(slip, seen)) return undefined;
  if (hasWord(source.text, slip.wrote) || addsWord(oldLines, newLines, slip.wrote)) return undefined;

  const segments = segmentsOf(source, window.first, window.first + oldLines.length - 1);
  return {
    alignment: oneToOne(segments),
    change: { oldLines, newLines, fit: fitFor({ source, segments, oldLines, newLines, first: window.first }) },
    similarity: similarity(oldLines.join("\n"), segments.map((segment) => segment.text).join("\n")),
    warnings: [
      `Line ${window.first + at + 1}: the old text says ${quote(slip.wrote)}, the file ${quote(slip.file)}; taken for a typo.`,
    ],
  };
}

/** Without proof of having seen the file, "filed" may be meant where it has "filled". */
function isHandSlip(slip: Slip, seen: boolean): boolean {
  return isPlainlyTransposed(slip) || (seen && (slip.kind === "transposed" || slip.kind === "doubled"));
}

function resembles(source: Source, oldLines: readonly string[], { first, differing }: NearWindow): boolean {
  return differing.every((at) => similarity(oldLines[at]!.trim(), source.lines[first + at]!.text.trim()) >= ALIKE_LINE);
}
