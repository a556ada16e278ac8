// Puts one server into a client's JSON: comments, order and indentation of everything else stay as they are.
import { isDeepStrictEqual } from "node:util";
import { findNodeAtLocation, type Node, type ParseError, parse, parseTree, printParseErrorCode } from "jsonc-parser";
import { Refusal } from "../../core/failure.ts";
import { isRecord } from "../../core/is-record.ts";
import { insertProperty, replaceValue, styleOf } from "./insert-json.ts";
import type { Merge, Merged } from "./merge.ts";

export function mergeJson(text: string, merge: Merge): Merged {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  const body = text.slice(mark.length);
  const content = body.trim() === "" ? "{}\n" : body;
  const before = contentOf(content, merge);
  const isThere = Object.hasOwn(before.servers, merge.name);
  const existing = isThere ? before.servers[merge.name] : undefined;
  if (isDeepStrictEqual(existing, merge.entry)) return { text, state: "same" };
  const after = withEntry(content, before.tree, merge);
  refuseUnless(contentOf(after, merge), before, merge);
  return { text: mark + after, state: isThere ? "differs" : "added", existing };
}

function withEntry(text: string, tree: Node, { key, name, entry }: Merge): string {
  const style = styleOf(text);
  const old = findNodeAtLocation(tree, [key, name]);
  if (old !== undefined) return replaceValue(text, old, entry, style);
  const servers = findNodeAtLocation(tree, [key]);
  return servers === undefined
    ? insertProperty(text, tree, key, { [name]: entry }, style)
    : insertProperty(text, servers, name, entry, style);
}

const BYTE_ORDER_MARK = "\uFEFF";

export function renderJson({ key, name, entry }: Merge): string {
  return `${JSON.stringify({ [key]: { [name]: entry } }, null, 2)}\n`;
}

interface Content {
  readonly tree: Node;
  readonly whole: Record<string, unknown>;
  readonly servers: Record<string, unknown>;
}

function contentOf(text: string, { key, file }: Merge): Content {
  const tree = treeOf(text, file);
  const whole: unknown = parse(text, [], { allowTrailingComma: true });
  if (!isRecord(whole)) throw malformed(file, "it is not an object");
  const servers = Object.hasOwn(whole, key) ? whole[key] : {};
  if (!isRecord(servers)) throw malformed(file, `${key} is not an object in it`);
  return { tree, whole, servers };
}

function treeOf(text: string, file: string): Node {
  const errors: ParseError[] = [];
  let tree: Node | undefined;
  try {
    tree = parseTree(text, errors, { allowTrailingComma: true });
  } catch (error) {
    if (error instanceof RangeError) throw malformed(file, "it is nested too deeply");
    throw error;
  }
  const [error] = errors;
  if (tree !== undefined && error === undefined) return tree;
  const line = text.slice(0, error?.offset ?? 0).split("\n").length;
  throw malformed(file, `${error === undefined ? "nothing" : printParseErrorCode(error.error)} in line ${line}`);
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
