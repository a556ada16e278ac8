// read_file: the text of a file, whole or some lines, with the sha256 of all its bytes.
import { z } from "zod";
import type { Resolved } from "../../backends/backend.ts";
import { Refusal } from "../../kernel/failure.ts";
import { withShown } from "../../kernel/seen.ts";
import { bytesOf } from "../../kernel/version.ts";
import { printable } from "../legible.ts";
import { defineTool, type ToolContext } from "../tool.ts";
import { TOO_LARGE_TO_SHOW } from "./failure.ts";
import { PATH_ALIASES, pathField } from "./fields.ts";
import { pageOf } from "./page.ts";
import { relativeOnly } from "./paths.ts";

const MAX_BYTES = 262_144;
/** A file too large to be held is read in pages; this many lines of usual length fill the default `maxBytes`. */
const LINES_OF_LARGE = 4096;

const input = z.object({
  path: pathField,
  startLine: z.int().min(1).optional().describe("First line, from 1"),
  endLine: z.int().min(1).optional().describe("Last line, inclusive"),
  maxBytes: z.int().min(1).default(MAX_BYTES).describe("Cut the content after so many bytes"),
  allowBinary: z.boolean().default(false).describe("Give a binary file as base64"),
});

const output = z.object({
  path: z.string(),
  content: z.string().optional(),
  contentBase64: z.string().optional(),
  encoding: z.enum(["utf8", "base64"]),
  startLine: z.int(),
  endLine: z.int(),
  lineCount: z.int(),
  sizeBytes: z.int(),
  sha256: z.string(),
  truncated: z.boolean(),
  nextStartLine: z.int().optional(),
  binary: z.boolean(),
  newlineStyle: z.enum(["lf", "crlf", "cr", "mixed", "none"]),
  hasBom: z.boolean(),
});

export const read_file = defineTool({
  name: "read_file",
  title: "Read file",
  description:
    "Read a text file, whole or some lines; line ends are shown as LF. The sha256 covers the whole file even if only a part is shown: pass it as expectedSha256 to change the file.",
  effect: "read",
  actions: ["read"],
  input,
  aliases: { ...PATH_ALIASES, start_line: "startLine", end_line: "endLine" },
  output,
  refused: "Nothing was read.",
  async run(context, wanted) {
    const path = relativeOnly(wanted.path);
    if (wanted.endLine !== undefined && wanted.endLine < (wanted.startLine ?? 1)) {
      throw new Refusal("invalid_input", `endLine ${wanted.endLine} lies before startLine ${wanted.startLine}.`, {
        path,
        next: "Give the smaller line number as startLine.",
      });
    }
    const at = await context.session.resolve(path, "read", context.call);
    try {
      return await readLines(context, at, { ...wanted, path });
    } catch (error) {
      const binary = error instanceof Refusal && (error.kind === "binary_file" || error.kind === "not_text");
      if (!binary) throw error;
      if (wanted.allowBinary) return await readBase64(context, { ...wanted, path });
      throw await binaryRefusal(context, at, path, error);
    }
  },
  text(data) {
    const { startLine, endLine, lineCount, sizeBytes, sha256, nextStartLine } = data;
    const lines = data.binary ? "binary" : `lines ${startLine}-${endLine} of ${lineCount}`;
    const head = `Read ${printable(data.path)} — ${lines}, ${sizeBytes} bytes, sha256=${sha256}`;
    const more = nextStartLine === undefined ? "" : `\nTruncated: read on with startLine=${nextStartLine}.`;
    return `${head}\n${data.content ?? data.contentBase64 ?? ""}${more}`;
  },
});

type Wanted = z.output<typeof input>;

async function readLines({ session, call, warn }: ToolContext, at: Resolved, wanted: Wanted) {
  const { startLine: from = 1, endLine, maxBytes } = wanted;
  const paged = endLine === undefined && at.size > session.workspace.policy.maxFileBytes;
  const to = paged ? from + LINES_OF_LARGE - 1 : (endLine ?? Number.MAX_SAFE_INTEGER);
  const before = await session.ledger.get(at.path);
  const read = await session.read(wanted.path, { from, to }, { ...call, at });
  const { whole, ...page } = pageOf(read, { from, to }, maxBytes);
  if (page.truncated) await session.ledger.set(read.path, withShown(before, read.sha, read.lines, whole));
  warn(...read.notes);
  const cutPage = paged && !page.truncated && page.endLine < page.lineCount;
  return {
    path: read.path,
    encoding: "utf8" as const,
    ...page,
    ...(cutPage && { truncated: true, nextStartLine: page.endLine + 1 }),
    sizeBytes: read.size,
    sha256: read.sha,
    binary: false,
    newlineStyle: read.eol,
    hasBom: read.bom,
  };
}

async function readBase64({ session, call, warn }: ToolContext, { path, maxBytes }: Wanted) {
  const { at, version } = await session.readBytes(path, call);
  const bytes = bytesOf(version).subarray(0, maxBytes);
  if (bytes.length === version.size) await session.showed(at.path, version, undefined, call);
  else warn(`Only the first ${bytes.length} of ${version.size} bytes are shown; raise maxBytes for more.`);
  return {
    path: at.path,
    contentBase64: Buffer.from(bytes).toString("base64"),
    encoding: "base64" as const,
    startLine: 0,
    endLine: 0,
    lineCount: 0,
    sizeBytes: version.size,
    sha256: version.sha,
    truncated: bytes.length < version.size,
    binary: true,
    newlineStyle: "none" as const,
    hasBom: false,
  };
}

/** Its sha256 is told although its content is not: a binary file can still be moved or deleted with proof. */
async function binaryRefusal({ session }: ToolContext, at: Resolved, path: string, cause: Refusal): Promise<Refusal> {
  const { backend, policy } = session.workspace;
  const version = at.size <= policy.maxFileBytes ? await backend.read(at.path) : null;
  return new Refusal("binary_file", cause.failure.message, {
    path,
    next: version === null ? TOO_LARGE_TO_SHOW : "Set allowBinary to true to get it as base64.",
    details: { sizeBytes: version?.size ?? at.size, ...(version !== null && { sha256: version.sha }), binary: true },
    cause,
  });
}
