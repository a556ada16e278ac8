// list_directory: what is in a directory, level by level.
import * as z from "zod";
import { printable } from "../../../core/printable.ts";
import { listDirectory } from "../../../search/index.ts";
import { plural } from "../../../words/plural.ts";
import { defineTool } from "../../tool.ts";
import { directoryIn, isoTime } from "../fields.ts";

const DEFAULT_DEPTH = 8;
const DEEPEST = 32;
const MAX_ENTRIES = 5000;

export const list_directory = defineTool({
  name: "list_directory",
  title: "List directory",
  description: "List a directory, optionally with everything below it. At most 5000 entries.",
  effect: "read",
  actions: ["list"],
  input: z.object({
    path: z.string().default(".").describe("Directory in the workspace"),
    recursive: z.boolean().default(false),
    maxDepth: z.int().min(1).optional().describe("With recursive; default 8, at most 32"),
    includeHidden: z.boolean().default(false).describe("Also names that start with a dot"),
  }),
  aliases: { directory: "path", max_depth: "maxDepth", include_hidden: "includeHidden" },
  output: z.object({
    path: z.string(),
    entries: z.array(
      z.object({
        name: z.string(),
        relativePath: z.string(),
        type: z.enum(["file", "directory", "symlink"]),
        size: z.int(),
        mtime: z.string(),
        depth: z.int(),
      }),
    ),
    maxDepth: z.int(),
    truncated: z.boolean(),
  }),
  refused: "Nothing was listed.",
  async run({ session, call }, { path, recursive, maxDepth, includeHidden }) {
    const depth = recursive ? Math.min(maxDepth ?? DEFAULT_DEPTH, DEEPEST) : 1;
    const directory = directoryIn(session, path);
    // A caller that asks for so many levels gets them, and has not been cut short.
    const lookDeeper = recursive && depth !== maxDepth;
    const request = { depth, hidden: includeHidden, limit: MAX_ENTRIES, lookDeeper };
    const { entries: found, deeper, path: listed } = await listDirectory(session, directory, request, call);
    const entries = found.slice(0, MAX_ENTRIES).map(({ name, path: relativePath, type, size, mtimeMs, depth }) => ({
      name,
      relativePath,
      type,
      size: type === "file" ? size : 0,
      mtime: isoTime(mtimeMs),
      depth,
    }));
    const truncated = found.length > MAX_ENTRIES || deeper;
    return { path: listed === "" ? "." : listed, entries, maxDepth: depth, truncated };
  },
  text({ path, entries, maxDepth, truncated }) {
    const lines = entries.map(({ relativePath, type, size }) => {
      const name = printable(relativePath);
      if (type === "directory") return `${name}/`;
      return type === "symlink" ? `${name} (symlink)` : `${name} (${plural(size, "byte")})`;
    });
    const more = truncated ? [cutWords(entries.length, maxDepth)] : [];
    const count = plural(entries.length, "entry");
    return [`${printable(path)} — ${count}`, ...lines, ...more].join("\n");
  },
});

function cutWords(entries: number, depth: number): string {
  if (entries === MAX_ENTRIES) return `Cut after ${entries} entries: list a directory below, or use glob.`;
  const raise = depth < DEEPEST ? `raise maxDepth (at most ${DEEPEST}), or ` : "";
  return `Cut after ${plural(depth, "level")}: ${raise}list a directory below.`;
}
