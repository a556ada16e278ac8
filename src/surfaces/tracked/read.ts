// Read: numbered lines of a file. Only a Read that succeeded opens the gate for Write and Edit.
import { z } from "zod";
import type { LineRange } from "../../backends/backend.ts";
import { splitLines } from "../../edit/lines.ts";
import { type FailureKind, Refusal } from "../../kernel/failure.ts";
import { displayable } from "../../kernel/text.ts";
import { legible } from "../legible.ts";
import { defineTool, type ToolContext } from "../tool.ts";
import { asTyped } from "./as-typed.ts";
import { beyondEnd, readAsBytes, refuseLongLines } from "./bytes.ts";
import { filePath, PATH_ALIASES } from "./fields.ts";

const LINES = 2000;

export const read = defineTool({
  name: "Read",
  title: "Read a file",
  description: "Shows a file with line numbers. A file must be Read before it can be overwritten or edited.",
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
    const cutShort = shown.endLine < range.to || limit < 1 || limit >= LINES;
    if (shown.endLine < shown.totalLines && cutShort) {
      context.warn(
        `Lines ${shown.startLine}-${shown.endLine} of ${shown.totalLines} are shown; go on with offset ${shown.endLine + 1}.`,
      );
    }
    return shown;
  },
  text: ({ content }) => content,
});

async function readLines(context: ToolContext, path: string, range: LineRange) {
  const { session, call, warn } = context;
  const at = await session.resolve(path, "read", call);
  const before = await session.ledger.get(at.path);
  const file = await session.read(path, range, { ...call, at }).catch((error: unknown) => {
    if (error instanceof Refusal && NO_TEXT.has(error.kind)) return undefined;
    throw error;
  });
  if (file === undefined) return readAsBytes(context, path, range);
  const lines = splitLines(file.body);
  try {
    if (file.lines > 0 && file.shown.from > file.lines) throw beyondEnd(file.shown.from, file.lines);
    refuseLongLines(lines, file.shown.from, file.lines);
  } catch (error) {
    // A Read that failed has shown nothing.
    if (before === undefined) await session.ledger.delete(file.path);
    else await session.ledger.set(file.path, before);
    throw error;
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

const NO_TEXT: ReadonlySet<FailureKind> = new Set<FailureKind>(["binary_file", "not_text"]);
