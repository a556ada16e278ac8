// Parses standard unified diffs, with git's extended headers and quoted names.
import type { Refusal } from "../../core/failure.ts";
import { refuse } from "../../words/index.ts";
import { withoutCr } from "../text/lines.ts";
import { type Hunk, HunkBody, isNoNewline, type PatchText, refuseMany, type Section, unreadable } from "./sections.ts";

const HUNK = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(.*)/;

/** Skips text between sections (mail headers, "Index:", a signature) like every tool, but never a change. */
export function* parseStandard(patch: PatchText): Generator<Section> {
  const isSection = (_line: string, at: number): boolean => isGitLine(patch, at) || isPair(patch, at);
  if (!patch.lines.some(isSection)) throw unreadable(patch.at, "no_patch");
  for (let ended: number | undefined; patch.at < patch.end; ) {
    const line = patch.lines[patch.at]!;
    if (isSection(line, patch.at)) {
      yield parseSection(patch);
      ended = patch.at;
      continue;
    }
    if (/^From [0-9a-f]{7,} /.test(line)) ended = undefined;
    refuseBinary(line, patch.at);
    refuseLost(patch, ended);
    patch.at++;
  }
}

/** Refuses changes outside of sections. Above the first section, `-` and `+` may begin lists in mail text. */
function refuseLost(patch: PatchText, ended: number | undefined): void {
  const { lines, at } = patch;
  const line = lines[at]!;
  const isChange = ended !== undefined && /^[+-]/.test(line) && withoutCr(line) !== "-- ";
  if (!isChange && !isHalf(patch, at) && !/^(@@|\*\*\* )/.test(line)) return;
  const problem = isHalf(patch, at) ? "half_header" : "change_in_no_section";
  const behind = ended === at || ended === undefined ? undefined : { line: ended + 1, text: lines[ended]! };
  throw refuse("patch_unreadable", { line: at + 1, problem, text: line, behind });
}

function parseSection(patch: PatchText): Section {
  const index = patch.at;
  const git = isGitLine(patch, index) ? withoutCr(patch.lines[patch.at++]!).slice("diff --git ".length) : undefined;
  const extended = git === undefined ? new Map<string, string>() : parseExtended(patch);
  refuseSpecial(extended, index);
  const pair = isPair(patch, patch.at) ? patch.at : undefined;
  let hunks: Hunk[] = [];
  let names: Names | undefined;
  if (pair !== undefined) {
    names = pairNames(withoutCr(patch.lines[pair]!), withoutCr(patch.lines[pair + 1]!), git, pair);
    patch.at += 2;
    hunks = parseHunks(patch, patch.lines[pair + 1]!.endsWith("\r"));
  } else if (patch.at < patch.end) refuseBinary(patch.lines[patch.at]!, patch.at);
  return toSection({ index, git, extended, names, hunks, after: patch.at });
}

interface Parsed {
  readonly index: number;
  readonly git: string | undefined;
  readonly extended: ReadonlyMap<string, string>;
  readonly names: Names | undefined;
  readonly hunks: readonly Hunk[];
  readonly after: number;
}

function toSection({ index, git, extended, names, hunks, after }: Parsed): Section {
  const patchLine = index + 1;
  const modeText = extended.get("new file mode") ?? extended.get("new mode");
  const mode = modeText === undefined ? {} : { mode: Number.parseInt(modeText.slice(-3), 8) };
  if (extended.has("rename from") !== extended.has("rename to")) {
    throw unreadable(index, "half_rename");
  }
  const renameTo = extended.get("rename to");
  if (renameTo !== undefined) {
    const path = plainName(extended.get("rename from") ?? "", index);
    const toPath = plainName(renameTo, index);
    return { op: "move", path, toPath, patchLine, hunks, ...mode };
  }
  const { from, to } = names ?? sameName(gitName(git ?? "", index), extended);
  if ((from !== null && extended.has("new file mode")) || (to !== null && extended.has("deleted file mode"))) {
    throw unreadable(index, "mode_contradicted");
  }
  if (from !== null && to !== null) {
    if (from !== to) throw unreadable(index, "two_names");
    if (hunks.length === 0 && extended.has("new mode")) throw unsupported(index, "mode_only");
    if (hunks.length === 0) throw unreadable(after, "no_hunk");
    return { op: "update", path: to, patchLine, hunks, ...mode };
  }
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const sign = from === null ? "+" : "-";
  if (hunks.length > 1 || lines.some((line) => line.sign !== sign) || (from === null && to === null)) {
    throw unreadable(index, from === null ? "mixed_creation" : "mixed_deletion");
  }
  if (to === null) return { op: "delete", path: from!, patchLine, content: lines };
  return { op: "add", path: to, patchLine, text: lines.map(({ text, eol = "\n" }) => text + eol).join(""), ...mode };
}

