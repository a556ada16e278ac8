// Grep: a regular expression inside files, as lines, as files or as counts.
import * as z from "zod";
import { printable } from "../../../core/printable.ts";
import type { GrepResult } from "../../../search/index.ts";
import { plural } from "../../../words/plural.ts";
import {
  asGrepPrints,
  GREP_FLAGS,
  grepFlags,
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
import { nativePath } from "../paths.ts";

const output = z.object({
  content: z.string(),
  metadata: z.object({
    output_mode: z.enum(["content", "files_with_matches", "count"]),
    matches: z.number(),
    total: z.number().optional(),
    files: z.array(z.object({ path: z.string(), count: z.number().optional() })),
    truncated: z.boolean(),
    next_offset: z.number().optional(),
  }),
});

const LONGEST_LINE = 1000;

export const grepTool = defineTool({
  name: "Grep",
  title: "Search in files",
  description: "Search file contents with a regular expression. Hidden and git-ignored files are left out.",
  effect: "read",
  actions: ["grep"],
  input: z.object({
    pattern: z.string().min(1).describe("Regular expression"),
    path: z.string().optional().describe("File or directory; default the workspace"),
    glob: z.string().optional().describe("Only files whose name matches this glob"),
    ...grepFlags,
    type: z.string().optional().describe('File type as ripgrep names it: "ts", "py"'),
    include_hidden: z.boolean().default(false).describe("Also names that start with a dot"),
    include_ignored: z.boolean().default(false).describe("Also what .gitignore names"),
    recursive: z.boolean().default(true).describe("Also the directories below"),
    max_results: z.int().min(1).max(10_000).default(USUAL_HITS).describe("Most matches returned"),
    case_sensitive: z.boolean().default(true).describe("Tell upper from lower case"),
    output_mode: z.enum(["content", "files_with_matches", "count"]).default("content").describe("What is returned"),
    multiline: z.boolean().default(false).describe("Let the pattern match across lines"),
    offset: z.int().min(0).default(0).describe("Skip this many results"),
  }),
  hidden: [
    "glob",
    "context",
    "before",
    "after",
    "case_insensitive",
    "type",
    "include_hidden",
    "include_ignored",
    "recursive",
    "max_results",
    "case_sensitive",
    "output_mode",
    "multiline",
    "offset",
  ],
  aliases: { include: "glob", head_limit: "max_results", ...GREP_FLAGS },
  inForm: withoutNumbers,
  output,
  refused: "Nothing was searched.",
  async run(context, { output_mode: mode, ...input }) {
    const result = await search(context, nativePath(input.path ?? "."), ({ kind }) => ({
      pattern: input.pattern,
      mode: MODES[mode],
      caseSensitive: input.case_sensitive && !input.case_insensitive,
      multiline: input.multiline,
      recursive: input.recursive,
      ...linesAround(input),
      limit: input.max_results,
      offset: input.offset,
      maxBytes: searchBytes(input.max_results),
      maxLineBytes: LONGEST_LINE,
      ...(input.glob !== undefined && { include: [input.glob] }),
      ...(input.type !== undefined && { type: input.type }),
      // A file that is asked for by name is searched whatever it is called.
      hidden: kind === "file" || input.include_hidden,
      gitignore: kind !== "file" && !input.include_ignored,
    }));
    const shown = mode === "content" ? result.hits.length : result.files.length;
    return {
      content: rendered(result, mode),
      metadata: {
        output_mode: mode,
        matches: shown,
        total: result.total,
        files: result.files.map(({ path, count }) => (mode === "files_with_matches" ? { path } : { path, count })),
        truncated: result.truncated,
        ...(result.truncated && { next_offset: input.offset + shown }),
      },
    };
  },
  text({ content, metadata: { next_offset, matches, total } }, { pattern, offset }) {
    if (content === "")
      return `Nothing matches ${printable(JSON.stringify(pattern))}${offset > 0 ? ` after offset ${offset}` : ""}.`;
    if (next_offset === undefined) return content;
    return `${content}\n(${plural(matches, "result")}${ofAll(total)}; continue with offset ${next_offset})`;
  },
});

function rendered({ hits, files }: GrepResult, mode: keyof typeof MODES): string {
  if (mode === "files_with_matches") return files.map(({ path }) => printable(path)).join("\n");
  if (mode === "count") return files.map(({ path, count }) => `${printable(path)}:${count}`).join("\n");
  return asGrepPrints(hitLines(hits).flat());
}
