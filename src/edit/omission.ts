// Omission placeholders: lines that stand for text somebody left out ("// ... existing code ...").

import { splitLines } from "./lines.ts";

export interface Placeholder {
  /** 1-based line of the text it was found in. */
  readonly line: number;
  readonly text: string;
}

/** Lines that a reader takes for "the rest stays as it is". A bare `...` is not one: it is also code (Python, YAML). */
export function omissionPlaceholders(text: string): Placeholder[] {
  if (!MAY_OMIT.test(text)) return [];
  return splitLines(text).flatMap((line, index) =>
    kindOfPlaceholder(line.text) === "certain" ? [{ line: index + 1, text: line.text.trim() }] : [],
  );
}

/** `certain`: cannot be meant as text. `bare`: only dots, which may be code. */
export function kindOfPlaceholder(line: string): "certain" | "bare" | undefined {
  if (line.length > LONGEST_PLACEHOLDER) return undefined;
  const said = line.trim();
  if (DOTS_ONLY.test(said)) return "bare";
  const body = uncommented(said);
  if (body === undefined) return BARE_PHRASE.test(said) ? "certain" : undefined;
  if (DOTS_ONLY.test(body) || DOTTED_PHRASE.test(body) || PLAIN_PHRASE.test(body)) return "certain";
  return undefined;
}

const LONGEST_PLACEHOLDER = 160;
const MAY_OMIT = /\.\.\.|…|rest of|unchanged|existing|same as before|remain/i;
const DOTS_ONLY = /^(?:\.{3,}|…)$/;

const THING =
  "(?:code|file|files|function|functions|method|methods|class|classes|component|components|implementation|logic|content|contents|imports|props|fields|properties|cases|tests|lines|body|module|config|configuration|section|text|document|script|styles|rules|part|parts|stuff|above|below|here)";
const PHRASE = `(?:(?:the\\s+)?(?:existing|rest|remaining|remainder|other|unchanged|same|keep|previous|more|snip|snipped|omitted|truncated|elided)\\b[^.…]*|(?:your|all|some)\\s+(?:existing|other)\\b[^.…]*|${THING}\\s+(?:unchanged|omitted|continues|truncated|elided|remains?)\\b[^.…]*)`;
// "More to come..." is prose, "existing code ..." is not.
const LEFT_OUT = "(?:the\\s+)?(?:existing|rest\\s+of|remaining|unchanged|omitted|truncated)\\b[^.…]*";
const DOTS = "(?:\\.{3,}|…)";
const DOTTED_PHRASE = new RegExp(`^\\(?(?:${DOTS}\\s*${PHRASE}\\s*(?:${DOTS})?|${LEFT_OUT}\\s*${DOTS})\\)?[.)]*$`, "i");
// Without comment marks: `...rest` and `...existing,` are code, "more..." is prose.
const BARE_PHRASE = new RegExp(
  `^(?:${DOTS}\\s+${PHRASE}\\s+${DOTS}|${DOTS}\\s+(?:the\\s+)?(?:rest|remainder)\\s+of\\b[^.…]*|\\(?(?:the\\s+)?rest\\s+of\\s[^.…]*${DOTS}\\)?)$`,
  "i",
);
const PLAIN_PHRASE = new RegExp(
  `^\\(?(?:the\\s+)?(?:rest|remainder)\\s+of\\s+(?:the\\s+|your\\s+|this\\s+)?(?:existing\\s+)?${THING}(?:\\s+(?:is|are|remains?|stays?|goes|as|the|same|unchanged|before|here))*\\)?[.]?$`,
  "i",
);

const LINE_COMMENT = /^(?:\/\/+|#+|--|;+|%+|REM\b)\s*/i;
const BLOCK_COMMENTS: readonly (readonly [string, string])[] = [
  ["{/*", "*/}"],
  ["/*", "*/"],
  ["<!--", "-->"],
  ["{{!--", "--}}"],
  ["(*", "*)"],
];

function uncommented(line: string): string | undefined {
  for (const [open, close] of BLOCK_COMMENTS) {
    if (line.startsWith(open) && line.endsWith(close) && line.length >= open.length + close.length) {
      return line.slice(open.length, line.length - close.length).trim();
    }
  }
  const comment = LINE_COMMENT.exec(line)?.[0];
  return comment === undefined ? undefined : line.slice(comment.length).trim();
}
