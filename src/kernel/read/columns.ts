// Characters of a line: how many there are, where the n-th one stands, and how much of a text is shown in so many bytes.

const SURROGATE = /[\uD800-\uDFFF]/;

/** Code points; a stray byte, or half of a pair, is one too. */
export function charactersIn(text: string): number {
  if (!SURROGATE.test(text)) return text.length;
  let characters = 0;
  for (let at = 0; at < text.length; at += unitsAt(text, at)) characters++;
  return characters;
}

/** Where the text goes on behind so many characters; its end when it has no more. */
export function indexAfter(text: string, characters: number): number {
  if (!SURROGATE.test(text)) return Math.min(characters, text.length);
  let at = 0;
  for (let left = characters; left > 0 && at < text.length; left--) at += unitsAt(text, at);
  return at;
}

/** The longest start of a text that is shown in at most `maxBytes` of UTF-8; its first character in any case. */
export function startWithin(text: string, maxBytes: number): string {
  if (text.length * MAX_SHOWN <= maxBytes) return text;
  let bytes = 0;
  let at = 0;
  while (at < text.length) {
    bytes += shownBytes(text.codePointAt(at)!);
    if (bytes > maxBytes && at > 0) return text.slice(0, at);
    at += unitsAt(text, at);
  }
  return text;
}

/**
 * As much of a text as is shown in `maxBytes`: whole lines, whose line ends do not count. Where the first one alone does
 * not fit, a part of it, and `cut` says how many characters that has.
 */
export function linesWithin(text: string, maxBytes: number): { readonly text: string; readonly cut?: number } {
  const start = startWithin(text, maxBytes);
  if (start === text) return { text };
  const ended = /^\r?\n/.exec(text.slice(start.length, start.length + 2));
  const end = ended === null ? start.lastIndexOf("\n") + 1 : start.length + ended[0].length;
  return end > 0 ? { text: text.slice(0, end) } : { text: start, cut: charactersIn(start) };
}

/** What one unit of a text may take when it is shown: \uD83D. */
const MAX_SHOWN = 6;

/** As `displayable` shows it. */
function shownBytes(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  if (code > 0xffff) return 4;
  if (code < 0xd800 || code > 0xdfff) return 3;
  return code >= 0xdc80 && code <= 0xdcff ? "\\xNN".length : MAX_SHOWN;
}

function unitsAt(text: string, at: number): number {
  return text.codePointAt(at)! > 0xffff ? 2 : 1;
}
