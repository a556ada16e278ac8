// Grep: lines that match a regular expression.
import * as z from "zod";
import { printable } from "../../../core/printable.ts";
import type { GrepResult } from "../../../search/index.ts";
import {
  asGrepPrints,
  GREP_FLAGS,
  grepFlags,
  type HitLine,
  hitLines,
  linesAround,
  MODES,
  ofAll,
  search,
  searchBytes,
  USUAL_HITS,
  withoutNumbers,
} from "../../shared/search.ts";
import { defineTool } from "../../tool.ts";

/** "Unlimited" for a caller; a result of more lines than this is of no use and would fill the memory. */
const MOST_RESULTS = 100_000;

/** Of a line that is shown; one hit in a minified file shall not fill a context window. */
const MAX_LINE_BYTES = 2000;

const found = z.object({
  path: z.string(),
  line: z.int().optional(),
  text: z.string().optional(),
  count: z.int().optional(),
  context: z.literal(true).optional().describe("A line beside a hit."),
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
    ...grepFlags,
    output_mode: z
      .enum(["content", "files_with_matches", "count"])
      .optional()
      .describe("Default content: path:line:text."),
    head_limit: z
      .int()
      .default(USUAL_HITS)
      .describe(`Most results. Default ${USUAL_HITS}, 0: as many as one answer holds; go on with offset.`),
    offset: z.int().min(0).default(0).describe("Skip this many results."),
  }),
  hidden: ["context", "before", "after"],
  aliases: GREP_FLAGS,
  inForm: withoutNumbers,
  output: z.object({
    results: z.array(found),
    truncated: z.boolean(),
    total: z.int().optional().describe("How many there are, where that is known."),
  }),
  refused: "Nothing was searched.",
  async run(context, input) {
    const { path = ".", output_mode: mode = "content", head_limit: wanted, offset } = input;
    const limit = Math.min(wanted > 0 ? wanted : MOST_RESULTS, MOST_RESULTS);
    const result = await search(context, path, () => ({
      pattern: input.pattern,
      caseSensitive: !input.case_insensitive,
      ...linesAround(input),
      mode: MODES[mode],
      maxLineBytes: MAX_LINE_BYTES,
      maxBytes: searchBytes(limit),
      limit,
      offset,
      ...(input.glob !== undefined && { include: [input.glob] }),
    }));
    const results = resultsOf(result, mode);
    const { truncated, total } = result;
    const end = offset + (mode === "content" ? result.hits : result.files).length;
    if (truncated) {
      const raise = end - offset === limit && limit < MOST_RESULTS ? " or raise head_limit" : "";
      const shown = `Results ${offset + 1}-${end}${ofAll(total)} are shown`;
      context.warn(`${shown}; go on with offset ${end}${raise}.`);
    }
    return { results, truncated, total };
  },
  text({ results }) {
    if (results.length === 0) return "No matches.";
    return results[0]?.line === undefined ? results.map(lineOf).join("\n") : asGrepPrints(results as HitLine[]);
  },
});

function resultsOf(result: GrepResult, mode: keyof typeof MODES): Found[] {
  if (mode === "content") return hitLines(result.hits).flat();
  return result.files.map(({ path, count }) => (mode === "count" ? { path, count } : { path }));
}

function lineOf({ path, count }: Found): string {
  return count === undefined ? printable(path) : `${printable(path)}:${count}`;
}
