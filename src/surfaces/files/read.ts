// read: numbered lines of a file, at most 2000 of them with at most 2000 characters each.
import { counted } from "../../edit/counted.ts";
import { splitLines } from "../../edit/lines.ts";
import { Refusal } from "../../kernel/failure.ts";
import { displayable } from "../../kernel/text.ts";
import { legible, printable } from "../legible.ts";
import { linkRefusal } from "./change.ts";
import type { Outcome } from "./outcome.ts";
import { LINES, type ReadParams } from "./params.ts";
import type { Place } from "./place.ts";
import { tooLarge } from "./words.ts";

const CHARACTERS = 2000;
const EMPTY = "System reminder: File exists but has empty contents";

export async function read(place: Place, { file_path: path, offset = 0, limit = LINES }: ReadParams): Promise<Outcome> {
  const { session, call, settings, warn } = place;
  const at = await session.resolve(path, "read", call);
  if (place.mode === "sandbox" && at.throughLink) throw await linkRefusal(session, path, at);
  if (at.size > (settings.maxBytes ?? at.size))
    throw tooLarge("File exceeds", at.size, settings.maxBytes!, "Read a smaller file");
  const from = Math.max(0, offset) + 1;
  const file = await session.read(path, { from, to: from + (limit > 0 ? limit : LINES) - 1 }, { ...call, at });
  warn(...file.notes.map((note) => legible(note, path)));
  if (file.lines === 0 || file.whole?.text.body.trim() === "")
    return { plain: EMPTY, typed: { lines: [], summary: EMPTY } };
  if (from > file.lines) throw beyondEnd(path, from - 1, file.lines);

  const cut: number[] = [];
  const lines = splitLines(file.body).map(({ text }, n) => {
    const short = text.length > CHARACTERS ? [...text].slice(0, CHARACTERS).join("") : text;
    if (short.length < text.length) cut.push(from + n);
    return `${String(from + n).padStart(6)}\t${displayable(short)}`;
  });
  const last = from + lines.length - 1;
  if (cut.length > 0)
    warn(
      `Only the first ${CHARACTERS} characters are shown of line ${cut.slice(0, 20).join(", ")}${cut.length > 20 ? " and others" : ""}.`,
    );
  if (last < file.lines && (limit < 1 || limit >= LINES))
    warn(`The file has ${file.lines} lines; go on with offset ${last}.`);
  return {
    plain: lines.join("\n"),
    typed: { lines, summary: `Read ${lines.length} lines from ${printable(path)} (lines ${from}-${last})` },
  };
}

function beyondEnd(path: string, offset: number, lines: number): Refusal {
  const next = lines === 1 ? "Use offset 0." : `Use an offset between 0 and ${lines - 1}.`;
  const why = `Line offset ${offset} exceeds file length (${counted(lines, "line")}). ${next}`;
  return new Refusal("line_out_of_range", why, { path, next, details: { code: "OffsetOutOfRange", offset, lines } });
}
