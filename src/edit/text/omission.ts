// Omission placeholders: lines that stand for omitted text ("// ... existing code ...").
import { refuse } from "../../words/index.ts";
import { diffLines } from "../diff/diff.ts";
import { splitLines } from "./lines.ts";
import type { Source } from "./source.ts";

export interface Placeholder {
  /** 1-based line of the text. */
  readonly line: number;
  readonly text: string;
}

/** Finds lines that mean "the rest stays as it is". A bare `...` is none: it may be Python or YAML. */
export function omissionPlaceholders(text: string): Placeholder[] {
  if (!MAY_OMIT.test(text)) return [];
  return splitLines(text).flatMap((line, index) =>
    kindOfPlaceholder(line.text) === "certain" || holdsPlaceholder(line.text)
      ? [{ line: index + 1, text: line.text.trim() }]
      : [],
  );
}

/**
 * Classifies a line. `certain`: a placeholder. `soft`: words that may be an ordinary comment. `bare`: only dots, which may
 * be code.
 */
export function kindOfPlaceholder(line: string): "certain" | "soft" | "bare" | undefined {
  if (line.length > MAX_PLACEHOLDER) return undefined;
  const said = line.trim();
  if (DOTS_ONLY.test(said)) return "bare";
  const body = uncommented(said);
  if (body === undefined) return BARE_PHRASE.test(said) ? "certain" : undefined;
  if (DOTS_ONLY.test(body) || DOTTED_PHRASE.test(body) || PLAIN_PHRASE.test(body)) return "certain";
  return SOFT_DOTTED.test(body) || SOFT_PLAIN.test(body) ? "soft" : undefined;
}

function holdsPlaceholder(line: string): boolean {
  return line.length <= MAX_PLACEHOLDER && INLINE_PHRASE.test(line);
}

/** Refuses placeholders such as "... rest unchanged ...": they would replace the text that they stand for. */
export function refuseNewPlaceholders(
  source: Source,
  { oldText, newText }: { readonly oldText: string; readonly newText: string },
): void {
  const known = new Map<string, number>();
  for (const { text } of omissionPlaceholders(oldText)) known.set(text, (known.get(text) ?? 0) + 1);
  for (const { text, line } of omissionPlaceholders(newText)) {
    const left = known.get(text) ?? 0;
    if (left === 0) throw refuse("new_text_has_placeholder", { line, placeholder: text });
    known.set(text, left - 1);
  }
  const line = doubtfulForLines(source, oldText, newText);
  if (line) throw refuse("new_text_has_placeholder", { line, placeholder: newText.split("\n")[line - 1]!.trim() });
}

// A bare `...` may be Python, "unchanged" a comment. In the place of this many lines they are omissions.
const MIN_SWALLOWED = 3;

/** Finds a line of new text that replaces several lines and may stand for them. */
function doubtfulForLines(source: Source, oldText: string, newText: string): number | undefined {
  const newLines = newText.split("\n");
  const kinds = newLines.map(kindOfPlaceholder);
  if (!kinds.some((kind) => kind === "bare" || kind === "soft")) return undefined;
  const oldLines = oldText.split("\n");
  const known = new Set(oldLines.map((line) => line.trim()));
  const isBare = (line: string) => kindOfPlaceholder(line) === "bare";
  for (const { aStart, aEnd, bStart, bEnd } of diffLines(oldLines, newLines)) {
    if (aEnd - aStart < MIN_SWALLOWED) continue;
    const fewer = aEnd - aStart - (bEnd - bStart) >= MIN_SWALLOWED;
    for (let at = bStart; at < bEnd; at++) {
      if (kinds[at] === "soft" && !known.has(newLines[at]!.trim())) return at + 1;
      if (kinds[at] === "bare" && fewer && !oldLines.some(isBare) && !source.lines.some(({ text }) => isBare(text))) {
        return at + 1;
      }
    }
  }
  return undefined;
}

