// Puts one server into a client's JSON: comments, order and indentation of everything else stay as they are.
import { isDeepStrictEqual } from "node:util";
import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { Refusal } from "../../kernel/failure.ts";
import type { Merge, Merged } from "./merge.ts";

export function mergeJson(text: string, merge: Merge): Merged {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  const body = text.slice(mark.length);
  const content = body.trim() === "" ? "{}\n" : body;
  const before = contentOf(content, merge);
  const existing = before.servers[merge.name];
  if (isDeepStrictEqual(existing, merge.entry)) return { text, state: "same" };
  const formattingOptions = { ...indentationOf(content), eol: content.includes("\r\n") ? "\r\n" : "\n" };
  const edits = modify(content, [merge.key, merge.name], merge.entry, { formattingOptions });
  const after = applyEdits(content, edits);
  refuseUnless(contentOf(after, merge), before, merge);
  return { text: mark + after, state: existing === undefined ? "added" : "differs", existing };
}

const BYTE_ORDER_MARK = "\uFEFF";

export function renderJson({ key, name, entry }: Merge): string {
  return `${JSON.stringify({ [key]: { [name]: entry } }, null, 2)}\n`;
}

interface Content {
  readonly whole: Record<string, unknown>;
  readonly servers: Record<string, unknown>;
}

function contentOf(text: string, { key, file }: Merge): Content {
  const errors: ParseError[] = [];
  const whole: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split("\n").length;
    throw malformed(file, `${printParseErrorCode(error.error)} in line ${line}`);
  }
  const servers = isObject(whole) ? (whole[key] ?? {}) : undefined;
  if (!isObject(servers) || !isObject(whole)) throw malformed(file, `${key} is not an object in it`);
  return { whole, servers };
}

/** A reader of the new text finds the entry as it is meant, and everything else as it was. */
function refuseUnless({ whole }: Content, before: Content, { key, name, entry, file }: Merge): void {
  const wanted = { ...before.whole, [key]: { ...before.servers, [name]: entry } };
  if (!isDeepStrictEqual(whole, wanted)) throw malformed(file, "it has a form that cannot be changed safely");
}

function malformed(file: string, why: string): Refusal {
  return new Refusal("invalid_input", `${file} is not what the client could read: ${why}. It was left as it is.`, {
    path: file,
    next: "Repair it, then run the command again.",
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** As the first indented line has it. */
function indentationOf(text: string): { readonly insertSpaces: boolean; readonly tabSize: number } {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
  return indent.startsWith("\t") ? { insertSpaces: false, tabSize: 4 } : { insertSpaces: true, tabSize: indent.length };
}
