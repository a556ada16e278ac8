// The other half of Read: PDFs as the text of their pages, pictures as base64.
import type { Deadline } from "../../../core/deadline.ts";
import { bytesOf } from "../../../core/version.ts";
import { deadlineOf } from "../../deadline-of.ts";
import type { ToolContext } from "../../tool.ts";
import { numbered } from "../lines.ts";
import { absolutePath } from "../paths.ts";
import { readMatching, readText } from "../read-text.ts";
import type { ReadData, ReadInput } from "../tools/read.ts";
import { pictureIn } from "./image.ts";
import { isPdf, pdfText } from "./pdf.ts";

/** undefined when the bytes are neither, whatever the file is called. */
export async function readMedia(context: ToolContext, path: string, request: ReadInput): Promise<ReadData | undefined> {
  const { session, call } = context;
  const deadline = deadlineOf(session, call);
  const { at, version } = await session.readBytes(path, call);
  const bytes = bytesOf(version);
  const metadata = {
    path: absolutePath(session, at.path),
    size: version.size,
    mtime: new Date(at.mtimeMs).toISOString(),
  };
  if (isPdf(bytes)) {
    const data = await readPdf(context, { path, bytes, metadata, deadline }, request);
    await session.showed(at.path, version, undefined, call);
    return data;
  }
  const picture = await pictureIn(path, bytes, request.max_binary_size);
  if (picture === undefined) return undefined;
  if (request.pages !== undefined) context.warn("`pages` has no meaning for a picture.");
  if (picture.media_type !== "image/svg+xml") {
    if (request.pattern !== "") context.warn("`pattern` has no meaning for a picture.");
    await session.showed(at.path, version, undefined, call);
    return { content: "", metadata: { ...metadata, ...picture } };
  }
  // The one picture that is text: it can be edited, so its lines are what is shown.
  const text = await (request.pattern === "" ? readText : readMatching)(context, path, request);
  return { content: text.content, metadata: { ...text.metadata, ...picture } };
}

async function readPdf(
  { warn }: ToolContext,
  file: {
    readonly path: string;
    readonly bytes: Uint8Array;
    readonly metadata: ReadData["metadata"];
    readonly deadline: Deadline;
  },
  { pages, offset, limit, pattern }: ReadInput,
): Promise<ReadData> {
  if (pattern !== "") warn("`pattern` is not applied to PDFs: all lines of these pages are shown.");
  const read = await pdfText(file.path, file.bytes, { pages, lines: offset + limit }, file.deadline);
  const lines = read.pages.flatMap(({ page, text }) =>
    [`--- page ${page} of ${read.total} ---`, ...text.split("\n")].map((line) => ({ page, line })),
  );
  const shown = lines.slice(offset, offset + limit);
  if (read.pages.every(({ text }) => text.trim() === ""))
    warn("These pages hold no text; they may be scanned pictures.");
  const next = offset + shown.length;
  const hasMore = pages === undefined && read.pages.length < read.total;
  const goesOn = next < lines.length || (hasMore && shown.length === limit);
  if (hasMore && !goesOn)
    warn(`Only the first ${read.pages.length} of ${read.total} pages were read; give \`pages\` for others.`);
  return {
    content: numbered(
      shown.map(({ line }) => line),
      offset + 1,
    ),
    metadata: {
      ...file.metadata,
      lines: lines.length,
      total_pages: read.total,
      pages: [...new Set(shown.map(({ page }) => page))],
      ...(goesOn && shown.length > 0 && { truncated: true, next_offset: next }),
    },
  };
}
