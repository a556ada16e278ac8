// read: numbered lines of a file, at most 2000 of them with at most 2000 characters each. ls: the names there are.
import type { LineRange } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import { splitLines } from "../../edit/text/lines.ts";
import type { ReadResult } from "../../kernel/read/page.ts";
import { displayable } from "../../kernel/text/text.ts";
import { listDirectory } from "../../search/index.ts";
import { plural } from "../../words/plural.ts";
import { readLines } from "../shared/read.ts";
import { linkRefusal } from "./change.ts";
import type { Outcome } from "./params.ts";
import { LINES, type ReadParams } from "./params.ts";
import type { Place } from "./place.ts";
import { keysIn } from "./store.ts";
import { tooLarge } from "./words.ts";

const CHARACTERS = 2000;
const EMPTY = "System reminder: File exists but has empty contents";

export async function read(place: Place, params: ReadParams): Promise<Outcome> {
  const { file_path: path, offset = 0, limit = LINES } = params;
  const { session, call, settings, warn } = place;
  const at = await session.resolve(path, "read", call);
  if (place.mode === "sandbox" && at.throughLink) throw await linkRefusal(session, path, at, true);
  if (at.size > (settings.maxBytes ?? at.size))
    throw tooLarge("File exceeds", at.size, settings.maxBytes!, "Read a smaller file");
  const from = Math.max(0, offset) + 1;
  const range = { from, to: from + (limit > 0 ? limit : LINES) - 1 };
  const file = await readLines(place, path, range, { at, mark: false });
  const empty = file.lines === 0 || file.whole?.text.body.trim() === "";
  if (!empty && from > file.lines) throw beyondEnd(path, from - 1, file.lines);
  const lines = shownLines(file);
  await session.showed(file.path, file, { total: file.lines, shown: rangesOf(file, lines) }, call);
  if (empty) return { plain: EMPTY, typed: { lines: [], summary: EMPTY } };

  const last = from + lines.length - 1;
  const cut = lines.filter(({ isCut }) => isCut);
  if (cut.length > 0) warn(cutWords(cut));
  if (last < file.lines) warn(`${file.lines - last} of ${file.lines} lines left: go on with offset ${last}.`);
  const shown = lines.map(({ line, text }) => `${String(line).padStart(6)}\t${displayable(text)}`);
  return {
    plain: shown.join("\n"),
    typed: { lines: shown, summary: `Read ${lines.length} lines from ${printable(path)} (lines ${from}-${last})` },
  };
}

interface ShownLine {
  readonly line: number;
  readonly text: string;
  /** There is more of it. */
  readonly isCut: boolean;
}

function shownLines({ body, shown: { from } }: ReadResult): ShownLine[] {
  return splitLines(body).map(({ text }, n) => {
    const start = [...text.slice(0, 2 * CHARACTERS)].slice(0, CHARACTERS).join("");
    return { line: from + n, text: start, isCut: start.length < text.length };
  });
}

function rangesOf({ lines }: ReadResult, shown: readonly ShownLine[]): LineRange[] {
  // Of an empty file there is no line to show, and yet it is known.
  if (lines === 0) return [{ from: 1, to: 0 }];
  return shown.map(({ line, isCut }) => ({ from: line, to: isCut ? line - 1 : line }));
}

function cutWords(cut: readonly ShownLine[]): string {
  const lines = cut.slice(0, 20).map(({ line }) => line);
  const which = `line ${lines.join(", ")}${cut.length > 20 ? " and others" : ""}`;
  return `Only ${CHARACTERS} characters are shown of ${which}, which counts as not shown. Exact text can be edited in all of it.`;
}

function beyondEnd(path: string, offset: number, lines: number): Refusal {
  const next = lines === 1 ? "Use offset 0." : `Use an offset between 0 and ${lines - 1}.`;
  const why = `Line offset ${offset} exceeds file length (${plural(lines, "line")}).`;
  return new Refusal("line_out_of_range", why, { path, next, details: { code: "OffsetOutOfRange", offset, lines } });
}

export async function ls(place: Place): Promise<Outcome> {
  const files = place.mode === "store" ? await keysOf(place) : await namesIn(place);
  return { plain: files, typed: { files } };
}

async function keysOf({ session, call }: Place): Promise<string[]> {
  await session.resolve(".", "list", call);
  return keysIn(session.workspace.backend).map(printable);
}

async function namesIn({ session, call }: Place): Promise<string[]> {
  const request = { depth: 1, hidden: false, limit: Number.MAX_SAFE_INTEGER };
  const { entries } = await listDirectory(session, ".", request, call);
  return entries
    .map(({ name }) => name)
    .sort()
    .map(printable);
}
