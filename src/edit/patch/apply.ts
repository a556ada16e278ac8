// Turns placed hunks into splices: context keeps the file's bytes, added lines get the right terminators.
import { diffLines } from "../diff/diff.ts";
import { type Eol, eolNear, type Line, splitLines } from "../text/lines.ts";
import { BOM } from "../text/source.ts";
import type { Splice } from "../text/splice.ts";
import type { FileLines } from "./file-lines.ts";
import type { PlacedHunk } from "./locate.ts";
import type { HunkLine } from "./sections.ts";

interface AddedLine {
  readonly text: string;
  readonly eol: Eol;
  /** The patch states this terminator, so it holds even if the file lacks a final newline. */
  readonly exact: boolean;
}

/** `added` replaces lines `from..to` of the file. */
interface LineChange {
  readonly from: number;
  readonly to: number;
  readonly added: readonly AddedLine[];
}

export function spliceHunks(file: FileLines, placed: readonly PlacedHunk[]): Splice[] {
  const changes = joinTouching(placed.flatMap((hunk) => lineChanges(file, hunk)));
  return changes
    .map((change) => toSplice(file, change))
    .filter((splice) => splice.text !== file.text.slice(splice.start, splice.end));
}

/** Returns splices of whole lines that turn one text into the other. */
export function spliceLines(from: string, to: string): Splice[] {
  const whole = ({ text, eol }: Line): string => text + eol;
  const [before, after] = [splitLines(from), splitLines(to).map(whole)];
  const offset = (index: number): number => before[index]?.start ?? from.length;
  return diffLines(before.map(whole), after).map(({ aStart, aEnd, bStart, bEnd }) => {
    return { start: offset(aStart), end: offset(aEnd), text: after.slice(bStart, bEnd).join("") };
  });
}

function lineChanges(file: FileLines, placed: PlacedHunk): LineChange[] {
  const { lines, old, at, hunk } = placed;
  const spelledOut = isSpelledOut(file, old, at);
  const finalNewlineChanges = hunk.oldOpen !== hunk.newOpen;
  const common = eolNear(file.lines, at + old.length - 1);
  const lastLine = lines.findLast((line) => line.sign !== "-");
  const toAdded = (line: HunkLine, replaced: Line | undefined): AddedLine => {
    const usual = replaced?.eol || common;
    const exact = spelledOut || (finalNewlineChanges && line === lastLine);
    // A final newline is stated, but not which one: an LF diff of a CRLF file adds CRLF.
    const stated = spelledOut || line.eol === "" ? line.eol : usual;
    return { text: line.text, eol: exact ? (stated ?? usual) : usual, exact };
  };

  const changes: LineChange[] = [];
  for (const run of runs(lines, at)) {
    const added = run.added.map((line, n) => toAdded(line, file.lines.slice(run.from, run.to)[n]));
    // The new last line must not bring the ending that it had further up.
    if (spelledOut || finalNewlineChanges || (hunk.newOpen && run.to === file.lines.length)) {
      changes.push({ from: run.from, to: run.to, added });
      continue;
    }
    // Lines that are removed and added again keep the file's bytes.
    const before = file.lines.slice(run.from, run.to).map((line) => line.text);
    const after = added.map((line) => line.text);
    for (const { aStart, aEnd, bStart, bEnd } of diffLines(before, after)) {
      changes.push({ from: run.from + aStart, to: run.from + aEnd, added: added.slice(bStart, bEnd) });
    }
  }
  return changes;
}

/** True when the patch states terminators and those of its old lines match: then the new ones hold, too. */
function isSpelledOut(file: FileLines, old: readonly HunkLine[], at: number): boolean {
  if (old.length === 0) return file.lines.length === 0;
  // A last line without a terminator says nothing about the other lines.
  if (old.every((line) => line.eol === "")) return file.lines.length === 1;
  return old.every((line, i) => line.eol !== undefined && line.eol === file.lines[at + i]!.eol);
}

/** Groups adjacent removed and added lines of a hunk; `from..to` are lines of the file. */
function runs(lines: readonly HunkLine[], at: number) {
  const found: { from: number; to: number; added: HunkLine[] }[] = [];
  let open: (typeof found)[number] | undefined;
  let next = at;
  for (const line of lines) {
    if (line.sign === " ") {
      open = undefined;
      next++;
      continue;
    }
    if (!open) {
      open = { from: next, to: next, added: [] };
      found.push(open);
    }
    if (line.sign === "+") open.added.push(line);
    else open.to = ++next;
  }
  return found;
}

function joinTouching(changes: readonly LineChange[]): LineChange[] {
  const out: { from: number; to: number; added: AddedLine[] }[] = [];
  for (const { from, to, added } of changes) {
    const last = out.at(-1);
    if (!last || last.to < from) {
      out.push({ from, to, added: [...added] });
      continue;
    }
    last.to = to;
    for (const line of added) last.added.push(line);
  }
  return out;
}

function toSplice(file: FileLines, change: LineChange): Splice {
  const start = file.offset(change.from);
  const end = file.offset(change.to);
  const count = file.lines.length;
  const atEnd = change.to === count;
  const fileIsOpen = count > 0 && file.lines[count - 1]!.eol === "";
  const lastIndex = change.added.length - 1;
  const parts = change.added.map((line, i) => {
    const drop = atEnd && fileIsOpen && i === lastIndex && !line.exact;
    return line.text + (drop ? "" : line.eol);
  });
  // Before lines are added behind an unterminated last line, that line must end.
  const bridge = change.from === count && fileIsOpen && parts.length > 0 ? eolNear(file.lines, count) : "";
  const text = bridge + parts.join("");
  // The file's BOM stays, so a BOM of new text would double it.
  const doubled = start > 0 && start === file.start && text.startsWith(BOM);
  return { start, end, text: doubled ? text.slice(BOM.length) : text };
}
