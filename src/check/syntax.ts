// Syntax: parses a text with the parser of its language, unless that takes too long.
import type { ParserOptions } from "oxc-parser";
import { askOxc } from "../processes/oxc.ts";
import { jsoncFindings, jsonFindings, jsonLinesFindings, tomlFindings, yamlFindings } from "./data-formats.ts";
import { type Finding, MAX_FINDINGS, positionAt, type SyntaxProblem, type Verdict } from "./finding.ts";
import { type Language, languageOf, type ParserName } from "./languages.ts";
import { pythonFindings } from "./python.ts";
import { treeSitterFindings } from "./tree-sitter.ts";

export interface SyntaxReport {
  readonly parser: string;
  readonly errors: readonly SyntaxProblem[];
}

/** Returns syntax errors; `null` if this kind of file has no parser or the parser cannot tell. */
export async function syntaxErrors(path: string, text: string): Promise<SyntaxReport | null> {
  const judgement = await judge(path, text);
  return judgement && { parser: judgement.parser, errors: judgement.errors };
}

export interface Judgement extends SyntaxReport {
  /** Errors of a text that parses: names declared twice or never. */
  readonly nameErrors: readonly SyntaxProblem[];
  /** Never a reason to refuse: the grammar may be older than the language, or misled by macros. */
  readonly advisory: boolean;
}

/** Approximate time for parsing one text. */
export interface ParseLimit {
  /** Max milliseconds for parsing. */
  readonly withinMs?: number;
}

export async function judge(path: string, text: string, limit: ParseLimit = {}): Promise<Judgement | null> {
  const language = languageOf(path);
  const found = await parserFindings(path, text, language, limit);
  if (!found || !language.parser) return null;
  const errors = found.filter((finding) => finding.severity === "error");
  const advisory = language.parser === "tree-sitter";
  return {
    parser: advisory ? `tree-sitter ${language.name}` : language.parser,
    advisory,
    errors: errors.filter((error) => !error.grammatical).map(problem),
    nameErrors: errors.filter((error) => error.grammatical).map(problem),
  };
}

function problem({ line, column, endLine, message }: Finding): SyntaxProblem {
  return { line, column, message, ...(endLine !== undefined && { endLine }) };
}

/** One finding of a linter. */
export interface LintItem {
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
  /** How bad it is. */
  readonly severity: "error" | "warning";
  /** What is wrong. */
  readonly message: string;
  /** The rule, if the linter names it. */
  readonly code?: string;
  /** The linter, or the language. */
  readonly source: string;
}

/** Lints data formats, JavaScript and TypeScript; `null` for other files. */
export async function lint(path: string, text: string): Promise<readonly LintItem[] | null> {
  const language = languageOf(path);
  if (language.parser === "python" || language.parser === "tree-sitter") return null;
  const found = await parserFindings(path, text, language);
  if (!found) return null;
  return found.map(({ line, column, severity, message, code }) => {
    return { line, column, severity, message, ...(code !== undefined && { code }), source: language.name };
  });
}

/** Returns all findings of the parser, with warnings. Never throws: a parser that fails has no verdict. */
async function parserFindings(
  path: string,
  text: string,
  language: Language,
  { withinMs }: ParseLimit = {},
): Promise<Verdict> {
  const { parser } = language;
  if (!parser || text.length > maxLength(parser, withinMs) || nestsTooDeep(text)) return null;
  // Parsers differ on a BOM, which is not part of the text.
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text;
  try {
    return await PARSERS[parser](body, path, language, withinMs);
  } catch {
    return null;
  }
}

type Parse = (text: string, path: string, language: Language, withinMs?: number) => Verdict | Promise<Verdict>;

const PARSERS: Readonly<Record<ParserName, Parse>> = {
  json: jsonFindings,
  jsonc: jsoncFindings,
  jsonl: jsonLinesFindings,
  yaml: yamlFindings,
  toml: tomlFindings,
  oxc: oxcFindings,
  python: pythonFindings,
  "tree-sitter": (text, _path, { name }, withinMs) => treeSitterFindings(name, text, withinMs),
};

/** Parses in a process of its own, because hostile text can crash the parser. */
async function oxcFindings(text: string, path: string): Promise<Verdict> {
  const lang = languageVariant(path);
  const sourceType = moduleKind(path);
  const found = await askOxc(text, { lang, sourceType }, MAX_FINDINGS);
  // For Flow's types all other findings are meaningless.
  if (!found || found.errors.some(({ message }) => /^Flow is not supported/.test(message))) return null;
  // A plain .js file may be CommonJS, which allows `return` at the top.
  const again = found.errors.length > 0 && sourceType === "unambiguous";
  if (again && (await askOxc(text, { lang, sourceType: "commonjs" }, MAX_FINDINGS))?.errors.length === 0) return [];
  return found.errors.map(({ message, offset }) => ({
    ...positionAt(text, offset ?? text.length),
    message,
    severity: "error",
    ...(found.grammatical && { grammatical: true }),
  }));
}

function moduleKind(path: string): NonNullable<ParserOptions["sourceType"]> {
  if (/\.m[jt]s$/i.test(path)) return "module";
  return /\.c[jt]s$/i.test(path) ? "commonjs" : "unambiguous";
}

function languageVariant(path: string): NonNullable<ParserOptions["lang"]> {
  if (/\.d\.(?:[^./\\]+\.)?[cm]?ts$/i.test(path)) return "dts";
  if (/\.tsx$/i.test(path)) return "tsx";
  // JSX is no other JavaScript, so it is always allowed.
  return /\.[cm]?ts$/i.test(path) ? "ts" : "jsx";
}

/** Limits time by the length of the text: only tree-sitter can be stopped. */
function maxLength(parser: ParserName, withinMs: number = REASONABLE_MS): number {
  return parser === "tree-sitter" ? MAX_LENGTH[parser] : MAX_LENGTH[parser] * Math.min(1, withinMs / REASONABLE_MS);
}

const REASONABLE_MS = 500;
// In UTF-16 units: about half a second of parsing on a slow core.
const MIB = 1024 * 1024;
const MAX_LENGTH: Readonly<Record<ParserName, number>> = {
  json: 8 * MIB,
  jsonc: 8 * MIB,
  jsonl: 8 * MIB,
  toml: 2 * MIB,
  "tree-sitter": MIB / 4,
  oxc: 2 * MIB,
  python: 2 * MIB,
  yaml: MIB / 4,
};

// Parsers overflow on deeper nesting, which code by hand does not have. Brackets in strings count, too.
const MAX_DEPTH = 400;

function nestsTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x28 || unit === 0x5b || unit === 0x7b) {
      if (++depth > MAX_DEPTH) return true;
    } else if (unit === 0x29 || unit === 0x5d || unit === 0x7d) {
      if (depth > 0) depth--;
    }
  }
  return false;
}
