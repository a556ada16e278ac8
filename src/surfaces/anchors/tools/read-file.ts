// read_file: lines with their numbers, or with the anchors that `edit` works by.

import * as z from "zod";
import type { Deadline } from "../../../core/deadline.ts";
import { Refusal } from "../../../core/failure.ts";
import { CALL_LIMITS } from "../../../core/limits.ts";
import { printable } from "../../../core/printable.ts";
import { ANCHOR_FORMAT_VERSION, type AnchorView, fileVersion } from "../../../edit/anchors/index.ts";
import type { ReadWindow } from "../../../edit/anchors/render.ts";
import { splitLines } from "../../../edit/text/lines.ts";
import { deadlineOf } from "../../../kernel/progress.ts";
import type { ReadResult } from "../../../kernel/read/page.ts";
import { runInWorker } from "../../../kernel/run-in-worker.ts";
import { displayable } from "../../../kernel/text/text.ts";
import { plural } from "../../../words/plural.ts";
import { readLines } from "../../shared/read.ts";
import { defineTool } from "../../tool.ts";
import { rememberRead } from "../shown.ts";
import { writerOf } from "../writers.ts";

/** Their anchors take as much of a page as the lines do. */
const MAX_HASHED = 4000;

export const readFile = defineTool({
  name: "read_file",
  title: "Read a file",
  description:
    "Read lines of a text file. With hashes: true every line is `N#hash [quality]|content`. The hashes are its anchors; the file_version below names this version of the file.",
  effect: "read",
  actions: ["read"],
  aliases: { file_path: "path" },
  input: z.object({
    path: z.string().describe("File to read."),
    offset: z.number().int().min(0).default(0).describe("Lines to skip: 0 starts at line 1."),
    limit: z.number().int().min(1).default(200).describe("Lines to show."),
    hashes: z.boolean().default(false).describe("Show the anchor of every line."),
  }),
  output: z.object({
    path: z.string(),
    content: z.string(),
    lines: z.number(),
    shown: z.number(),
    hashes: z.boolean(),
    file_version: z.string(),
    sha256: z.string(),
    anchor_format_version: z.string(),
    recommended_anchors: z.array(z.string()),
    is_dirty: z.literal(false).describe("No checkpoint of this file is open: there are none."),
    last_writer: z.string().nullable(),
  }),
  refused: "Nothing was read.",

  async run(context, { path, offset, limit, hashes }) {
    const { session, call } = context;
    const { workspace } = session;
    const most = workspace.policy.maxFileBytes;
    const at = await session.resolve(path, "read", call);
    if (at.size > most) throw tooLarge(path, at.size, most);
    const range = { from: offset + 1, to: offset + (hashes ? Math.min(limit, MAX_HASHED) : limit) };
    const pageBytes = hashes ? CALL_LIMITS.anchoredPageBytes : CALL_LIMITS.pageBytes;
    const read = await readLines(context, path, range, { at, pageBytes, mark: !hashes });
    if (read.whole === undefined || read.size > most) throw tooLarge(path, read.size, most);
    const { body } = read.whole.text;
    const shown = Math.max(0, read.shown.to - read.shown.from + 1);
    const window = { offset, limit: shown, start: read.isCut && read.body };
    const view = hashes ? await anchorsOf(body, window, deadlineOf(session, call)) : undefined;
    if (view !== undefined) await rememberRead(session, read, view.settled, call);
    const content = [view?.text ?? numbered(read), ...goingOn(read, hashes)].join("\n");
    return {
      path: read.path,
      content: displayable(content),
      lines: read.lines,
      shown,
      hashes,
      file_version: view?.fileVersion ?? fileVersion(body),
      sha256: read.sha,
      anchor_format_version: ANCHOR_FORMAT_VERSION,
      recommended_anchors: [...(view?.recommendedAnchors ?? [])],
      is_dirty: false as const,
      last_writer: await writerOf(workspace, read.path, "known"),
    };
  },

  text: ({ content }) => content,
});

/** Fewer lines take no less: each line of the file has its hash. */
async function anchorsOf(body: string, window: ReadWindow, deadline: Deadline): Promise<AnchorView> {
  return runInWorker("readAnchors", [body, window], deadline).catch((error: unknown) => {
    if (!(error instanceof Refusal) || error.kind !== "file_too_large") throw error;
    const { message, details } = error.failure;
    throw new Refusal("file_too_large", message, { next: "Read it without hashes.", ...(details && { details }) });
  });
}

function numbered({ body, lines, shown: { from, to }, isCut }: ReadResult): string {
  if (lines === 0) return "(the file is empty: 0 lines)";
  const shown = splitLines(body).map(({ text }, at) => `${from + at}\t${text}`);
  if (from === 1 && to === lines && !isCut) return shown.join("\n");
  const showing = to < from ? "none" : `${from}-${to}`;
  const more = to >= from && to < lines ? `; continue with offset ${to}` : "";
  return [...shown, "", `(${plural(lines, "line")} total, showing ${showing}${more})`].join("\n");
}

/** How to see more. */
function goingOn({ lines, shown: { from, to } }: ReadResult, hashes: boolean): string[] {
  if (lines > 0 && to < from) {
    const most = lines === 1 ? "offset 0" : `an offset between 0 and ${lines - 1}`;
    return [`(nothing at offset ${from - 1}: the file has ${plural(lines, "line")}; use ${most})`];
  }
  return hashes && to < lines ? [`(continue with offset ${to})`] : [];
}

function tooLarge(path: string, size: number, most: number): Refusal {
  return new Refusal(
    "file_too_large",
    `${printable(path)} has ${plural(size, "byte")}; read_file reads files of up to ${most}.`,
    {
      path,
      next: "Leave it as it is; these tools take smaller files only.",
      details: { size, maxBytes: most },
    },
  );
}