function sameName(name: string, extended: ReadonlyMap<string, string>): Names {
  return {
    from: extended.has("new file mode") ? null : name,
    to: extended.has("deleted file mode") ? null : name,
  };
}

const EXTENDED =
  /^(old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|rename to|similarity index|dissimilarity index|index) (.*)$/;

function parseExtended(patch: PatchText): Map<string, string> {
  const found = new Map<string, string>();
  for (; patch.at < patch.end; patch.at++) {
    const [, key, value] = withoutCr(patch.lines[patch.at]!).match(EXTENDED) ?? [];
    if (key === undefined || value === undefined) break;
    found.set(key, value);
  }
  return found;
}

function parseHunks(patch: PatchText, crOnEveryLine: boolean): Hunk[] {
  const hunks: Hunk[] = [];
  while (patch.at < patch.end && patch.lines[patch.at]!.startsWith("@@")) {
    hunks.push(parseHunk(patch, crOnEveryLine));
    refuseMany(hunks.length);
  }
  if (patch.at === patch.end || hunks.length === 0 || !isHunkLine(patch, patch.at)) return hunks;
  throw wrongCounts(patch, hunks.at(-1)!.patchLine - 1);
}

function isHunkLine(patch: PatchText, index: number): boolean {
  const line = patch.lines[index]!;
  return /^[ +-]/.test(line) && withoutCr(line) !== "-- " && !isPair(patch, index) && !isHalf(patch, index);
}

/** Makes the refusal of wrong counts, with those that match the lines. */
function wrongCounts(patch: PatchText, index: number): Refusal {
  const [, start, oldCount = "1", newStart, newCount = "1"] = patch.lines[index]!.match(HUNK)!;
  const signs: string[] = [];
  for (let at = index + 1; at < patch.end; at++) {
    const line = patch.lines[at]!;
    if (isNoNewline(line)) continue;
    if (line.trim() !== "" && !isHunkLine(patch, at)) break;
    signs.push(line[0] ?? "");
  }
  while (signs.at(-1) === "" || signs.at(-1) === "\r") signs.pop();
  const [old, fresh] = ["+", "-"].map((other) => signs.filter((sign) => sign !== other).length);
  const counted = { old: Number(oldCount), new: Number(newCount) };
  const header = `@@ -${start},${old} +${newStart},${fresh} @@`;
  return refuse("patch_miscounted", { line: index + 1, header, counted, found: { old: old!, new: fresh! } });
}

/** Enforces the counts, so that a truncated patch is not applied in part. */
function parseHunk(patch: PatchText, crOnEveryLine: boolean): Hunk {
  const index = patch.at;
  const [, start, oldCount = "1", , newCount = "1", heading = ""] = patch.lines[patch.at++]!.match(HUNK) ?? [];
  if (start === undefined) throw unreadable(index, "no_hunk_header");
  let oldLeft = Number(oldCount);
  let newLeft = Number(newCount);
  const body = new HunkBody("\n");
  for (; patch.at < patch.end; patch.at++) {
    const raw = patch.lines[patch.at]!;
    const line = crOnEveryLine ? withoutCr(raw) : raw;
    if (isNoNewline(line)) {
      body.endWithoutNewline(patch.at);
      continue;
    }
    if (oldLeft === 0 && newLeft === 0) break;
    const sign = line === "" || line === "\r" ? " " : line[0];
    if (sign !== " " && sign !== "-" && sign !== "+") break;
    if ((sign !== "+" && oldLeft === 0) || (sign !== "-" && newLeft === 0)) break;
    if (sign !== "+") oldLeft--;
    if (sign !== "-") newLeft--;
    body.add(sign, line.startsWith(sign) ? line.slice(1) : line, patch.at);
  }
  if (oldLeft > 0 || newLeft > 0) {
    if (patch.at === patch.end || /^(@@|diff --git |[ +-])/.test(patch.lines[patch.at]!))
      throw wrongCounts(patch, index);
    throw unreadable(patch.at, "no_sign");
  }
  if (!body.changes) throw unreadable(patch.at, "unchanging_hunk");
  return body.hunk({ patchLine: index + 1, headers: [], oldLine: Number(start), heading: heading.trim() });
}

