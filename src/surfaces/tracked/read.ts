// Read: numbered lines of a file. Only a Read that succeeded opens the gate for Write and Edit.
import { z } from "zod";
import { splitLines } from "../../edit/lines.ts";
import { Refusal } from "../../kernel/failure.ts";
import type { ReadResult } from "../../kernel/page.ts";
import { displayable } from "../../kernel/text.ts";
import { legible } from "../legible.ts";
import { defineTool, type ToolContext } from "../tool.ts";
import { asTyped } from "./as-typed.ts";
import { filePath, PATH_ALIASES } from "./fields.ts";

const LINES = 2000;
const LONGEST_LINE = 1024 * 1024;

export const read = defineTool({
  name: "Read",
  title: "Read a file",
  description: "Shows a text file with line numbers. A file must be Read before it can be overwritten or edited.",
  effect: "read",
  actions: ["read"],
  input: z.object({
    file_path: filePath,
    offset: z.int().optional().describe("First line, 1-based. Default 1."),
    limit: z.int().optional().describe(`Number of lines. Default ${LINES}.`),
  }),
  aliases: PATH_ALIASES,
  output: z.object({
    path: z.string(),
    content: z.string().describe("Lines as `number<TAB>text`."),
    startLine: z.int(),
    endLine: z.int().describe("Less than startLine when nothing is shown."),
    totalLines: z.int(),
    sha256: z.string().describe("Of the whole file."),
  }),
  refused: "Nothing was read.",
  async run(context, { file_path: path, offset = 1, limit = LINES }) {
    const from = Math.max(1, offset);
    const range = { from, to: from + (limit > 0 ? limit : LINES) - 1 };
    const shown = await asTyped(context, { path, action: "read" }, () => readLines(context, path, range));
    if (shown.endLine < shown.totalLines && limit === LINES) {
      context.warn(
        `Lines ${shown.startLine}-${shown.endLine} of ${shown.totalLines} are shown; go on with offset ${shown.endLine + 1}.`,
      );
    }
    return shown;
  },
  text: ({ content }) => content,
});

async function readLines({ session, call, warn }: ToolContext, path: string, range: { from: number; to: number }) {
  const at = await session.resolve(path, "read", call);
  const before = await session.ledger.get(at.path);
  const file = await session.read(path, range, call);
  const lines = splitLines(file.body);
  const problem = problemWith(file, lines);
  if (problem !== undefined) {
    // A Read that failed has shown nothing.
    if (before === undefined) await session.ledger.delete(file.path);
    else await session.ledger.set(file.path, before);
    throw problem;
  }
  warn(...file.notes.map((note) => legible(note, path)));
  return {
    path: file.path,
    content: lines.map(({ text }, n) => `${file.shown.from + n}\t${displayable(text)}\n`).join(""),
    startLine: file.shown.from,
    endLine: file.shown.to,
    totalLines: file.lines,
    sha256: file.sha,
  };
}

function problemWith(file: ReadResult, lines: readonly { readonly text: string }[]): Refusal | undefined {
  const offset = file.shown.from;
  if (file.lines > 0 && offset > file.lines) {
    return new Refusal("line_out_of_range", `The file has ${file.lines} lines.`, {
      next: `Use an offset between 1 and ${file.lines}.`,
      details: { offset, lines: file.lines },
    });
  }
  const long = lines.findIndex(({ text }) => Buffer.byteLength(text) > LONGEST_LINE);
  if (long === -1) return undefined;
  return new Refusal("file_too_large", `Line ${offset + long} is longer than ${LONGEST_LINE} bytes.`, {
    next: "Read the lines before or after it, or use Grep to find what you need in it.",
    details: { line: offset + long, maxBytes: LONGEST_LINE },
  });
}
