// read_file: the text of a file, whole or some lines, with the sha256 of all its bytes.

import * as z from "zod";
import type { Resolved } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { CALL_LIMITS } from "../../../core/limits.ts";
import { printable } from "../../../core/printable.ts";
import { bytesOf, shaOfStream } from "../../../core/version.ts";
import { toLf } from "../../../edit/text/source.ts";
import type { ReadResult } from "../../../kernel/read/page.ts";
import { displayable } from "../../../kernel/text/text.ts";
import { plural } from "../../../words/plural.ts";
import { readLines } from "../../shared/read.ts";
import { defineTool, type ToolContext } from "../../tool.ts";
import { PATH_ALIASES, pathField, pathIn } from "../fields.ts";
import { ONLY_BY_SHA, TOO_LARGE_TO_SHOW } from "../words.ts";

const input = z.object({
  path: pathField,
  startLine: z.int().min(1).optional().describe("First line, from 1"),
  endLine: z.int().min(1).optional().describe("Last line, inclusive"),
  maxBytes: z
    .int()
    .min(1)
    .default(CALL_LIMITS.pageBytes)
    .describe("Most bytes shown: whole lines, or the start of the first"),
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
    const path = pathIn(context.session, wanted.path);
    if (wanted.endLine !== undefined && wanted.endLine < (wanted.startLine ?? 1)) {
      throw new Refusal("invalid_input", `endLine ${wanted.endLine} lies before startLine ${wanted.startLine}.`, {
        path,
        next: "Give the smaller line number as startLine.",
      });
    }
    const at = await context.session.resolve(path, "read", context.call);
    try {
      return await readText(context, at, { ...wanted, path });
    } catch (error) {
      const binary = error instanceof Refusal && (error.kind === "binary_file" || error.kind === "not_text");
      if (!binary) throw error;
      const small = at.size <= context.session.workspace.policy.maxFileBytes;
      if (wanted.allowBinary && small) return await readBase64(context, { ...wanted, path });
      throw await binaryRefusal(context, at, path, error);
    }
  },
  text(data) {
    const head = `Read ${printable(data.path)} — ${extent(data)}, ${plural(data.sizeBytes, "byte")}, sha256=${data.sha256}`;
    return `${head}\n${data.content ?? data.contentBase64 ?? ""}${more(data)}`;
  },
});

type Wanted = z.output<typeof input>;

async function readText(context: ToolContext, at: Resolved, wanted: Wanted) {
  const { startLine: from = 1, endLine: to = Number.MAX_SAFE_INTEGER, maxBytes } = wanted;
  const pageBytes = Math.min(maxBytes, context.session.workspace.limits.maxFileBytes);
  const read = await readLines(context, wanted.path, { from, to }, { at, pageBytes });
  return {
    path: read.path,
    encoding: "utf8" as const,
    ...pageOf(read, to),
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

/** Its lines with LF. The newline at the end of the file is a part of it; that of another last line is left out. */
function pageOf({ body, shown, isCut, lines: lineCount }: ReadResult, to: number) {
  const text = displayable(toLf(body));
  const content = shown.to < lineCount && text.endsWith("\n") ? text.slice(0, -1) : text;
  const page = { content, startLine: shown.from, endLine: Math.max(shown.from, shown.to), lineCount };
  const hasMore = shown.to >= shown.from && shown.to < Math.min(to, lineCount);
  return { ...page, truncated: hasMore || isCut === true, ...(hasMore && { nextStartLine: shown.to + 1 }) };
}

type Data = z.output<typeof output>;

function extent({ binary, startLine, endLine, lineCount }: Data): string {
  if (binary) return "binary";
  if (lineCount === 0) return "empty";
  if (startLine > lineCount) return `nothing at line ${startLine}: it has ${plural(lineCount, "line")}`;
  return `lines ${startLine}-${endLine} of ${lineCount}`;
}

function more({ nextStartLine }: Data): string {
  return nextStartLine === undefined ? "" : `\nTruncated: read on with startLine=${nextStartLine}.`;
}

/** Its sha256 is told although its content is not: a binary file can still be moved or deleted with proof. */
async function binaryRefusal({ session }: ToolContext, at: Resolved, path: string, cause: Refusal): Promise<Refusal> {
  const { backend, policy, limits } = session.workspace;
  const shown = at.size <= policy.maxFileBytes;
  const chunks = at.size <= limits.pagedBytes ? await backend.stream(at.path) : null;
  const sha256 = chunks === null ? undefined : await shaOfStream(chunks);
  const known = sha256 === undefined ? "" : ` Its sha256 is ${sha256}.`;
  return new Refusal("binary_file", cause.failure.message + known, {
    path,
    next: shown
      ? "Set allowBinary to true to get it as base64."
      : sha256 === undefined
        ? TOO_LARGE_TO_SHOW
        : ONLY_BY_SHA,
    details: { sizeBytes: at.size, ...(sha256 !== undefined && { sha256 }), binary: true },
    cause,
  });
}
