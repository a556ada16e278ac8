// Other readings of the arguments: without pasted line numbers, escaping or HTML entities.
import type { Wanted } from "./place.ts";

export type Reading = "line_numbers" | "escaping" | "entities";

export interface ReadAs extends Wanted {
  readonly reading?: Reading;
  /** The 1-based line at which old text starts, by its own line numbers. */
  readonly firstLine?: number;
}

/** Yields the arguments as they are, then every reading that both texts allow. */
export function* readings(wanted: Wanted): Generator<ReadAs> {
  yield wanted;
  const unnumbered = withoutLineNumbers(wanted);
  if (unnumbered) yield { ...unnumbered, reading: "line_numbers" };
  const unescaped = withoutEscaping(wanted);
  if (unescaped) yield { ...unescaped, reading: "escaping" };
  const decoded = withoutEntities(wanted);
  if (decoded) yield { ...decoded, reading: "entities" };
}

// `12<TAB>`, `12|`, `12 | `, `12→`, `12: `, and the anchors `12#a1b2c3 [high]|`.
const NUMBERED = /^ {0,12}(\d{1,9})(\t|\|| \| ?|→|: |#[0-9a-f]{4,8}(?: \[[a-z]+\])? ?\|)/;

/** Strips consecutive numbers from old lines. New lines must all have matching numbers, or none. */
function withoutLineNumbers({ oldText, newText }: Wanted): ReadAs | undefined {
  const oldLines = numbered(oldText);
  if (oldLines.length < 2 || oldLines.some((line) => line.number === undefined)) return undefined;
  if (oldLines.some((line, n) => n > 0 && line.number !== oldLines[n - 1]!.number! + 1)) return undefined;
  const { number: firstLine, separator } = oldLines[0]!;
  if (firstLine === undefined || oldLines.some((line) => line.separator !== separator)) return undefined;
  const newLines = numbered(newText);
  const read = { oldText: unnumber(oldText, oldLines), firstLine };
  if (newLines.every((line) => line.separator !== separator)) return { ...read, newText };
  if (!goOnFrom(newLines, firstLine, oldLines.length, separator)) return undefined;
  return { ...read, newText: unnumber(newText, newLines) };
}

/** False for numbers that may be text, as in "80: http": they are neither kept nor stripped. */
function goOnFrom(
  lines: readonly NumberedLine[],
  first: number,
  count: number,
  separator: string | undefined,
): boolean {
  const start = lines[0]!.number;
  if (start === undefined || start < first || start > first + count) return false;
  return lines.every((line, n) => line.separator === separator && (n === 0 || line.number! > lines[n - 1]!.number!));
}

interface NumberedLine {
  readonly number: number | undefined;
  /** The text between number and line; "#" for anchors. */
  readonly separator: string | undefined;
  readonly text: string;
}

function numbered(text: string): NumberedLine[] {
  const lines = text.split("\n");
  return (text.endsWith("\n") ? lines.slice(0, -1) : lines).map((line) => {
    const prefix = NUMBERED.exec(line);
    return prefix
      ? { number: Number(prefix[1]), separator: separatorOf(prefix[2]!), text: line.slice(prefix[0].length) }
      : { number: undefined, separator: undefined, text: line };
  });
}

/** `12 | ` before an empty line may have lost its last blank. */
function separatorOf(written: string): string {
  return written.startsWith("#") ? "#" : written.trimEnd() || written;
}

function unnumber(text: string, lines: readonly NumberedLine[]): string {
  return lines.map((line) => line.text).join("\n") + (text.endsWith("\n") ? "\n" : "");
}

const BARE_QUOTE = /(?:^|[^\\])"/;
const ANY_ESCAPE = /\\([ntr"'`\\])/g;
// Beside real newlines, `\n` belongs to the code.
const QUOTE_ESCAPE = /\\(["'`\\])/g;
const PLAIN: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

/** Undoes JSON escaping: there is no bare quote, and a quote or every newline is escaped. */
function withoutEscaping({ oldText, newText }: Wanted): Wanted | undefined {
  if (BARE_QUOTE.test(oldText) || BARE_QUOTE.test(newText)) return undefined;
  const quotesEscaped = oldText.includes('\\"');
  const newlinesEscaped = oldText.includes("\\n") && !oldText.includes("\n") && !newText.includes("\n");
  if (!quotesEscaped && !newlinesEscaped) return undefined;
  const escapes = newlinesEscaped ? ANY_ESCAPE : QUOTE_ESCAPE;
  const unescaped = (text: string) => text.replace(escapes, (_, char: string) => PLAIN[char] ?? char);
  return { oldText: unescaped(oldText), newText: unescaped(newText) };
}

/** Decodes `&lt;` in both texts, unless one of them also has a bare `<`: that may mean the entity itself. */
function withoutEntities({ oldText, newText }: Wanted): Wanted | undefined {
  if (!holdsEntity(oldText)) return undefined;
  if ([oldText, newText].some((text) => holdsEntity(text) && /[<&]/.test(text.replaceAll(ENTITY, ""))))
    return undefined;
  const decoded = (text: string) => text.replaceAll(ENTITY, (entity) => CHARACTERS[entity]!);
  return { oldText: decoded(oldText), newText: decoded(newText) };
}

export function holdsEntity(text: string): boolean {
  return text.search(ENTITY) !== -1;
}

const ENTITY = /&(?:lt|gt|amp|quot|apos|#39);/g;
const CHARACTERS: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
  "&quot;": '"',
  "&apos;": "'",
  "&#39;": "'",
};
