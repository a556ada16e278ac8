// The other half of Read: PDFs as the text of their pages, pictures as base64 with their type and size in pixels.
import { Refusal } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import { bytesOf } from "../../core/version.ts";
import { deadlineOf } from "../../kernel/progress.ts";
import type { ToolContext } from "../tool.ts";
import { absolutePath } from "./paths.ts";
import { isPdf, type PdfText, pdfText } from "./pdf.ts";
import { readMatching, readText } from "./read-text.ts";
import type { ReadData, ReadInput } from "./tools/read.ts";

/** undefined when the bytes are neither, whatever the file is called. */
export async function readMedia(context: ToolContext, path: string, request: ReadInput): Promise<ReadData | undefined> {
  const { session, call } = context;
  const { at, version } = await session.readBytes(path, call);
  const bytes = bytesOf(version);
  const metadata = {
    path: absolutePath(session, at.path),
    size: version.size,
    mtime: new Date(at.mtimeMs).toISOString(),
  };
  if (isPdf(bytes)) {
    const wanted = { pages: request.pages, lines: request.offset + request.limit };
    const read = await pdfText(path, bytes, wanted, deadlineOf(session, call));
    await session.showed(at.path, version, undefined, call);
    return pagesShown(context, read, request, metadata);
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

function pagesShown(
  { warn }: ToolContext,
  read: PdfText,
  { pages, offset, limit, pattern }: ReadInput,
  metadata: ReadData["metadata"],
): ReadData {
  if (pattern !== "") warn("`pattern` is not applied to PDFs: all lines of these pages are shown.");
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
    content: shown.map(({ line }, n) => `${offset + 1 + n}\t${line}`).join("\n"),
    metadata: {
      ...metadata,
      lines: lines.length,
      total_pages: read.total,
      pages: [...new Set(shown.map(({ page }) => page))],
      ...(goesOn && shown.length > 0 && { truncated: true, next_offset: next }),
    },
  };
}

export interface Picture {
  readonly media_type: string;
  readonly width: number;
  readonly height: number;
  readonly image_data: string;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  bmp: "image/bmp",
  ico: "image/x-icon",
  svg: "image/svg+xml",
  tiff: "image/tiff",
};

/** undefined when the bytes are no picture of a known kind, whatever the file is called. */
export async function pictureIn(path: string, bytes: Uint8Array, mostBytes: number): Promise<Picture | undefined> {
  const found = await measured(bytes);
  const mediaType = MEDIA_TYPES[found?.type ?? ""];
  if (found === undefined || mediaType === undefined) return undefined;
  if (bytes.length > mostBytes) {
    throw new Refusal(
      "file_too_large",
      `${printable(path)} is an image of ${bytes.length} bytes; the limit is ${mostBytes}.`,
      {
        path,
        next: "Set max_binary_size to read it all the same, or make it smaller first.",
        details: { size: bytes.length, maxBytes: mostBytes },
      },
    );
  }
  const { width, height } = found;
  const image_data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
  return { media_type: mediaType, width, height, image_data };
}

async function measured(bytes: Uint8Array) {
  const { imageSize } = await import("image-size");
  try {
    return imageSize(bytes);
  } catch {
    return undefined;
  }
}
