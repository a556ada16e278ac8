// Whole words in texts and edits.

import { diffLines } from "../../diff/diff.ts";
import { cutsWord } from "../place.ts";

/** True when `word` stands in `text` on its own. */
export function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!cutsWord(text, at, at + word.length)) return true;
  }
  return false;
}

/** True when a line that the edit adds contains `word`: a slip in it would be written into the file. */
export function addsWord(oldLines: readonly string[], newLines: readonly string[], word: string): boolean {
  return diffLines(oldLines, newLines).some(({ bStart, bEnd }) =>
    newLines.slice(bStart, bEnd).some((line) => hasWord(line, word)),
  );
}
