// JSON, JSON with comments, JSON lines, YAML and TOML, each by its own parser.

import { type ParseError, printParseErrorCode, visit } from "jsonc-parser";
import { parse as parseToml, TomlError } from "smol-toml";
import { isScalar, parseAllDocuments, visit as visitYaml, type YAMLError } from "yaml";
import { splitLines } from "../edit/lines.ts";
import { type Finding, MOST_FINDINGS, type Verdict } from "./finding.ts";
import { positionAt } from "./position.ts";

export function jsonFindings(text: string): Verdict {
  const refusal = refusedByJson(text);
  if (refusal === undefined) return [];
  const found = visitJson(text, { disallowComments: true, allowTrailingComma: false });
  return found.length > 0 ? found : [{ line: 1, column: 1, message: refusal, severity: "error" }];
}

export function jsoncFindings(text: string): Verdict {
  return visitJson(text, { disallowComments: false, allowTrailingComma: true });
}

export function jsonLinesFindings(text: string): Verdict {
  const found: Finding[] = [];
  for (const [index, line] of splitLines(text).entries()) {
    const refusal = line.text.trim() === "" ? undefined : refusedByJson(line.text);
    if (refusal !== undefined) found.push({ line: index + 1, column: 1, message: refusal, severity: "error" });
    if (found.length === MOST_FINDINGS) break;
  }
  return found;
}

export function yamlFindings(text: string): Verdict {
  // The library compares every key with every other; duplicates are looked for below instead.
  const documents = parseAllDocuments(text, { prettyErrors: false, uniqueKeys: false, logLevel: "error" });
  if (!Array.isArray(documents)) return [];
  const problems = documents.flatMap((document) => [...document.errors, ...document.warnings]);
  if (problems.some((problem) => problem.code === "RESOURCE_EXHAUSTION")) return null;
  const duplicates = problems.length > 0 ? [] : documents.flatMap((document) => duplicateKeys(text, document));
  return [...problems.map((problem) => yamlFinding(text, problem)), ...duplicates].slice(0, MOST_FINDINGS);
}

export function tomlFindings(text: string): Verdict {
  try {
    parseToml(text);
    return [];
  } catch (error) {
    if (!(error instanceof TomlError) || /excessively nested/.test(error.message)) return null;
    const message = firstLine(error.message).replace(/^Invalid TOML document: /, "");
    return [{ line: error.line, column: error.column, message, severity: "error" }];
  }
}

function refusedByJson(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return firstLine(String((error as Error).message));
  }
}

function visitJson(text: string, options: { disallowComments: boolean; allowTrailingComma: boolean }): Finding[] {
  const found: { code: ParseError["error"]; offset: number }[] = [];
  const onError = (code: ParseError["error"], offset: number): void => {
    if (found.length < MOST_FINDINGS) found.push({ code, offset });
  };
  visit(text, { onError }, options);
  return found.map(({ code, offset }) => {
    const name = printParseErrorCode(code);
    return { ...positionAt(text, offset), message: inWords(name), code: name, severity: "error" };
  });
}

function inWords(code: string): string {
  return code.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).toLowerCase();
}

function yamlFinding(text: string, problem: YAMLError): Finding {
  return {
    ...positionAt(text, problem.pos[0]),
    message: firstLine(problem.message),
    code: problem.code,
    severity: problem.name === "YAMLWarning" ? "warning" : "error",
  };
}

function duplicateKeys(text: string, document: ReturnType<typeof parseAllDocuments>[number]): Finding[] {
  const found: Finding[] = [];
  visitYaml(document, {
    Map(_, map) {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        // Several merge keys in one map are common and harmless.
        if (!isScalar(key) || key.value === "<<") continue;
        if (seen.has(key.value)) {
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
