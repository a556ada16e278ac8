// glob: files and folders whose path matches a pattern.
import * as z from "zod";
import { CALL_LIMITS } from "../../../core/limits.ts";
import { printable } from "../../../core/printable.ts";
import { plural } from "../../../words/plural.ts";
import { find, leavingOut, lookDeeper, REPLACED, searchBytes } from "../../shared/search.ts";
import { defineTool } from "../../tool.ts";
import { directoryIn, isoTime, moreThere, typeOf } from "../fields.ts";

const PATHS = 1000;
/** As list_directory has them. */
const MARKS = { file: "", directory: "/", symlink: " (symlink)" } as const;

export const glob = defineTool({
  name: "glob",
  title: "Glob",
  description: "Find files, folders and links whose path below root matches a glob, e.g. src/**/*.ts.",
  effect: "read",
  actions: ["glob"],
  input: z.object({
    pattern: z.string().min(1),
    root: z.string().default(".").describe("Directory to start from"),
    excludeGlobs: z.array(z.string()).optional().describe(REPLACED),
    maxResults: z.int().min(1).default(PATHS),
  }),
  aliases: { query: "pattern", path: "root", max_results: "maxResults" },
  output: z.object({
    pattern: z.string(),
    root: z.string(),
    matches: z.array(
      z.object({
        path: z.string(),
        type: z.enum(["file", "directory", "symlink"]),
        size: z.int(),
        mtime: z.string(),
      }),
    ),
    truncated: z.boolean(),
    total: z.int().optional(),
  }),
  refused: "Nothing was searched.",
  async run(context, { pattern, root: given, excludeGlobs, maxResults }) {
    const { files, truncated, root, total } = await find(context, directoryIn(context.session, given), {
      pattern,
      kind: "any",
      order: "path",
      limit: Math.min(maxResults, CALL_LIMITS.results),
      maxBytes: searchBytes(maxResults, PATHS),
      ...leavingOut(excludeGlobs),
    });
    const matches = files.map(({ path, kind, size, mtimeMs }) => {
      const type = typeOf(kind) ?? "file";
      return { path, type, size: type === "file" ? size : 0, mtime: isoTime(mtimeMs) };
    });
    return { pattern, root, matches, truncated, total };
  },
  text({ pattern, matches, truncated, total }, { maxResults }) {
    const lines = matches.map(({ path, type }) => printable(path) + MARKS[type]);
    const shown = { what: "pattern", shown: matches.length, maxResults, usual: PATHS };
    const more = truncated ? [moreThere(total, shown)] : [];
    const count = `${plural(matches.length, "match")} of ${JSON.stringify(pattern)}`;
    return [count, ...(lines.length > 0 ? lines : lookDeeper(pattern)), ...more].join("\n");
  },
});
