// Parses the `*** Begin Patch` envelope.
import { withoutCr } from "../text/lines.ts";
import { quote } from "./refuse.ts";
import {
  type Hunk,
  HunkBody,
  isNoNewline,
  lastFilled,
  type PatchText,
  parseError,
  refuseMany,
  type Section,
  skipBlank,
} from "./sections.ts";

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const END_OF_FILE = "*** End of File";
const SECTION = /^\*\*\* (Add|Update|Delete|Move) File:\s*(.*)$/;
const SECTION_WANTED =
  '"*** Add File: path", "*** Update File: path", "*** Delete File: path" or "*** Move File: a -> b"';

const ADDED_LINE_WANTED = 'a line of the new file, starting with "+" also where it is empty';
const HUNK_LINE_WANTED = 'a hunk line starting with " ", "-" or "+", "@@" or a "***" header';

export function isEnvelope(line: string): boolean {
  return line.trim() === BEGIN;
}

/** Markers may be padded with blanks where no hunk is open; inside a hunk a leading space means context. */
export function* parseEnvelope(patch: PatchText): Generator<Section> {
  const last = lastFilled(patch);
  if (patch.lines[last]!.trim() !== END) {
    const end = patch.lines.findLastIndex((line) => line.trim() === END);
    if (end === -1) throw parseError(last + 1, "is missing", `"${END}" as the last line`);
    throw parseError(end + 1, `is ${quote(patch.lines[end + 1]!)}`, `nothing behind "${END}"`);
  }
  const body: PatchText = { lines: patch.lines.map(withoutCr), end: last, at: patch.at + 1 };
  skipBlank(body);
  if (body.at === body.end) throw parseError(body.at, "ends an empty patch", `at least one section: ${SECTION_WANTED}`);
  while (body.at < body.end) {
    yield parseSection(body);
    skipBlank(body);
  }
}

function parseSection(patch: PatchText): Section {
  const index = patch.at;
  const [, verb, rest] = patch.lines[patch.at++]!.trim().match(SECTION) ?? [];
  if (verb === undefined || rest === undefined) throw parseError(index, "is no section header", SECTION_WANTED);
  const patchLine = index + 1;
  if (verb === "Move") {
    const [path = "", toPath = "", ...more] = rest.split(" -> ");
    if (more.length > 0) throw parseError(index, "has several arrows", 'one " -> " between the old and the new path');
    wantPath(path, index);
    wantPath(toPath, index);
    return { op: "move", path: path.trim(), toPath: toPath.trim(), patchLine, hunks: parseHunks(patch) };
  }
  const path = wantPath(rest, index);
  if (verb === "Add") return { op: "add", path, patchLine, text: parseAdded(patch) };
  if (verb === "Delete") return { op: "delete", path, patchLine, content: undefined };
  const toPath = parseMoveTo(patch);
  const hunks = parseHunks(patch);
  if (toPath !== undefined) return { op: "move", path, toPath, patchLine, hunks };
  if (hunks.length === 0) throw parseError(patch.at, `ends "*** Update File: ${path}"`, 'a hunk that starts with "@@"');
  return { op: "update", path, patchLine, hunks };
}

function wantPath(path: string, index: number): string {
  if (path.trim() === "") throw parseError(index, "names no file", "a path");
  return path.trim();
}

function parseMoveTo(patch: PatchText): string | undefined {
  skipBlank(patch);
  const [, path] = (patch.at < patch.end ? patch.lines[patch.at]!.trim() : "").match(/^\*\*\* Move to:(.*)$/) ?? [];
  if (path === undefined) return undefined;
  return wantPath(path, patch.at++);
}

function parseAdded(patch: PatchText): string {
  let text = "";
  let open = false;
  for (; patch.at < patch.end; patch.at++) {
    const line = patch.lines[patch.at]!;
    const bare = line.trim();
    if (bare === "" || bare === END_OF_FILE) continue;
    if (bare.startsWith("*** ")) break;
    if (isNoNewline(line)) {
      if (open || text === "") throw parseError(patch.at, "is out of place", 'the marker after the last "+" line');
      text = text.slice(0, -1);
      open = true;
      continue;
    }
    if (!line.startsWith("+")) throw parseError(patch.at, `is ${quote(line)}`, ADDED_LINE_WANTED);
    if (open) throw parseError(patch.at, "follows the end of the file", "no more lines after the marker");
    // An empty line of the file, or of the patch: Codex takes it for neither.
    if (patch.lines[patch.at - 1]!.trim() === "") throw parseError(patch.at - 1, "is empty", ADDED_LINE_WANTED);
    text += `${line.slice(1)}\n`;
  }
  return text;
}

function parseHunks(patch: PatchText): Hunk[] {
  const hunks: Hunk[] = [];
  for (skipBlank(patch); patch.at < patch.end; skipBlank(patch)) {
    const line = patch.lines[patch.at]!;
    // The first hunk may lack its "@@".
    if (!line.startsWith("@@") && (hunks.length > 0 || !/^[ +-]/.test(line) || line.trim().match(SECTION))) break;
    hunks.push(parseHunk(patch));
    refuseMany(hunks.length);
  }
  return hunks;
}

function parseHunk(patch: PatchText): Hunk {
  const patchLine = patch.at + 1;
  const headers: string[] = [];
  let oldLine: number | undefined;
  let heading = "";
  for (; patch.at < patch.end && patch.lines[patch.at]!.startsWith("@@"); patch.at++) {
    const line = patch.lines[patch.at]!;
    const [, stated, rest = ""] = line.match(/^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@(.*)/) ?? [];
    if (stated !== undefined) [oldLine, heading] = [Number(stated), rest.trim()];
    else headers.push(headerText(line));
  }

  const body = new HunkBody(undefined);
  let atEnd = false;
  for (; patch.at < patch.end && !atEnd; patch.at++) {
    const line = patch.lines[patch.at]!;
    const sign = line[0];
    if (line.startsWith("@@") || (line.startsWith("***") && line.trim() !== END_OF_FILE)) break;
    if (line === "") body.addSpacing(patch.at);
    else if (line.startsWith("***")) atEnd = true;
    else if (isNoNewline(line)) body.endWithoutNewline(patch.at);
    else if (sign === " " || sign === "-" || sign === "+") body.add(sign, line.slice(1), patch.at);
    else throw parseError(patch.at, `is ${quote(line)}`, HUNK_LINE_WANTED);
  }
  // Context alone says where the next hunk is to be looked for.
  if (body.lines.length === body.spacing) throw parseError(patch.at, "ends an empty hunk", HUNK_LINE_WANTED);
  return body.hunk({ patchLine, headers: headers.filter((header) => header !== ""), oldLine, heading }, atEnd);
}

/** Both `@@ text` and `@@ text @@` are in use. */
function headerText(line: string): string {
  const text = line.slice(2).trim();
  return text.endsWith("@@") ? text.slice(0, -2).trim() : text;
}
