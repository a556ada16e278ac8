// Parses the `*** Begin Patch` envelope.
import { withoutCr } from "../text/lines.ts";
import {
  type Hunk,
  HunkBody,
  isNoNewline,
  lastFilled,
  type PatchText,
  refuseMany,
  type Section,
  skipBlank,
  unreadable,
} from "./sections.ts";

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const END_OF_FILE = "*** End of File";
const SECTION = /^\*\*\* (Add|Update|Delete|Move) File:\s*(.*)$/;

export function isEnvelope(line: string): boolean {
  return line.trim() === BEGIN;
}

/** Markers may be padded with blanks outside of hunks; inside, a leading space means context. */
export function* parseEnvelope(patch: PatchText): Generator<Section> {
  const last = lastFilled(patch);
  if (patch.lines[last]!.trim() !== END) {
    const end = patch.lines.findLastIndex((line) => line.trim() === END);
    if (end === -1) throw unreadable(last + 1, "no_end");
    throw unreadable(end + 1, "behind_end", patch.lines[end + 1]);
  }
  const body: PatchText = { lines: patch.lines.map(withoutCr), end: last, at: patch.at + 1 };
  skipBlank(body);
  if (body.at === body.end) throw unreadable(body.at, "empty_patch");
  while (body.at < body.end) {
    yield parseSection(body);
    skipBlank(body);
  }
}

function parseSection(patch: PatchText): Section {
  const index = patch.at;
  const [, verb, rest] = patch.lines[patch.at++]!.trim().match(SECTION) ?? [];
  if (verb === undefined || rest === undefined) throw unreadable(index, "no_section");
  const patchLine = index + 1;
  if (verb === "Move") {
    const [path = "", toPath = "", ...more] = rest.split(" -> ");
    if (more.length > 0) throw unreadable(index, "several_arrows");
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
  if (hunks.length === 0) throw unreadable(patch.at, "empty_update");
  return { op: "update", path, patchLine, hunks };
}

function wantPath(path: string, index: number): string {
  if (path.trim() === "") throw unreadable(index, "no_name");
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
      if (open || text === "") throw unreadable(patch.at, "misplaced_marker");
      text = text.slice(0, -1);
      open = true;
      continue;
    }
    if (!line.startsWith("+")) throw unreadable(patch.at, "no_added_line", line);
    if (open) throw unreadable(patch.at, "behind_marker");
    // An empty line may belong to the file or to the patch. Codex refuses it, too.
    if (patch.lines[patch.at - 1]!.trim() === "") throw unreadable(patch.at - 1, "empty_added_line");
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
    else throw unreadable(patch.at, "no_hunk_line", line);
  }
  // A hunk of context alone is a locator of the next one.
  if (body.lines.length === body.spacing) throw unreadable(patch.at, "empty_hunk");
  return body.hunk({ patchLine, headers: headers.filter((header) => header !== ""), oldLine, heading }, atEnd);
}

/** Accepts `@@ text` and `@@ text @@`. */
function headerText(line: string): string {
  const text = line.slice(2).trim();
  return text.endsWith("@@") ? text.slice(0, -2).trim() : text;
}
