// Lint: the built-in validators for data formats, JavaScript and TypeScript, as items with line and column.

import { languageOf, type ParserName } from "./language.ts";
import { parserFindings } from "./syntax.ts";

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
  /** The rule, where the linter names it. */
  readonly code?: string;
  /** The linter, or the language. */
  readonly source: string;
}

/** `null` when no validator knows this kind of file, or it could not tell. */
export async function lint(path: string, text: string): Promise<readonly LintItem[] | null> {
  const language = languageOf(path);
  if (!language.parser || !VALIDATORS.has(language.parser)) return null;
  const found = await parserFindings(path, text, language);
  if (!found) return null;
  return found.map(({ line, column, severity, message, code }) => {
    return { line, column, severity, message, ...(code !== undefined && { code }), source: language.name };
  });
}

const VALIDATORS: ReadonlySet<ParserName> = new Set<ParserName>(["json", "jsonc", "jsonl", "yaml", "toml", "oxc"]);
