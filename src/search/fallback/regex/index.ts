// The meaning that ripgrep gives to a pattern, as a regular expression of JavaScript.
import { inAscii } from "./ascii.ts";
import { Invalid } from "./cursor.ts";
import { fromPerl } from "./perl.ts";
import { fromRust, type Meaning } from "./rust.ts";
import { character, inEitherCase } from "./sets.ts";

export { Invalid, Untranslatable } from "./cursor.ts";

export interface Translated {
  readonly source: string;
  /** For lines that end in "\r\n", where that makes a difference. */
  readonly crlfSource?: string;
  /** Both, for text that is ASCII only. */
  readonly ascii?: { readonly source: string; readonly crlfSource: string };
  readonly flags: string;
}

interface Asked {
  readonly caseSensitive: boolean;
  readonly multiline: boolean;
}

/** Throws Invalid or Untranslatable. */
export function translated(text: string, asked: Asked): Translated {
  const found = inEitherDialect(text, asked);
  const { source, crlfSource = source } = found;
  return { ...found, ascii: { source: inAscii(source), crlfSource: inAscii(crlfSource) } };
}

/** Rust's dialect, and where that does not do, Perl's. */
function inEitherDialect(text: string, asked: Asked): Translated {
  const within = (dialect: (text: string, meaning: Meaning) => { readonly source: string }) => ({
    source: dialect(text, { ...asked, carriageReturns: asked.multiline }).source,
    ...(!asked.multiline && { crlfSource: dialect(text, { ...asked, carriageReturns: true }).source }),
  });
  let invalid: Invalid;
  try {
    const { source, textEnds } = fromRust(text, { ...asked, carriageReturns: true });
    return { ...(textEnds ? within(fromRust) : { source }), flags: "gv" };
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    invalid = error;
  }
  try {
    const { flags } = fromPerl(text, { ...asked, carriageReturns: true });
    return { ...within(fromPerl), flags: `g${flags}` };
  } catch (error) {
    // Where both complain, the first one's word counts unless it only lacks what the second has.
    throw error instanceof Invalid && !/not supported/.test(invalid.message) ? invalid : error;
  }
}

/** A line makes a difference together with its end: Perl's dialect, or the start or end of the whole text. */
export function seesLineEnds(text: string, asked: Asked): boolean {
  try {
    return fromRust(text, { ...asked, carriageReturns: true }).textEnds;
  } catch (error) {
    return error instanceof Invalid;
  }
}

export function translatedLiteral(text: string, caseSensitive: boolean): Translated {
  const source = Array.from(text, (one) => {
    const plain = character(one.codePointAt(0)!);
    return caseSensitive ? plain : `[${inEitherCase(plain)}]`;
  });
  return { source: source.join(""), flags: "gv" };
}
