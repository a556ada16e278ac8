// Puts one server into a client's JSON: every other character stays as it is.
import { isDeepStrictEqual } from "node:util";
import {
  findNodeAtLocation,
  modify,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { Refusal } from "../../core/failure.ts";
import { isRecord } from "../../core/is-record.ts";
import type { Merge, Merged } from "./merge.ts";

export function mergeJson(text: string, merge: Merge): Merged {
  const bom = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const body = text.slice(bom.length);
  const before = body.trim() === "" ? "{}\n" : body;
  const { whole, servers } = contentOf(before, merge);
  const existing = Object.hasOwn(servers, merge.name) ? servers[merge.name] : undefined;
  if (isDeepStrictEqual(existing, merge.entry)) return { text, state: "same" };
  const after = withEntry(before, merge);
  const wanted = { ...whole, [merge.key]: { ...servers, [merge.name]: merge.entry } };
  if (!isDeepStrictEqual(contentOf(after, merge).whole, wanted))
    throw new Refusal("unsupported", `${merge.file} has ${merge.key} in a form that cannot be changed safely.`, {
      path: merge.file,
      next: "Change it by hand.",
    });
  return { text: bom + after, state: existing === undefined ? "added" : "differs", existing };
}

export function renderJson({ key, name, entry }: Merge): string {
  return `${JSON.stringify({ [key]: { [name]: entry } }, null, 2)}\n`;
}

/** The parser knows the place; the new text has the line ends and the indentation of the file, or its one line. */
function withEntry(text: string, { key, name, entry }: Merge): string {
  const hasServers = findNodeAtLocation(parseTree(text)!, [key]) !== undefined;
  const [path, value] = hasServers ? [[key, name], entry] : [[key], { [name]: entry }];
  const [edit] = modify(text, path, value, {});
  const { offset, length, content } = edit!;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const unit = /^([ \t]+)["}]/m.exec(text)?.[1] ?? "  ";
  const step = unit.startsWith("\t") ? "\t" : unit;
  const indent = step.repeat(path.length);
  const pretty = JSON.stringify(value, null, step).replaceAll("\n", eol + indent);
  const isOneLine = text.trim() !== "{}" && !/[\r\n]/.test(text.trim());
  const property = `${JSON.stringify(path.at(-1))}: ${isOneLine ? JSON.stringify(value) : pretty}`;
  const [, before = "", after = ""] = /^(,?)[\s\S]*?(,?)$/.exec(content) ?? [];
  const closing =
    before === "" && after === "" && !/^\s*[\r\n]/.test(text.slice(offset)) ? eol + indent.slice(step.length) : "";
  const added = isOneLine
    ? `${before && ", "}${property}${after}`
    : `${before}${eol}${indent}${property}${after}${closing}`;
  const replaced = isOneLine ? JSON.stringify(value) : pretty;
  return text.slice(0, offset) + (length > 0 ? replaced : added) + text.slice(offset + length);
}

function contentOf(text: string, { key, file }: Merge) {
  refuseMalformed(text, file);
  const whole: unknown = parse(text, [], { allowTrailingComma: true });
  if (!isRecord(whole)) throw malformed(file, "it is not an object");
  const servers = Object.hasOwn(whole, key) ? whole[key] : {};
  if (!isRecord(servers)) throw malformed(file, `${key} is not an object in it`);
  return { whole, servers };
}

function refuseMalformed(text: string, file: string): void {
  const errors: ParseError[] = [];
  let tree: Node | undefined;
  try {
    tree = parseTree(text, errors, { allowTrailingComma: true });
  } catch (error) {
    if (error instanceof RangeError) throw malformed(file, "it is nested too deeply");
    throw error;
  }
  const [error] = errors;
  if (tree !== undefined && error === undefined) return;
  const line = text.slice(0, error?.offset ?? 0).split("\n").length;
  throw malformed(file, error === undefined ? "it is empty" : `${printParseErrorCode(error.error)} in line ${line}`);
}

function malformed(file: string, why: string): Refusal {
  return new Refusal("invalid_input", `${file} is not what the client could read: ${why}. It was left as it is.`, {
    path: file,
    next: "Repair it, then run the command again.",
  });
}
