// Nearest places: what a refusal shows instead of a bare "not found".

import { counted, linesBetween } from "../../core/counted.ts";
import type { Candidate } from "../../core/refusal-details.ts";
import { diffLines } from "../diff/diff.ts";
import { splitLines } from "../text/lines.ts";
import { LONGEST_QUOTED, MARKS, quote, quoteVisible } from "../text/visible.ts";
import { nearestWindows } from "./nearest.ts";

export type { Candidate };

/** Up to `most` places more than half alike, the most alike first. */
export function nearestPlaces(text: string, oldText: string, most = 3): Candidate[] {
  const fileLines = splitLines(text).map((line) => line.text);
  const block = splitLines(oldText).map((line) => line.text);
  return nearestWindows(fileLines, block, most, LEAST_SIMILARITY).map(({ first, last, similarity }) => {
    const lines = fileLines.slice(first, last + 1);
    return {
      startLine: first + 1,
      endLine: last + 1,
      similarity: Math.round(similarity * 1000) / 1000,
      text: lines.join("\n"),
      differences: differences(block, lines, first),
    };
  });
}

const LEAST_SIMILARITY = 0.5;
const MOST_DIFFERENCES = 3;

function differences(block: readonly string[], lines: readonly string[], first: number): string[] {
  const found: string[] = [];
  let more = 0;
  for (const { aStart, aEnd, bStart, bEnd } of diffLines(block, lines)) {
    const most = Math.max(aEnd - aStart, bEnd - bStart);
    for (let n = 0; n < most; n++) {
      if (found.length === MOST_DIFFERENCES) more++;
      else
        found.push(
          difference(
            block[aStart + n],
            lines[bStart + n],
            first + bStart + n + 1,
            n < aEnd - aStart,
            n < bEnd - bStart,
          ),
        );
    }
  }
  return more > 0 ? [...found, `${more} more ${more === 1 ? "line differs" : "lines differ"}`] : found;
}

function difference(
  wrote: string | undefined,
  file: string | undefined,
  line: number,
  wroteIt: boolean,
  fileHasIt: boolean,
): string {
  if (!fileHasIt || file === undefined) return `the file has no ${quote(wrote ?? "")} before line ${line}`;
  if (!wroteIt || wrote === undefined) return `line ${line} ${quote(file)} is not in the old text`;
  const show = wrote.trim() === file.trim() || squeezed(wrote) === squeezed(file) ? quoteVisible : quote;
  const marks = show === quoteVisible ? ` ${MARKS}` : "";
  return `line ${line}: the file has ${show(file)}, the old text ${show(wrote)}${marks}`;
}

function squeezed(line: string): string {
  return line.normalize().replace(/\s+/g, "");
}

/** The candidates as text for a refusal: what differs, then the text to copy. */
export function describe(candidates: readonly Candidate[]): string {
  return candidates
    .map(({ startLine, endLine, similarity, text, differences: said }, index) => {
      const head = `${index === 0 ? "Nearest" : "Also"}: ${linesBetween(startLine, endLine)}, ${Math.floor(similarity * 100)} % alike`;
      const why = said.length > 0 ? ` (${said.join("; ")})` : "";
      // One short line has been quoted whole in what differs.
      if (startLine === endLine && said.length > 0 && text.length <= LONGEST_QUOTED) return `${head}${why}.`;
      return `${head}${why}:\n${fenced(text, index === 0 ? 40 : 12)}`;
    })
    .join("\n");
}

function fenced(text: string, mostLines: number): string {
  const lines = text.split("\n");
  const shown = lines.slice(0, mostLines).map((line) => (line.length > 500 ? `${line.slice(0, 500)}…` : line));
  const rest = lines.length - shown.length;
  return ["```", ...shown, ...(rest > 0 ? [`… ${counted(rest, "more line")}`] : []), "```"].join("\n");
}