const MAX_PLACEHOLDER = 160;
const MAY_OMIT = /\.\.\.|…|rest of|remainder of/i;
const DOTS_ONLY = /^(?:\.{3,}|…)$/;

const THING =
  "(?:code|file|files|function|functions|method|methods|class|classes|component|components|implementation|logic|content|contents|imports|props|fields|properties|cases|tests|lines|body|module|config|configuration|section|text|document|script|styles|rules|part|parts|stuff|above|below|here)";
const DOTS = "(?:\\.{3,}|…)";
const LEFT_OUT_WORD = "(?:existing|rest|remaining|remainder|unchanged|snip|snipped|omitted|truncated|elided)";
const LEFT_OUT = `(?:(?:the\\s+)?${LEFT_OUT_WORD}\\b[^.…]*|(?:your|all|some)\\s+(?:existing|other)\\b[^.…]*|${THING}\\s+(?:unchanged|omitted|continues|truncated|elided|remains?)\\b[^.…]*)`;
const PHRASE = `(?:${LEFT_OUT}|(?:the\\s+)?(?:other|same|keep|previous|more)\\b[^.…]*)`;
// "Existing session found, resuming..." is prose, "existing code ..." is not.
const ENDS_IN_DOTS = `(?:the\\s+)?(?:rest\\s+of\\b[^.…]*|(?:existing|remaining|unchanged|omitted|truncated)(?:\\s+${THING})?\\s*)${DOTS}`;
const DOTTED_PHRASE = new RegExp(
  `^\\(?(?:${DOTS}\\s*\\(?${LEFT_OUT}|${DOTS}\\s*\\(?${PHRASE}\\)?\\s*${DOTS}|${DOTS}\\s*\\(?${LEFT_OUT}\\)?\\s*${DOTS}|${ENDS_IN_DOTS})\\)?[.)]*$`,
  "i",
);
const SOFT_DOTTED = new RegExp(
  `^\\(?(?:${DOTS}\\s*${PHRASE}|(?:the\\s+)?(?:existing|remaining|unchanged|omitted|truncated)\\b[^.…]*${DOTS})\\)?[.)]*$`,
  "i",
);
// Without comment marks: `...rest` and `...existing,` are code, "more..." is prose.
const BARE_PHRASE = new RegExp(
  `^(?:${DOTS}\\s+${PHRASE}\\s+${DOTS}|\\[${DOTS}\\s+${LEFT_OUT}\\s+${DOTS}\\]|${DOTS}\\s+(?:the\\s+)?(?:rest|remainder)\\s+of\\b[^.…]*|\\(?(?:the\\s+)?rest\\s+of\\s[^.…]*${DOTS}\\)?)$`,
  "i",
);
const INLINE_PHRASE = new RegExp(`/\\*\\s*${DOTS}\\s*${LEFT_OUT}${DOTS}\\s*\\*/`, "i");
const REST_OF = `\\(?(?:the\\s+)?(?:rest|remainder)\\s+of\\s+(?:the\\s+|your\\s+|this\\s+)?(?:existing\\s+)?${THING}`;
const STAYS = "(?:\\s+(?:is|are|remains?|stays?|goes|as|the|same|unchanged|before|here))";
const PLAIN_PHRASE = new RegExp(`^${REST_OF}${STAYS}+\\)?[.]?$`, "i");
const SOFT_PLAIN = new RegExp(
  `^(?:${REST_OF}|\\(?(?:(?:all\\s+)?(?:the\\s+)?(?:existing|remaining|other|unchanged|previous|same)\\s+${THING}${STAYS}*|(?:the\\s+)?rest${STAYS}+|(?:${THING}\\s+)?(?:unchanged|omitted|truncated|elided|same\\s+as\\s+(?:before|above))(?:\\s+(?:for\\s+brevity|here))?|no\\s+changes?(?:\\s+here)?))\\)?[.]?$`,
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
