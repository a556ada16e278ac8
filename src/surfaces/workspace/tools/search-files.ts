// search_files: paths by glob, or lines by text or regular expression.
import * as z from "zod";
import { type Refusal, reworded } from "../../../core/failure.ts";
import { CALL_LIMITS } from "../../../core/limits.ts";
import { printable } from "../../../core/printable.ts";
import { invalidGlob } from "../../../search/globs.ts";
import { plural } from "../../../words/plural.ts";
import {
  find,
  type HitLine,
  hitLines,
  leavingOut,
  REPLACED,
  search,
  searchBytes,
  USUAL_HITS,
} from "../../shared/search.ts";
import { defineTool, type ToolContext } from "../../tool.ts";
import { directoryIn, moreThere } from "../fields.ts";

const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** Of a line in a preview; one hit in a minified file shall not fill a context window. */
const MAX_LINE_BYTES = 2000;

const input = z.object({
  query: z.string().min(1),
  mode: z
    .preprocess((given) => (given === "glob" ? "path" : given), z.enum(["path", "text", "regex"]))
    .describe("path: glob or part of a path; text: literal, case-sensitive"),
  root: z.string().default(".").describe("Directory or file to search"),
  includeGlobs: z.array(z.string()).optional(),
  excludeGlobs: z.array(z.string()).optional().describe(REPLACED),
  maxResults: z.int().min(1).default(100),
  offset: z.int().min(0).default(0).describe("Hits to skip, with text and regex"),
  contextLines: z.int().min(0).default(0).describe("Lines around each hit"),
});

const match = z.object({
  path: z.string(),
  line: z.int().optional(),
  column: z.int().optional(),
  preview: z.string(),
});

export const search_files = defineTool({
  name: "search_files",
  title: "Search files",
  description: "Search many files by path, text or regex. One hit per line; skips binary files and files over 4 MiB.",
  effect: "read",
  actions: ["grep"],
  input,
  aliases: { pattern: "query", path: "root", max_results: "maxResults", context_lines: "contextLines" },
  output: z.object({
    mode: z.enum(["path", "text", "regex"]),
    query: z.string(),
    root: z.string(),
    matches: z.array(match),
    truncated: z.boolean(),
    total: z.int().optional(),
    filesScanned: z.int().optional(),
  }),
  refused: "Nothing was searched.",
  async run(context, wanted) {
    const { mode, query } = wanted;
    const found = await (mode === "path" ? byPath : byContent)(context, wanted);
    return { mode, query, ...found };
  },
  text({ mode, query, matches, truncated, total }, { maxResults, offset }) {
    const hits = matches.map(({ path, preview }, n) => {
      if (mode === "path") return printable(path);
      return path === matches[n - 1]?.path ? preview : `${printable(path)}\n${preview}`;
    });
    const count = `${plural(matches.length, "match")} of ${JSON.stringify(query)}`;
    const next = mode === "path" ? undefined : offset + matches.length;
    const shown = { what: "query", shown: matches.length, maxResults, usual: USUAL_HITS };
    const more = truncated ? [moreThere(total, shown, next)] : [];
    return [count, ...hits, ...more].join("\n");
  },
});

type Wanted = z.output<typeof input>;

async function byPath(context: ToolContext, wanted: Wanted) {
  const { session, warn } = context;
  const { includeGlobs, excludeGlobs, maxResults } = wanted;
  const query = session.workspace.backend.relative?.(wanted.query) ?? wanted.query;
  if (includeGlobs !== undefined) warn("includeGlobs is not used with mode path: the query is the glob.");
  const wrong = invalidGlob(query);
  if (wrong !== undefined && isGlobOnly(query, wrong)) throw wrong;
  const { files, truncated, root, total } = await find(context, directoryIn(session, wanted.root), {
    pattern: wrong === undefined ? patternsOf(query) : asPart(query),
    anyDepth: true,
    kind: "file",
    order: "path",
    limit: Math.min(maxResults, CALL_LIMITS.results),
    maxBytes: searchBytes(maxResults),
    ...leavingOut(excludeGlobs),
  });
  if (wrong !== undefined && files.length === 0)
    throw reworded(wrong, { message: `${wrong.failure.message} No path has it as a part either.` });
  const matches = files.map(({ path }) => ({ path, preview: printable(path) }));
  return { root, matches, truncated, total };
}

/** A glob is also looked for as a part of a path, since names like "a[1].txt" look like one; with a star it can only be a glob. */
function patternsOf(query: string): readonly string[] {
  if (query.includes("*")) return [query];
  return [...(/[?[\]{}]/.test(query) ? [query] : []), ...asPart(query)];
}

function asPart(query: string): readonly string[] {
  const literal = query.replace(/[()!+@|\\?[\]{}]/g, "\\$&");
  return [`**/*${literal}*`, `**/*${literal}*/**`];
}

/** No part of a path has a star, or a step up. */
function isGlobOnly(query: string, { kind }: Refusal): boolean {
  return query.includes("*") || (kind === "outside_workspace" && query.includes("/"));
}

async function byContent(context: ToolContext, wanted: Wanted) {
  const { query, mode, includeGlobs, excludeGlobs, maxResults, offset } = wanted;
  const contextLines = Math.min(wanted.contextLines, CALL_LIMITS.contextLines);
  const most = Math.min(CALL_LIMITS.results, Math.floor(CALL_LIMITS.resultLines / (2 * contextLines + 1)));
  if (contextLines < wanted.contextLines)
    context.warn(`contextLines: at most ${contextLines} lines are shown around a hit.`);
  const directory = directoryIn(context.session, wanted.root);
  const { hits, truncated, filesScanned, root, total } = await search(context, directory, () => ({
    pattern: query,
    literal: mode === "text",
    caseSensitive: true,
    ...(includeGlobs !== undefined && { include: includeGlobs }),
    before: contextLines,
    after: contextLines,
    maxFileBytes: MAX_FILE_BYTES,
    maxLineBytes: MAX_LINE_BYTES,
    mode: "lines",
    limit: Math.min(maxResults, most),
    offset,
    maxBytes: searchBytes(maxResults),
    countFiles: true,
    ...leavingOut(excludeGlobs),
  }));
  const lines = hitLines(hits);
  const matches = hits.map(({ path, line, column }, n) => ({ path, line, column, preview: preview(lines[n]!) }));
  return { root, matches, truncated, total, filesScanned };
}

function preview(lines: readonly HitLine[]): string {
  return lines.map(({ line, text, context }) => `${line}${context ? "-" : ":"} ${text}`).join("\n");
}
