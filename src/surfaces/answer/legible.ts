// Names and messages as they may be shown: nothing in them moves a cursor, reorders the text around it or begins a line.
import type { Failure } from "../../core/failure.ts";
import { displayable } from "../../kernel/text/text.ts";

/** A name as it is, unless something in it cannot be printed: then escaped. */
export function printable(name: string): string {
  return UNPRINTABLE.test(name) ? name.replace(new RegExp(UNPRINTABLE, "gu"), escaped) : name;
}

/** A message that may quote names and lines of files. `path` is one that it may name, in any spelling. */
export function legible(message: string, path = ""): string {
  return withNamesOf(path, displayable(message)).replace(UNREADABLE, escaped);
}

/** A line that a search found, to look at and not to edit: its line end is left out, and nothing in it moves a cursor. */
export function foundLine(line: string): string {
  return legibleDiff(withoutCr(line));
}

/** A line of a file without its line end: all of it. */
export function withoutCr(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/** A refusal whose words can be printed; `path` stays as it is, for programs. */
export function legibleFailure(failure: Failure, path = failure.path): Failure {
  const { suggestedAction, details } = failure;
  return {
    ...failure,
    message: legible(failure.message, path),
    ...(suggestedAction !== undefined && { suggestedAction: legible(suggestedAction, path) }),
    ...(typeof details?.diff === "string" && {
      details: { ...details, diff: legibleDiff(details.diff, path) },
    }),
  };
}

/** A diff: its lines are as the file has them, but for bytes that are no text, and what a terminal would obey. */
export function legibleDiff(diff: string, path = ""): string {
  return withNamesOf(path, displayable(diff)).replace(OBEYED, escaped);
}

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Surrogate}\u2028\u2029]/u;
/** A message may have several lines, and tabs in what it quotes. */
const UNREADABLE = /(?![\n\t])\p{Cc}|[\p{Cf}\u2028\u2029]/gu;

/** Not line ends and tabs; of what cannot be seen only what begins a line or turns the direction: emoji need the rest. */
const OBEYED = /(?![\n\t]|\r(?:\n|$))\p{Cc}|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

function withNamesOf(path: string, text: string): string {
  const names = path.split("/").filter((name) => UNPRINTABLE.test(name));
  return names.reduce((done, name) => done.replaceAll(displayable(name), () => printable(name)), text);
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}
