// Syntax: which parser judges a text, and when none is asked.
import type { Finding, SyntaxProblem, Verdict } from "./finding.ts";
import { type Language, languageOf, type ParserName } from "./language.ts";
import { jsoncFindings, jsonFindings, jsonLinesFindings, tomlFindings, yamlFindings } from "./parsers/data-formats.ts";
import { htmlFindings, vueFindings, xmlFindings } from "./parsers/html-tags.ts";
import { knownCss } from "./parsers/newer.ts";
import { oxcFindings } from "./parsers/oxc.ts";
import { pythonLayout, withoutBreaks } from "./parsers/python-layout.ts";
import { treeSitterFindings } from "./parsers/tree-sitter.ts";

export interface SyntaxReport {
  readonly parser: string;
  readonly errors: readonly SyntaxProblem[];
}

/** What the parser for this kind of file finds wrong; `null` when there is none or it could not tell. */
export async function syntaxErrors(path: string, text: string): Promise<SyntaxReport | null> {
  const judgement = await judge(path, text);
  return judgement && { parser: judgement.parser, errors: judgement.errors };
}

export interface Judgement extends SyntaxReport {
  /** What is wrong with a text that parses: names declared twice or never. */
  readonly slips: readonly SyntaxProblem[];
}

/** How long one text may take to be parsed, about. Without it: as long as is reasonable. */
export interface Hurry {
  /** Milliseconds. */
  readonly withinMs?: number;
}

export async function judge(path: string, text: string, hurry: Hurry = {}): Promise<Judgement | null> {
  const language = languageOf(path);
  const found = await parserFindings(path, text, language, hurry);
  if (!found || !language.parser) return null;
  const errors = found.filter((finding) => finding.severity === "error");
  return {
    parser: language.grammar ? `tree-sitter ${language.grammar}` : (LABEL[language.parser] ?? language.parser),
    errors: errors.filter((error) => !error.grammatical).map(problem),
    slips: errors.filter((error) => error.grammatical).map(problem),
  };
}

function problem({ line, column, endLine, message }: Finding): SyntaxProblem {
  return { line, column, message, ...(endLine !== undefined && { endLine }) };
}

/** Everything the parser reports, warnings included. Never throws: a parser that gives up has no verdict. */
export async function parserFindings(
  path: string,
  text: string,
  language: Language,
  { withinMs }: Hurry = {},
): Promise<Verdict> {
  const { parser } = language;
  if (!parser || text.length > longest(parser, withinMs) || nestsTooDeep(text)) return null;
  // The mark is not part of the text, and parsers differ on it.
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text;
  try {
    return await FINDINGS[parser](body, path, language, withinMs);
  } catch {
    return null;
  }
}

const FINDINGS: Readonly<
  Record<ParserName, (text: string, path: string, language: Language, withinMs?: number) => Verdict | Promise<Verdict>>
> = {
  json: jsonFindings,
  jsonc: jsoncFindings,
  jsonl: jsonLinesFindings,
  yaml: yamlFindings,
  toml: tomlFindings,
  oxc: (text, path) => oxcFindings(path, text),
  python: (text, _path, _language, withinMs) => pythonFindings(text, withinMs),
  html: htmlFindings,
  vue: vueFindings,
  xml: xmlFindings,
  "tree-sitter": (text, _path, language, withinMs) =>
    treeSitterFindings(language.grammar ?? language.name, language.name === "css" ? knownCss(text) : text, withinMs),
};

/** Who says so, where the name of the parser does not tell. */
const LABEL: Readonly<Partial<Record<ParserName, string>>> = {
  python: "stet's check of Python's layout, tree-sitter python",
  html: "stet's check of HTML's tags",
  vue: "stet's check of Vue's tags",
  xml: "stet's check of XML's tags",
};

/** The layout first: its words are plain, and it holds without the grammar, which knows nothing of it. */
async function pythonFindings(text: string, withinMs?: number): Promise<Verdict> {
  const layout = pythonLayout(text);
  if (layout?.length) return layout;
  if (text.length > LONGEST["tree-sitter"]) return layout;
  const grammar = await treeSitterFindings("python", text, withinMs);
  if (layout === null || !grammar?.length) return grammar ?? layout;
  const again = await treeSitterFindings("python", withoutBreaks(text), withinMs);
  return again?.length === 0 ? again : grammar;
}

/** The tree-sitter can be stopped; of the others only the length of the text tells how long they take. */
function longest(parser: ParserName, withinMs: number = LONGEST_MS): number {
  return parser === "tree-sitter" ? LONGEST[parser] : LONGEST[parser] * Math.min(1, withinMs / LONGEST_MS);
}

const LONGEST_MS = 500;
// In UTF-16 units: about half a second of parsing each on a slow core.
const MIB = 1024 * 1024;
const LONGEST: Readonly<Record<ParserName, number>> = {
  json: 8 * MIB,
  jsonc: 8 * MIB,
  jsonl: 8 * MIB,
  toml: 2 * MIB,
  "tree-sitter": MIB / 4,
  oxc: 2 * MIB,
  python: 2 * MIB,
  html: MIB,
  vue: MIB,
  xml: MIB,
  yaml: MIB / 4,
};

// No hand writes this, and no parser is at its best with it. Brackets in strings count too: the text is not understood yet.
const DEEPEST = 400;

function nestsTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x28 || unit === 0x5b || unit === 0x7b) {
      if (++depth > DEEPEST) return true;
    } else if (unit === 0x29 || unit === 0x5d || unit === 0x7d) {
      if (depth > 0) depth--;
    }
  }
  return false;
}
