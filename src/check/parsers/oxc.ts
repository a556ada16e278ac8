// JavaScript and TypeScript by oxc, with the question put to a process of its own (processes/oxc.ts).

import type { ParserOptions } from "oxc-parser";
import { askOxc } from "../../processes/oxc.ts";
import { MOST_FINDINGS, type Verdict } from "../finding.ts";
import { positionAt } from "../position.ts";

export async function oxcFindings(path: string, text: string): Promise<Verdict> {
  const lang = languageVariant(path);
  const sourceType = moduleKind(path);
  const found = await askOxc(text, { lang, sourceType }, MOST_FINDINGS);
  // Flow's types are not JavaScript: what else it says about such a text means nothing.
  if (!found || found.errors.some(({ message }) => /^Flow is not supported/.test(message))) return null;
  // A plain .js file may be CommonJS, where `return` at the top is legal.
  const again = found.errors.length > 0 && sourceType === "unambiguous";
  if (again && (await askOxc(text, { lang, sourceType: "commonjs" }, MOST_FINDINGS))?.errors.length === 0) return [];
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
  // JSX means nothing else in JavaScript, so it is always allowed there.
  return /\.[cm]?ts$/i.test(path) ? "ts" : "jsx";
}
