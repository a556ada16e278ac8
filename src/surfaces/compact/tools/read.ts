// Read: numbered lines of a text file, the text of PDF pages, or a picture for a model that can see.
import * as z from "zod";
import type { Resolved } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { LIMITS } from "../../../core/limits.ts";
import { printable } from "../../../core/printable.ts";
import { refuse } from "../../../words/index.ts";
import { linesBetween, plural } from "../../../words/plural.ts";
import { defineTool, type ToolContext } from "../../tool.ts";
import { readMedia } from "../media.ts";
import { isMedia, nativePath } from "../paths.ts";
import { readMatching, readText } from "../read-text.ts";

const input = z.object({
  file_path: z.string().describe("Absolute path, or relative to the workspace"),
  offset: z.int().min(0).optional().describe("0-based line to start reading from"),
  limit: z.int().min(1).optional().describe("Number of lines to read; default 2000"),
  encoding: z.string().optional().describe("Encoding, when it must not be detected"),
  pages: z.string().optional().describe('Pages of a PDF, such as "1-5"'),
  pattern: z.string().default("").describe("Regular expression: only the lines that match it"),
  max_binary_size: z
    .int()
    .min(1)
    .default(1024 * 1024)
    .describe("Largest image in bytes"),
});

const LIMIT = 2000;
/** With the range settled. */
export type ReadInput = z.output<typeof input> & { readonly offset: number; readonly limit: number };

const output = z.object({
  content: z.string(),
  metadata: z.object({
    path: z.string(),
    size: z.number(),
    /** Of the whole text, or of the pages that were read; a picture has none. */
    lines: z.number().optional(),
    mtime: z.string(),
    encoding: z.string().optional(),
    truncated: z.boolean().optional(),
    next_offset: z.number().optional(),
    matches: z.number().optional(),
    total_pages: z.number().optional(),
    /** Those that are shown. */
    pages: z.array(z.number()).optional(),
    media_type: z.string().optional(),
    width: z.number().optional(),
    height: z.number().optional(),
    image_data: z.string().optional(),
  }),
});
export type ReadData = z.output<typeof output>;

export const readTool = defineTool({
  name: "Read",
  title: "Read a file",
  description: "Read a file with line numbers. Also reads PDFs as text and images as base64.",
  effect: "read",
  actions: ["read"],
  input,
  hidden: ["encoding", "pages", "pattern", "max_binary_size"],
  aliases: { path: "file_path", filePath: "file_path" },
  output,
  refused: "Nothing was read.",
  async run(context, given) {
    const path = nativePath(given.file_path);
    const request = { ...given, offset: given.offset ?? 0, limit: given.limit ?? LIMIT };
    const seen = isMedia(path) ? await readMedia(context, path, request) : undefined;
    if (seen !== undefined) return seen;
    return orMedia(context, path, request, async () => {
      if (request.pattern !== "") return readMatching(context, path, request);
      const whole = given.offset === undefined && given.limit === undefined;
      return readText(context, path, request, whole ? await refuseTooLarge(context, path) : undefined);
    });
  },
  text({ content, metadata }, { offset = 0 }) {
    const { path, lines, media_type, width, height, size, next_offset, matches } = metadata;
    if (matches === 0) return `No line of ${printable(path)} matches.`;
    if (content === "" && media_type !== undefined) {
      const unseen = SHOWN.has(media_type) ? "" : " It is not shown: models take PNG, JPEG, GIF and WebP.";
      return `Image ${printable(path)}: ${media_type}, ${width} × ${height} pixels, ${plural(size, "byte")}.${unseen}`;
    }
    if (content !== "") return next_offset === undefined ? content : `${content}\n${more(metadata, offset)}`;
    if (lines === 0) return `${printable(path)} is empty.`;
    const have = metadata.total_pages === undefined ? `${printable(path)} has` : "these pages have";
    return `Nothing at offset ${offset}: ${have} ${plural(lines ?? 0, "line")}.`;
  },
  images(data) {
    const { image_data: base64, ...metadata } = data.metadata;
    const { media_type: mimeType } = metadata;
    if (base64 === undefined || mimeType === undefined) return { images: [], rest: data };
    // A drawing that is text is shown as text; others stay data, since a model's API may refuse them as pictures.
    if (!SHOWN.has(mimeType) && data.content === "") return { images: [], rest: data };
    return { images: SHOWN.has(mimeType) ? [{ mimeType, base64 }] : [], rest: { ...data, metadata } };
  },
});

/** Kinds of pictures that models take. */
const SHOWN: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Only where the owner narrowed the limit: of a larger file the first lines are shown, and a range may be read all the same. */
async function refuseTooLarge({ session, call }: ToolContext, path: string): Promise<Resolved> {
  const at = await session.resolve(path, "read", call);
  const { maxFileBytes } = session.workspace.policy;
  const isNarrowed = maxFileBytes < LIMITS.maxFileBytes;
  if (isNarrowed && at.kind === "file" && at.size > maxFileBytes)
    throw refuse("too_large", { path, size: at.size, maxBytes: maxFileBytes });
  return at;
}

/** Bytes that are no text may still be a picture or a PDF under another name. */
async function orMedia(context: ToolContext, path: string, request: ReadInput, read: () => Promise<ReadData>) {
  try {
    const text = await read();
    if (request.pages !== undefined) context.warn("`pages` has no meaning for this file: it is not a PDF.");
    return text;
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== "binary_file") throw error;
    const seen = await readMedia(context, path, request).catch((cause) => {
      throw cause instanceof Refusal && cause.reason === "too_large" ? error : cause;
    });
    if (seen !== undefined) return seen;
    throw error;
  }
}

function more(metadata: ReadData["metadata"], offset: number): string {
  const { lines, next_offset = 0, matches, pages, total_pages } = metadata;
  if (pages !== undefined)
    return `(stopped on page ${pages.at(-1)} of ${total_pages}; continue with offset ${next_offset})`;
  const what =
    matches === undefined
      ? `${linesBetween(offset + 1, next_offset)} of ${lines}`
      : `the first ${matches} of at least ${plural(matches + 1, "matching line")}`;
  return `(${what}; continue with offset ${next_offset})`;
}
