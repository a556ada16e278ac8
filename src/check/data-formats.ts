// Checks JSON, JSON with comments, JSON lines, YAML and TOML, each by its parser, loaded on first use.
import type { ParseErrorCode, ParseOptions } from "jsonc-parser";
import type { Document, YAMLError } from "yaml";
import { splitLines } from "../edit/text/lines.ts";
import { type Finding, MAX_FINDINGS, positionAt, type Verdict } from "./finding.ts";

export async function jsonFindings(text: string): Promise<Verdict> {
  const refused = jsonError(text);
  if (refused === undefined) return [];
  const found = await visitJson(text, { disallowComments: true, allowTrailingComma: false });
  return found.length > 0 ? found : [{ line: 1, column: 1, message: refused, severity: "error" }];
}

export function jsoncFindings(text: string): Promise<Verdict> {
  return visitJson(text, { disallowComments: false, allowTrailingComma: true });
}

export async function jsonLinesFindings(text: string): Promise<Verdict> {
  const found: Finding[] = [];
  for (const [index, line] of splitLines(text).entries()) {
    const refused = line.text.trim() === "" ? undefined : jsonError(line.text);
    if (refused !== undefined) found.push({ line: index + 1, column: 1, message: refused, severity: "error" });
    if (found.length === MAX_FINDINGS) break;
  }
  return found;
}

// Statements of template languages: the text is YAML only after they run.
const TEMPLATE = /\{%|\{\{-|^[ \t]*\{\{/m;

export async function yamlFindings(text: string): Promise<Verdict> {
  if (TEMPLATE.test(text)) return null;
  const yaml = await import("yaml");
  // The library compares all keys pairwise, so duplicates are found below instead.
  const documents = yaml.parseAllDocuments(text, { prettyErrors: false, uniqueKeys: false, logLevel: "error" });
  if (!Array.isArray(documents)) return [];
  const errors = documents.flatMap((document) => document.errors);
  if (errors.some((error) => error.code === "RESOURCE_EXHAUSTION")) return null;
  const duplicates = errors.length > 0 ? [] : documents.flatMap((document) => duplicateKeys(yaml, text, document));
  const problems = [...errors, ...documents.flatMap((document) => document.warnings)].slice(0, MAX_FINDINGS);
  return [...duplicates, ...problems.map((problem) => yamlFinding(text, problem))];
}

export async function tomlFindings(text: string): Promise<Verdict> {
  const { parse, TomlError } = await import("smol-toml");
  try {
    parse(text);
    return [];
  } catch (error) {
    if (!(error instanceof TomlError) || /excessively nested/.test(error.message)) return null;
    const message = firstLine(error.message).replace(/^Invalid TOML document: /, "");
    return [{ line: error.line, column: error.column, message, severity: "error" }];
  }
}

function jsonError(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return firstLine(String((error as Error).message));
  }
}

async function visitJson(text: string, options: ParseOptions): Promise<Finding[]> {
  const { printParseErrorCode, visit } = await import("jsonc-parser");
  const found: { code: ParseErrorCode; offset: number }[] = [];
  const onError = (code: ParseErrorCode, offset: number): void => {
    if (found.length < MAX_FINDINGS) found.push({ code, offset });
  };
  visit(text, { onError }, options);
  return found.map(({ code, offset }) => {
    const name = printParseErrorCode(code);
    const message = name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
    return { ...positionAt(text, offset), message, code: name, severity: "error" };
  });
}

function yamlFinding(text: string, problem: YAMLError): Finding {
  return {
    ...positionAt(text, problem.pos[0]),
    message: firstLine(problem.message),
    code: problem.code,
    severity: problem.name === "YAMLWarning" ? "warning" : "error",
  };
}

function duplicateKeys({ visit, isScalar }: typeof import("yaml"), text: string, document: Document): Finding[] {
  const found: Finding[] = [];
  visit(document, {
    Map(_, map) {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        // Several merge keys in a map are common and harmless.
        if (!isScalar(key) || key.value === "<<") continue;
        if (seen.has(key.value) && found.length < MAX_FINDINGS) {
          const message = `map keys must be unique: ${firstLine(String(key.value)).slice(0, 60)}`;
          found.push({ ...positionAt(text, key.range?.[0] ?? 0), message, code: "DUPLICATE_KEY", severity: "error" });
        }
        seen.add(key.value);
      }
    },
  });
  return found;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]!.trim();
}
