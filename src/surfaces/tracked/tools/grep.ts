// Grep: lines that match a regular expression.
import { z } from "zod";
import { printable } from "../../../core/printable.ts";
import { type GrepResult, grep as search } from "../../../search/index.ts";
import { ofHowMany } from "../../answer/how-many.ts";
import { foundLine } from "../../answer/legible.ts";
import { defineTool } from "../../tool.ts";
import { asTyped } from "../as-typed.ts";

const MODES = { content: "lines", files_with_matches: "files", count: "count" } as const;

/** "Unlimited" for a caller; a result of more lines than this is of no use and would fill the memory. */
const MOST_RESULTS = 100_000;

/** Of a line that is shown; one hit in a minified file shall not fill a context window. */
const MAX_LINE_BYTES = 2000;

const found = z.object({
  path: z.string(),
  line: z.int().optional(),
  text: z.string().optional(),
  count: z.int().optional(),
});
type Found = z.output<typeof found>;

export const grep = defineTool({
  name: "Grep",
  title: "Search in files",
  description: "Searches file contents by regular expression (Rust syntax); .gitignore is respected.",
  effect: "read",
  actions: ["grep"],
  input: z.object({
    pattern: z.string().describe("Regular expression."),
    path: z.string().optional().describe("File or directory. Default: the workspace."),
    glob: z.string().optional().describe("Only files that match, for example *.ts"),
    case_insensitive: z.boolean().optional(),
    output_mode: z
      .enum(["content", "files_with_matches", "count"])
      .optional()
      .describe("Default content: path:line:text."),
    head_limit: z.int().optional().describe("Most results. 0 or absent: all."),
  }),
  output: z.object({
    results: z.array(found),
    truncated: z.boolean(),
    total: z.int().optional().describe("How many there are, where that is known."),
  }),
  refused: "Nothing was searched.",
  async run(context, input) {
    const { session, call } = context;
    const { path = ".", output_mode: mode = "content", head_limit: wanted = 0 } = input;
    const result = await asTyped(context, { path, action: "search" }, async () => {
      const root = await session.resolve(path, "search", call);
      const request = {
        pattern: input.pattern,
        root,
        caseSensitive: input.case_insensitive !== true,
        mode: MODES[mode],
        maxLineBytes: MAX_LINE_BYTES,
        limit: Math.min(wanted > 0 ? wanted : MOST_RESULTS, MOST_RESULTS),
        ...(input.glob !== undefined && { include: [input.glob] }),
      };
      return search(session, request, call);
    });
    const results = resultsOf(result, mode);
    const { truncated, total, atLeast, notes } = result;
    context.warn(...notes.map(printable));
    if (truncated) {
      const more = results.length < MOST_RESULTS ? "raise head_limit or narrow the search" : "narrow the search";
      context.warn(`Only the first ${results.length}${ofHowMany({ total, atLeast })} results are shown; ${more}.`);
    }
    return { results, truncated, ...(total !== undefined && { total }) };
  },
  text: ({ results }) => results.map(lineOf).join("\n"),
});

function resultsOf(result: GrepResult, mode: keyof typeof MODES): Found[] {
  if (mode === "content") {
    return result.hits.map(({ path, line, text }) => ({ path, line, text: foundLine(text) }));
  }
  return result.files.map(({ path, count }) => (mode === "count" ? { path, count } : { path }));
}

function lineOf({ path, line, text, count }: Found): string {
  const place = printable(path);
  if (line !== undefined) return `${place}:${line}:${text}`;
  return count === undefined ? place : `${place}:${count}`;
}
