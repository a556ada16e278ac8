// File names in standard diffs: quotes, timestamps, the a/ and b/ prefixes, /dev/null.

import { parseError } from "./sections.ts";

export interface Names {
  readonly from: string | null;
  readonly to: string | null;
}

/** The names of a `---` / `+++` pair. `git` is the rest of the `diff --git` line above it, if any. */
export function pairNames(fromLine: string, toLine: string, git: string | undefined, index: number): Names {
  const from = sideName(fromLine.slice(4), index);
  const to = sideName(toLine.slice(4), index + 1);
  const prefixed = git === undefined || /^"?a\//.test(git);
  const drop = prefixed && (from === null || from.startsWith("a/")) && (to === null || to.startsWith("b/")) ? 2 : 0;
  return {
    from: from === null ? null : wantName(from.slice(drop), index),
    to: to === null ? null : wantName(to.slice(drop), index + 1),
  };
}

/** The one name of a `diff --git` line whose two sides are the same file. */
export function gitName(rest: string, index: number): string {
  const [left, right] = rest.endsWith('"') || rest.startsWith('"') ? quotedPair(rest, index) : halves(rest);
  if (left !== undefined && right !== undefined) {
    if (left.startsWith("a/") && right === `b/${left.slice(2)}`) return wantName(left.slice(2), index);
    if (left === right) return wantName(left, index);
  }
  throw parseError(index, "names two files", '"diff --git a/path b/path", or "---" and "+++" lines below it');
}

export function plainName(text: string, index: number): string {
  return wantName(text.startsWith('"') ? unquote(text, index)[0] : text, index);
}

function sideName(text: string, index: number): string | null {
  const name = text.startsWith('"') ? unquote(text, index)[0] : text.split("\t")[0]!.trimEnd();
  return name === "/dev/null" ? null : name;
}

function wantName(name: string, index: number): string {
  if (name === "") throw parseError(index, "names no file", "a path");
  return name;
}

function halves(rest: string): readonly [string, string] | readonly [] {
  const middle = (rest.length - 1) / 2;
  return rest[middle] === " " ? [rest.slice(0, middle), rest.slice(middle + 1)] : [];
}

function quotedPair(rest: string, index: number): readonly [string, string] | readonly [] {
  if (!rest.startsWith('"')) {
    const space = rest.indexOf(' "');
    return space === -1 ? [] : [rest.slice(0, space), unquote(rest.slice(space + 1), index)[0]];
  }
  const [left, after] = unquote(rest, index);
  const right = after.trimStart();
  return [left, right.startsWith('"') ? unquote(right, index)[0] : right];
}

const LONGEST_NAME = 32_768;
const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, "\\": 92 };

/** Reads a C-quoted name, whose octal escapes are UTF-8 bytes; returns it and what follows the closing quote. */
function unquote(text: string, index: number): readonly [string, string] {
  const [quoted, inner] = text.slice(0, LONGEST_NAME).match(/^"((?:[^"\\]|\\[abtnvfr"\\]|\\[0-3][0-7]{2})*)"/) ?? [];
  if (quoted === undefined || inner === undefined)
    throw parseError(index, "has a badly quoted name", "a closing quote");
  const bytes: Buffer[] = [];
  for (const [part] of inner.matchAll(/\\[0-7]{3}|\\.|[^\\]+/g)) {
    if (!part.startsWith("\\")) bytes.push(Buffer.from(part));
    else bytes.push(Buffer.of(ESCAPES[part.slice(1)] ?? Number.parseInt(part.slice(1), 8)));
  }
  try {
    return [
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(bytes)),
      text.slice(quoted.length),
    ];
  } catch (cause) {
    if (cause instanceof TypeError) throw parseError(index, "has a name that is not UTF-8", "a name in UTF-8");
    throw cause;
  }
}
