// The text half of Read: a range of numbered lines, or the lines that a pattern finds.

import type { LineRange, Resolved } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { CALL_LIMITS } from "../../core/limits.ts";
import { printable } from "../../core/printable.ts";
import { CappedLines } from "../../edit/diff/unified.ts";
import { withoutCr } from "../../edit/text/lines.ts";
import type { ReadResult } from "../../kernel/read/page.ts";
import { displayable } from "../../kernel/text/text.ts";
import { grep } from "../../search/index.ts";
import { legible } from "../shared/legible.ts";
import { numberedLines, readLines } from "../shared/read.ts";
import type { ToolContext } from "../tool.ts";
import { absolutePath } from "./paths.ts";
import type { ReadData, ReadInput } from "./tools/read.ts";

/** `at`: where the path leads, where that is known. */
export async function readText(
  context: ToolContext,
  path: string,
  request: ReadInput,
  at?: Resolved,
): Promise<ReadData> {
  const { offset, limit } = request;
  const page = { pageBytes: CALL_LIMITS.pageBytes, ...encodingOf(request), ...(at !== undefined && { at }) };
  const read = await readLines(context, path, { from: offset + 1, to: offset + limit }, page);
  const shown = numberedLines(read);
  const { to } = read.shown;
  const hasMore = to < read.lines && shown.length > 0;
  return {
    content: shown.join("\n"),
    metadata: {
      ...metadataOf(context, read),
      ...((hasMore || read.isCut) && { truncated: true }),
      ...(hasMore && { next_offset: to }),
    },
  };
}

/** The file counts as read, but no line of it as shown whole: a pattern shows too little to overwrite the rest unseen. */
export async function readMatching(context: ToolContext, path: string, request: ReadInput): Promise<ReadData> {
  const { offset, pattern } = request;
  const limit = Math.min(request.limit, CALL_LIMITS.results);
  const read = await readLines(context, path, { from: 1, to: 0 }, encodingOf(request));
  if (read.encoding !== "utf-8") throw notSearched(path, read.encoding);
  const wanted = { pattern, action: "read", hidden: true, gitignore: false, limit: offset + limit + 1 } as const;
  const found = await grep(context.session, { ...wanted, root: read.path }, context.call);
  context.warn(...found.notes.map((note) => legible(note, path)));
  const behind = found.hits.filter((hit) => hit.line > offset).map((hit) => ({ ...hit, text: withoutCr(hit.text) }));
  const page = new CappedLines(CALL_LIMITS.pageBytes);
  const shown: LineRange[] = [];
  const cut: number[] = [];
  for (const { line, text } of behind.slice(0, limit)) {
    const isWhole = page.add(`${line}\t${displayable(text)}\n`);
    if (isWhole) shown.push({ from: line, to: line });
    else if (!page.full) cut.push(line);
  }
  const matches = shown.length + cut.length;
  if (cut.length > 0)
    context.warn(`Long lines are cut; offset ${cut[0]! - 1} without a pattern shows more of line ${cut[0]}.`);
  await context.session.showed(read.path, read, { total: read.lines, shown }, context.call);
  return {
    content: page.text.slice(0, -1),
    metadata: {
      ...metadataOf(context, read),
      matches,
      ...(behind.length > matches && { truncated: true, next_offset: behind[matches - 1]!.line }),
    },
  };
}

function notSearched(path: string, encoding: string): Refusal {
  return new Refusal("unsupported", `${printable(path)} is in ${encoding}, and a pattern searches UTF-8 only.`, {
    path,
    next: "Read a range of its lines without a pattern.",
  });
}

function encodingOf({ encoding }: ReadInput): { readonly encoding?: string } {
  return encoding === undefined ? {} : { encoding };
}

function metadataOf({ session }: ToolContext, { path, size, lines, mtimeMs, encoding }: ReadResult) {
  return { path: absolutePath(session, path), size, lines, mtime: new Date(mtimeMs).toISOString(), encoding };
}
