// Puts one server into a client's JSON or TOML: every other character stays as it is, which the new text is checked for.
import { isDeepStrictEqual } from "node:util";
import {
  findNodeAtLocation,
  modify,
  type ParseError,
  parse as parseJson,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { parse as parseToml, stringify } from "smol-toml";
import { ifRefused, Refusal } from "../../core/failure.ts";
import { isRecord } from "../../core/is-record.ts";
import { printableJson } from "../../core/printable.ts";
import { unifiedDiff } from "../../edit/diff/unified.ts";

export interface Merge {
  readonly file: string;
  readonly format: "json" | "toml";
  readonly key: string;
  readonly name: string;
  readonly entry: Readonly<Record<string, unknown>>;
}

export interface Merged {
  readonly text: string;
  /** differs: another entry of this name is there; `text` has it replaced. */
  readonly state: "added" | "same" | "differs";
  readonly existing?: unknown;
}

export function merged(text: string, merge: Merge): Merged {
  const { file, format, key, name, entry } = merge;
  const [parsed, withEntry] = format === "toml" ? [tomlIn, tomlWithEntry] : [jsonIn, jsonWithEntry];
  const before = parsed(text, file);
  const servers = Object.hasOwn(before, key) ? before[key] : {};
  if (format === "json" && !isRecord(servers)) throw malformed(file, `${key} is not an object in it`);
  const existing = isRecord(servers) && Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (isDeepStrictEqual(plain(existing), plain(entry))) return { text, state: "same" };
  const after = withEntry(text, merge, existing !== undefined);
  const wanted = { ...before, [key]: { ...(servers as object), [name]: entry } };
  if (after === undefined || !isDeepStrictEqual(plain(readBack(() => parsed(after, file))), plain(wanted)))
    throw new Refusal("unsupported", `${file} has ${key} in a form that cannot be changed safely.`, {
      path: file,
      next: "Change it by hand.",
    });
  return { text: after, state: existing === undefined ? "added" : "differs", existing: plain(existing) };
}

function readBack(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return ifRefused(undefined)(error);
  }
}

/** What to paste where there is no such file yet. */
export function snippetOf({ format, key, name, entry }: Merge): string {
  const whole = { [key]: { [name]: entry } };
  return `${format === "toml" ? stringify(whole).trim() : JSON.stringify(whole, null, 2)}\n`;
}

/** The entry that is there and the one that takes its place, line by line. */
export function changeInWords(existing: unknown, wanted: unknown): string {
  const lines = (value: unknown): string => `${JSON.stringify(plain(value), null, 2)}\n`;
  const { text } = unifiedDiff(lines(existing), lines(wanted), { context: 1000 });
  return printableJson(text.replaceAll(/^(?:---|\+\+\+|@@).*\n/gm, ""));
}

function jsonIn(text: string, file: string): Record<string, unknown> {
  const body = withoutMark(text);
  if (body.trim() === "") return {};
  const errors: ParseError[] = [];
  let whole: unknown;
  try {
    whole = parseJson(body, errors, { allowTrailingComma: true });
  } catch (error) {
    if (error instanceof RangeError) throw malformed(file, "it is nested too deeply");
    throw error;
  }
  const [error] = errors;
  if (error !== undefined) {
    const line = body.slice(0, error.offset).split("\n").length;
    throw malformed(file, `${printParseErrorCode(error.error)} in line ${line}`);
  }
  if (isRecord(whole)) return whole;
  throw malformed(file, "it is not an object");
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}

/** The parser knows the place; the new text has the line ends and the indentation of the file, or its one line. */
function jsonWithEntry(given: string, { key, name, entry }: Merge): string {
  const bare = withoutMark(given);
  const mark = given.slice(0, given.length - bare.length);
  const text = bare.trim() === "" ? "{}\n" : bare;
  const hasServers = findNodeAtLocation(parseTree(text)!, [key]) !== undefined;
  const [path, value] = hasServers ? [[key, name], entry] : [[key], { [name]: entry }];
  const [edit] = modify(text, path, value, {});
  const { offset, length, content } = edit!;
  const put = (words: string): string => mark + text.slice(0, offset) + words + text.slice(offset + length);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const unit = /^([ \t]+)["}]/m.exec(text)?.[1] ?? "  ";
  const step = unit.startsWith("\t") ? "\t" : unit;
  const indent = step.repeat(path.length);
  const isOneLine = text.trim() !== "{}" && !/[\r\n]/.test(text.trim());
  const pretty = isOneLine ? JSON.stringify(value) : JSON.stringify(value, null, step).replaceAll("\n", eol + indent);
  if (length > 0) return put(pretty);
  const property = `${JSON.stringify(path.at(-1))}: ${pretty}`;
  const [, before = "", after = ""] = /^(,?)[\s\S]*?(,?)$/.exec(content) ?? [];
  if (isOneLine) return put(`${before && ", "}${property}${after}`);
  const isLast = before === "" && after === "" && !/^\s*[\r\n]/.test(text.slice(offset));
  return put(`${before}${eol}${indent}${property}${after}${isLast ? eol + indent.slice(step.length) : ""}`);
}

function tomlIn(text: string, file: string): Record<string, unknown> {
  try {
    return parseToml(text, { integersAsBigInt: "asNeeded" });
  } catch (error) {
    throw malformed(file, (error as Error).message.split("\n")[0]!);
  }
}

/** A table of its own at the end, or in the place of the one that it replaces. Undefined where that has no header of its own. */
function tomlWithEntry(text: string, merge: Merge, isThere: boolean): string | undefined {
  const { key, name } = merge;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const table = snippetOf(merge).replaceAll("\n", eol);
  if (!isThere) {
    const gap = text === "" || text.endsWith(eol + eol) ? "" : text.endsWith("\n") ? eol : eol + eol;
    return text + gap + table;
  }
  const lines = text.split(/(?<=\n)/);
  const own = new RegExp(`^\\s*\\[\\s*${key}\\s*\\.\\s*(?:${name}|"${name}"|'${name}')\\s*[.\\]]`);
  const first = lines.findIndex((line) => own.test(line));
  if (first === -1) return undefined;
  const after = lines.findIndex((line, at) => at > first && /^\s*\[/.test(line) && !own.test(line));
  // Comments and empty lines before the next table belong to that.
  let end = after === -1 ? lines.length : after;
  while (end > first + 1 && /^\s*(?:#.*)?$/.test(lines[end - 1]!.trimEnd())) end--;
  return [...lines.slice(0, first), table, ...lines.slice(end)].join("");
}

/** Tables of the TOML parser have no prototype, and JSON has no integers as large as TOML's. */
function plain(value: unknown): unknown {
  const asText = (_key: string, each: unknown): unknown => (typeof each === "bigint" ? `${each}n` : each);
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value, asText));
}

function malformed(file: string, why: string): Refusal {
  return new Refusal("invalid_input", `${file} is not what the client could read: ${why}. It was left as it is.`, {
    path: file,
    next: "Repair it, then run the command again.",
  });
}
