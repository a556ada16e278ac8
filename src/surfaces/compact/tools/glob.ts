// Glob: files by name pattern, absolute and newest first.
import * as z from "zod";
import { printable } from "../../../core/printable.ts";
import { find, lookDeeper, ofAll, searchBytes } from "../../shared/search.ts";
import { defineTool } from "../../tool.ts";
import { absolutePath, nativePath } from "../paths.ts";

const output = z.object({
  files: z.array(z.string()),
  metadata: z.object({
    count: z.number(),
    total: z.number().optional(),
    truncated: z.boolean(),
    relative_paths: z.array(z.string()),
  }),
  suggestions: z.array(z.string()).optional(),
});

const PATHS = 200;

export const globTool = defineTool({
  name: "Glob",
  title: "Find files",
  description: "Find files by name pattern, newest first. Git-ignored files are left out.",
  effect: "read",
  actions: ["glob"],
  input: z.object({
    pattern: z.string().min(1).describe('Glob such as "**/*.ts"; "*.md" looks in one directory only'),
    path: z.string().optional().describe("Directory to search; default the workspace"),
    type: z.enum(["file", "dir"]).default("file").describe("What to find"),
    max_results: z.int().min(1).max(10_000).default(PATHS).describe("Most paths returned"),
    include_hidden: z.boolean().default(false).describe("Also names that start with a dot"),
    include_ignored: z.boolean().default(false).describe("Also what .gitignore names"),
    follow_symlinks: z.boolean().default(false).describe("Look into linked directories of the workspace"),
  }),
  hidden: ["type", "max_results", "include_hidden", "include_ignored", "follow_symlinks"],
  output,
  refused: "Nothing was searched.",
  async run(context, input) {
    const { session } = context;
    const { files, truncated, total } = await find(context, nativePath(input.path ?? "."), {
      pattern: nativePath(input.pattern),
      kind: input.type === "dir" ? "directory" : "file",
      hidden: input.include_hidden,
      gitignore: !input.include_ignored,
      followLinks: input.follow_symlinks,
      order: "newest",
      limit: input.max_results,
      maxBytes: searchBytes(input.max_results, PATHS),
    });
    return {
      files: files.map(({ path }) => absolutePath(session, path)),
      metadata: {
        count: files.length,
        total,
        truncated,
        relative_paths: files.map(({ path }) => path),
      },
      ...(files.length === 0 && { suggestions: suggestions(input) }),
    };
  },
  text({ files, metadata: { truncated, total }, suggestions }, { pattern }) {
    if (files.length === 0)
      return [`Nothing matches ${printable(JSON.stringify(pattern))}.`, ...(suggestions ?? [])].join("\n");
    const cut = `(the newest ${files.length}${ofAll(total)}; narrow the pattern or raise max_results for the rest)`;
    return [...files.map(printable), ...(truncated ? [cut] : [])].join("\n");
  },
});

interface Asked {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly include_hidden: boolean;
  readonly follow_symlinks: boolean;
}

function suggestions({ pattern, path, include_hidden, follow_symlinks }: Asked): string[] {
  return [
    ...lookDeeper(pattern),
    ...(path === undefined ? [] : ["Leave `path` out to search the whole workspace."]),
    ...(include_hidden ? [] : ["Hidden files are found with include_hidden, git-ignored ones with include_ignored."]),
    ...(follow_symlinks ? [] : ["Linked files, and those in linked directories, are found with follow_symlinks."]),
  ];
}