function refuseBinary(line: string, index: number): void {
  if (/^(GIT binary patch|Binary files .* differ)\r?$/.test(line)) throw unreadable(index, "binary");
}

function refuseSpecial(extended: ReadonlyMap<string, string>, index: number): void {
  const mode = [...extended].find(([key, value]) => /mode$|^index$/.test(key) && /(^|\s)1[26]0000$/.test(value));
  if (extended.has("copy to")) throw unsupported(index, "copy");
  if (mode) throw unsupported(index, "special_file");
}

function unsupported(index: number, problem: "copy" | "special_file" | "mode_only"): Refusal {
  return refuse("patch_section_unsupported", { line: index + 1, problem });
}

function isGitLine(patch: PatchText, index: number): boolean {
  return patch.lines[index]!.startsWith("diff --git ");
}

/** True for one line of a header pair without the other. */
function isHalf({ lines }: PatchText, index: number): boolean {
  return lines[index]!.startsWith("+++ ") || (lines[index]!.startsWith("--- ") && !!lines[index + 1]?.startsWith("@@"));
}

function isPair(patch: PatchText, index: number): boolean {
  if (index + 1 >= patch.end) return false;
  return patch.lines[index]!.startsWith("--- ") && patch.lines[index + 1]!.startsWith("+++ ");
}

interface Names {
  readonly from: string | null;
  readonly to: string | null;
}

/** Returns the names of a `---` / `+++` pair. `git`: the rest of the `diff --git` line above, if any. */
function pairNames(fromLine: string, toLine: string, git: string | undefined, index: number): Names {
  const from = sideName(fromLine.slice(4), index);
  const to = sideName(toLine.slice(4), index + 1);
  const prefixed = git === undefined || /^"?a\//.test(git);
  const drop = prefixed && (from === null || from.startsWith("a/")) && (to === null || to.startsWith("b/")) ? 2 : 0;
  return {
    from: from === null ? null : wantName(from.slice(drop), index),
    to: to === null ? null : wantName(to.slice(drop), index + 1),
  };
}

/** Returns the name of a `diff --git` line whose two sides are the same file. */
function gitName(rest: string, index: number): string {
  const [, name] = /^"?(?:a\/)?(.+?)"? "?(?:b\/)?\1"?$/.exec(rest.slice(0, MAX_GIT_LINE)) ?? [];
  if (name !== undefined) return plainName(rest.startsWith('"') ? `"${name}"` : name, index);
  throw unreadable(index, "two_git_names");
}

function plainName(text: string, index: number): string {
  return wantName(text.startsWith('"') ? unquote(text, index) : text, index);
}

function sideName(text: string, index: number): string | null {
  const name = text.startsWith('"') ? unquote(text, index) : text.split("\t")[0]!.trimEnd();
  return name === "/dev/null" ? null : name;
}

function wantName(name: string, index: number): string {
  if (name === "") throw unreadable(index, "no_name");
  return name;
}

const MAX_NAME = 32_768;
// Comparing the two names takes quadratic time.
const MAX_GIT_LINE = 8192;
const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, "\\": 92 };

/** Decodes a C-quoted name, with octal escapes for UTF-8 bytes. */
function unquote(text: string, index: number): string {
  const [, inner] = text.slice(0, MAX_NAME).match(/^"((?:[^"\\]|\\[abtnvfr"\\]|\\[0-3][0-7]{2})*)"/) ?? [];
  if (inner === undefined) throw unreadable(index, "unclosed_name");
  const bytes: Buffer[] = [];
  for (const [part] of inner.matchAll(/\\[0-7]{3}|\\.|[^\\]+/g)) {
    if (!part.startsWith("\\")) bytes.push(Buffer.from(part));
    else bytes.push(Buffer.of(ESCAPES[part.slice(1)] ?? Number.parseInt(part.slice(1), 8)));
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(bytes));
  } catch (cause) {
    if (cause instanceof TypeError) throw unreadable(index, "name_not_utf8");
    throw cause;
  }
}
