// Nearest places: what a refusal shows instead of a bare "not found".

import { counted, linesBetween } from "../../core/counted.ts";
import { printableMessage } from "../../core/printable.ts";
import type { Candidate } from "../../core/refusal-details.ts";
import { similarity } from "../../core/similarity.ts";
import { diffLines } from "../diff/diff.ts";
import { lineTexts } from "../text/lines.ts";
import { contains, occurrences } from "../text/occurrences.ts";
import { sourceOf } from "../text/source.ts";
import { quote, quoteVisible, sideBySide, visible } from "../text/visible.ts";
import { nearestWindows, type Window } from "./nearest.ts";

export type { Candidate };

/** Up to `most` places more than half alike, the most alike first; those that write accents otherwise before all others. */
export function nearestPlaces(text: string, oldText: string, most = 3): Candidate[] {
  const [fileLines, block] = [lineTexts(text), lineTexts(oldText)];
  const forms = ["NFC", "NFD"].map((name) => oldText.normalize(name)).filter((each) => each !== oldText);
  const form = forms.find((each) => contains(text, each));
  const isOpen = oldText.endsWith("\n") && !text.endsWith("\n");
  const windows = form === undefined ? nearestWindows(fileLines, block, most, LEAST_SIMILARITY) : placesOf(form);
  return windows.map(({ first, last, similarity: alike }) => {
    const lines = fileLines.slice(first, last + 1);
    const differing = differences(block, form === undefined ? lines : lineTexts(form), first);
    if (isOpen && last === fileLines.length - 1) differing.push("the file has no newline at its end");
    return {
      startLine: first + 1,
      endLine: last + 1,
      similarity: Math.round(alike * 1000) / 1000,
      text: lines.join("\n"),
      differences: differing,
    };
  });

  function placesOf(written: string): Window[] {
    const { lineAt } = sourceOf(text);
    const alike = similarity(oldText, written);
    const place = (at: number) => ({ first: lineAt(at), last: lineAt(at + written.length - 1), similarity: alike });
    return occurrences(text, written, most).map(place);
  }
}

const LEAST_SIMILARITY = 0.5;
const MOST_DIFFERENCES = 3;

function differences(block: readonly string[], lines: readonly string[], first: number): string[] {
  const found: string[] = [];
  let more = 0;
  for (const { aStart, aEnd, bStart, bEnd } of diffLines(block, lines)) {
    const [wrote, file] = [block.slice(aStart, aEnd), lines.slice(bStart, bEnd)];
    for (let n = 0; n < Math.max(wrote.length, file.length); n++) {
      if (found.length === MOST_DIFFERENCES) more++;
      else found.push(difference(wrote[n], file[n], first + bStart + n + 1));
    }
  }
  return more > 0 ? [...found, `${more} more ${more === 1 ? "line differs" : "lines differ"}`] : found;
}

function difference(wrote: string | undefined, file: string | undefined, line: number): string {
  if (file === undefined) return `the file has no ${wrote ? quote(wrote) : "empty line"} before line ${line}`;
  if (wrote === undefined) return `line ${line} ${quote(file)} is not in the old text`;
  const isAlike = wrote.trim() === file.trim() || squeezed(wrote) === squeezed(file);
  return `line ${line}: ${sideBySide(file, wrote, isAlike ? quoteVisible : quote)}`;
}

function squeezed(line: string): string {
  return line.normalize().replace(/\s+/g, "");
}

/** The candidates as text for a refusal: what differs, then the text to copy. */
export function describe(candidates: readonly Candidate[]): string {
  return candidates
    .map(({ startLine, endLine, similarity, text, differences: said }, index) => {
      const head = `${index === 0 ? "Nearest" : "Also"}: ${linesBetween(startLine, endLine)}, ${Math.min(99, Math.floor(similarity * 100))} % alike`;
      const why = said.length > 0 ? ` (${said.join("; ")})` : "";
      // One short line may have been quoted to the letter in what differs.
      if (startLine === endLine && said.some((each) => each.includes(quote(text)))) return `${head}${why}.`;
      return `${head}${why}:\n${fenced(text, index === 0 ? MOST_SHOWN : 12)}`;
    })
    .join("\n");
}

/** The next action where the nearest place may be meant: copying only where it is shown whole and to the letter. */
export function copyNearest({ startLine, endLine, text }: Candidate): string {
  const lines = linesBetween(startLine, endLine);
  const isShown = fenced(text, MOST_SHOWN) === `\`\`\`\n${text}\n\`\`\`` && !visible(text).includes("⟨U+");
  if (!isShown || printableMessage(text) !== text) return `Read ${lines} again and copy the text to replace exactly.`;
  const [are, their] = startLine === endLine ? ["is", "its"] : ["are", "their"];
  return `If ${lines} ${are} meant, give ${their} text as the old text, and the new text for all of it; else read the file again.`;
}

const MOST_SHOWN = 40;

function fenced(text: string, mostLines: number): string {
  const lines = text.split("\n");
  const shown = lines.slice(0, mostLines).map((line) => (line.length > 500 ? `${line.slice(0, 500)}…` : line));
  const rest = lines.length - shown.length;
  return ["```", ...shown, ...(rest > 0 ? [`… ${counted(rest, "more line")}`] : []), "```"].join("\n");
}
