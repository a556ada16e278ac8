// Whether tags match. In HTML, what the standard lets out (`</li>`, `</p>`, `</td>`) may be left out; in Vue's files and
// in XML it may not.

import type { Finding, Verdict } from "../finding.ts";
import { positionAt } from "../position.ts";

/** The first tag that does not match. One that closes itself (`<a/>`) is taken at its word. `null`: the text becomes HTML only after a template has run. */
export function htmlFindings(text: string): Verdict {
  return tagFindings(text, HTML);
}

export function vueFindings(text: string): Verdict {
  return /<template[^>]*\slang=/.test(text) ? null : tagFindings(text, VUE);
}

export function xmlFindings(text: string): Verdict {
  return tagFindings(text, XML);
}

interface Dialect {
  /** Never closed. */
  readonly empty: ReadonlySet<string>;
  /** May stay open. */
  readonly optional: ReadonlySet<string>;
  /** Hold no tags. */
  readonly raw: ReadonlySet<string>;
  readonly nameOf: (given: string) => string;
}

function tagFindings(text: string, dialect: Dialect): Verdict {
  if (TEMPLATE.test(text)) return null;
  const open: Tag[] = [];
  const stray = walk(text, open, dialect);
  if (open.length > DEEPEST) return null;
  const unclosed = stray ?? open.findLast(({ name }) => !dialect.optional.has(name));
  if (unclosed === undefined) return [];
  return [{ ...positionAt(text, unclosed.at), ...about(text, unclosed, stray !== undefined), severity: "error" }];
}

// A statement of a template may open a tag that another one closes; a place for a value may not.
const TEMPLATE =
  /\{%|<%|<\?(?!xml)|\[%|\{\{[-~]?\s*(?:[#/^]|(?:if|else|end|range|with|block|define)\b)|\{[#:/](?:if|each|await|key|else)\b/;

// No hand writes this.
const DEEPEST = 400;

interface Tag {
  readonly name: string;
  readonly at: number;
  /** Where it begins that another tag was closed before this one. */
  readonly by?: { readonly name: string; readonly at: number };
}

/** The tag that closes nothing, or the one that is closed by another's end. */
function walk(text: string, open: Tag[], dialect: Dialect): Tag | undefined {
  const unended = new Set<number>();
  MARKUP.lastIndex = 0;
  for (let match = MARKUP.exec(text); match !== null; match = MARKUP.exec(text)) {
    const [, end, given] = match;
    if (given === undefined) continue;
    const name = dialect.nameOf(given);
    const at = match.index;
    const behind = endOfTag(text, MARKUP.lastIndex, unended);
    if (behind === undefined) continue;
    MARKUP.lastIndex = behind;
    if (end === "/") {
      const wrong = close(name, at, open, dialect);
      if (wrong !== undefined) return wrong;
    } else if (!dialect.empty.has(name) && text[behind - 2] !== "/") {
      open.push({ name, at });
      if (open.length > DEEPEST) return undefined;
      if (dialect.raw.has(name)) MARKUP.lastIndex = endOfRaw(text, MARKUP.lastIndex, name);
    }
  }
  return undefined;
}

/** Comments, doctypes and CDATA first; then the beginning of a tag. */
const MARKUP = /<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<[!?][^>]*(?:>|$)|<(\/?)([A-Za-z][^\s/<>"']*)/g;

/**
 * Behind the attributes, in which quotes may hold anything; undefined for what is no tag. What leads to no end is
 * remembered in `unended`: another beginning that comes by there need not go on.
 */
function endOfTag(text: string, start: number, unended: Set<number>): number | undefined {
  const passed: number[] = [];
  MARK.lastIndex = start;
  for (let mark = MARK.exec(text); mark !== null && !unended.has(mark.index); mark = MARK.exec(text)) {
    if (mark[0] === ">") return mark.index + 1;
    passed.push(mark.index);
    const end = mark[0] === "<" ? -1 : text.indexOf(mark[0], mark.index + 1);
    if (end === -1) break;
    MARK.lastIndex = end + 1;
  }
  for (const at of passed) unended.add(at);
  return undefined;
}

const MARK = /[<>"']/g;

function close(name: string, at: number, open: Tag[], { empty, optional }: Dialect): Tag | undefined {
  if (empty.has(name)) return undefined;
  const place = open.findLastIndex((tag) => tag.name === name);
  // A browser makes an empty paragraph of it: `<p><ul></ul></p>` has one.
  if (place === -1) return optional.has(name) ? undefined : { name, at };
  const between = open.slice(place + 1).findLast((tag) => !optional.has(tag.name));
  if (between !== undefined) {
    // Of an end that may be left out: that of another list, further out.
    if (optional.has(name)) return undefined;
    return { ...between, by: { name, at } };
  }
  open.length = place;
  return undefined;
}

function endOfRaw(text: string, from: number, name: string): number {
  const end = new RegExp(`</${name}[\\s/>]`, "gi");
  end.lastIndex = from;
  return end.exec(text)?.index ?? text.length;
}

function about(text: string, { name, by }: Tag, stray: boolean): Pick<Finding, "message" | "endLine"> {
  if (by !== undefined) {
    const { line } = positionAt(text, by.at);
    return { message: `<${name}> is not closed before </${by.name}> of line ${line}`, endLine: line };
  }
  return { message: stray ? `</${name}> closes nothing` : `<${name}> is never closed` };
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));
const NONE: ReadonlySet<string> = new Set();
const inLowerCase = (given: string): string => given.toLowerCase();

const HTML: Dialect = {
  empty: words(
    "area base br col embed hr img input link meta param source track wbr basefont bgsound frame keygen command",
  ),
  optional: words("html head body li dt dd p rb rt rtc rp optgroup option colgroup caption thead tbody tfoot tr td th"),
  raw: words("script style textarea title xmp iframe noembed noframes plaintext"),
  nameOf: inLowerCase,
};
const VUE: Dialect = { ...HTML, optional: NONE };
const XML: Dialect = { empty: NONE, optional: NONE, raw: NONE, nameOf: (given) => given };
