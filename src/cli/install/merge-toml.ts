// Puts one server into a client's TOML: a table of its own at the end, or in the place of the one it replaces.
import { isDeepStrictEqual } from "node:util";
import { parse, stringify } from "smol-toml";
import { Refusal } from "../../core/failure.ts";
import type { Merge, Merged } from "./merge.ts";

export function mergeToml(text: string, merge: Merge): Merged {
  const before = parsed(text, merge.file);
  const servers = before[merge.key];
  const existing = (servers as Record<string, unknown> | undefined)?.[merge.name];
  if (isDeepStrictEqual(plain(existing), plain(merge.entry))) return { text, state: "same" };
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const table = renderToml(merge).trimEnd().replaceAll("\n", eol);
  if (existing === undefined) {
    const gap = text === "" || text.endsWith(`${eol}${eol}`) ? "" : text.endsWith("\n") ? eol : eol + eol;
    return checked({ text: `${text}${gap}${table}${eol}`, state: "added" }, before, merge);
  }
  return checked({ text: withTable(text, table + eol, merge), state: "differs", existing }, before, merge);
}

export function renderToml({ key, name, entry }: Merge): string {
  return `${stringify({ [key]: { [name]: entry } }).trim()}\n`;
}

/** Only a table with a header of its own can be replaced without touching its neighbours. */
function withTable(text: string, table: string, { file, key, name }: Merge): string {
  const lines = text.split(/(?<=\n)/);
  const own = new RegExp(`^\\s*\\[\\s*${key}\\s*\\.\\s*(?:${name}|"${name}"|'${name}')\\s*[.\\]]`);
  const first = lines.findIndex((line) => own.test(line));
  if (first === -1) {
    throw new Refusal("unsupported", `${file} has ${key}.${name} in a form that cannot be changed safely.`, {
      path: file,
      next: "Change it by hand.",
    });
  }
  const isOther = (line: string): boolean => /^\s*\[/.test(line) && !own.test(line);
  const after = lines.findIndex((line, at) => at > first && isOther(line));
  const end = after === -1 ? lines.length : after;
  // Comments and empty lines before the next table belong to that.
  let last = end;
  while (last > first + 1 && /^\s*(?:#.*)?$/.test(lines[last - 1]!.trimEnd())) last--;
  return [...lines.slice(0, first), table, ...lines.slice(last)].join("");
}

/** A reader of the new text finds the entry as it is meant, and everything else as it was. */
function checked(merged: Merged, before: Record<string, unknown>, merge: Merge): Merged {
  const { file, key, name, entry } = merge;
  const wanted = { ...before, [key]: { ...(before[key] as object | undefined), [name]: entry } };
  if (isDeepStrictEqual(plain(parsedOr(merged.text)), plain(wanted))) return merged;
  throw new Refusal("unsupported", `${file} has ${key} in a form that cannot be changed safely.`, {
    path: file,
    next: "Change it by hand.",
  });
}

function parsed(text: string, file: string): Record<string, unknown> {
  const table = parsedOr(text);
  if (!(table instanceof Error)) return table;
  const [why] = table.message.split("\n");
  throw new Refusal("invalid_input", `${file} is not what the client could read: ${why}. It was left as it is.`, {
    path: file,
    next: "Repair it, then run the command again.",
  });
}

function parsedOr(text: string): Record<string, unknown> | Error {
  try {
    return parse(text, { integersAsBigInt: "asNeeded" });
  } catch (error) {
    return error as Error;
  }
}

/** Tables of the parser have no prototype, and JSON has no integers as large as TOML's. */
function plain(value: unknown): unknown {
  const asText = (_key: string, each: unknown): unknown => (typeof each === "bigint" ? `${each}n` : each);
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value, asText));
}
