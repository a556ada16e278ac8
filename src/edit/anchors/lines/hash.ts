// What names a line: hashes of its trimmed text, of the text with its neighbours, and of the whole file.

import { hash } from "node:crypto";

/** v3 shows 6 characters of the line hash (v2 showed 4). */
export const ANCHOR_FORMAT_VERSION = "v3";

/** The hash of every blank line, and the anchor of a file that has no line yet. */
export const EMPTY_DIGEST = "d41d8cd98f00b204e9800998ecf8427e";

/** As hex digits. It names lines and protects nothing. */
export function md5(text: string): string {
  return hash("md5", text);
}

/** The 6 characters shown beside a line. Leading and trailing whitespace does not count: re-indenting keeps the hash. */
export function lineHash(line: string): string {
  return shown(lineDigest(line));
}

/** The whole digest of a line, of which `lineHash` is the beginning. */
export function lineDigest(line: string): string {
  return md5(line.trim());
}

/** 8 characters that tell equal lines apart by the nearest non-blank lines around them ("" at the edges of the file). */
export function contextHash(previous: string, line: string, next: string): string {
  return md5(contextText(previous, line, next)).slice(0, 8);
}

export function contextText(previous: string, line: string, next: string): string {
  return `${previous.trim()}\n${line.trim()}\n${next.trim()}`;
}

/** A short name for a text: "fv_" and 8 characters of its sha256. */
export function fileVersion(text: string): string {
  return `fv_${hash("sha256", text).slice(0, 8)}`;
}

export function shown(digest: string): string {
  return digest.slice(0, 6);
}
