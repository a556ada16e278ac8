// Read: numbered lines of a file. Only a Read that succeeded opens the gate for Write and Edit.

import * as z from "zod";
import type { LineRange } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { CALL_LIMITS } from "../../../core/limits.ts";
import { plural } from "../../../words/plural.ts";
import { numberedLines, readLines } from "../../shared/read.ts";
import { defineTool, type ToolContext } from "../../tool.ts";
import { filePath, PATH_ALIASES } from "../words.ts";

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
    const shown = await readFile(context, path, range);
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

interface Shown {
  readonly path: string;
  readonly content: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly totalLines: number;
  readonly sha256: string;
}

async function readFile(context: ToolContext, path: string, range: LineRange): Promise<Shown> {
  const { session, call } = context;
  const at = await session.resolve(path, "read", call);
  const options = { at, pageBytes: CALL_LIMITS.pageBytes };
  const file = await readLines(context, path, range, options);
  if (file.lines > 0 && file.shown.from > file.lines) throw beyondEnd(file.shown.from, file.lines);
  return {
    path: file.path,
    content: numberedLines(file)
      .map((line) => `${line}\n`)
      .join(""),
    startLine: file.shown.from,
    endLine: file.shown.to,
    totalLines: file.lines,
    sha256: file.sha,
  };
}

function beyondEnd(offset: number, lines: number): Refusal {
  return new Refusal("line_out_of_range", `The file has ${plural(lines, "line")}.`, {
    next: lines === 1 ? "Use offset 1." : `Use an offset between 1 and ${lines}.`,
    details: { offset, lines },
  });
}
