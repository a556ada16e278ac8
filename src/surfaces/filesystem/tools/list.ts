// What is in a directory: list_directory, list_directory_with_sizes, directory_tree and search_files.
import * as z from "zod";
import { printable } from "../../../core/printable.ts";
import { listDirectory } from "../../../search/index.ts";
import { find } from "../../shared/search.ts";
import { defineTool, type ToolContext } from "../../tool.ts";
import { ALIASES, absolute, looking, pathField } from "../fixed.ts";

const listing = { ...looking, aliases: ALIASES, refused: "Nothing was listed." } as const;
const searching = { ...listing, actions: ["glob"], refused: "Nothing was searched." } as const;

export const list_directory = defineTool({
  name: "list_directory",
  title: "List directory",
  description: "List what lies directly in a directory, each name after [FILE] or [DIR].",
  ...listing,
  input: z.object({ path: pathField }),
  async run(context, { path }) {
    const entries = await entriesOf(context, path);
    return { content: entries.map(({ name, label }) => `${label} ${name}`).join("\n") };
  },
});

export const list_directory_with_sizes = defineTool({
  name: "list_directory_with_sizes",
  title: "List directory with sizes",
  description: "List what lies directly in a directory, with the sizes of files and their sum.",
  ...listing,
  input: z.object({ path: pathField, sortBy: z.enum(["name", "size"]).default("name") }),
  async run(context, { path, sortBy }) {
    const entries = await entriesOf(context, path);
    entries.sort((a, b) => (sortBy === "size" ? b.size - a.size : 0) || a.name.localeCompare(b.name));
    const files = entries.filter(({ label }) => label === "[FILE]");
    const lines = entries.map(({ name, label, size }) => {
      const amount = label === "[FILE]" ? bytesInWords(size).padStart(10) : "";
      return `${label} ${name.padEnd(30)} ${amount}`;
    });
    const total = `Total: ${files.length} files, ${entries.length - files.length} directories`;
    const sum = bytesInWords(files.reduce((all, { size }) => all + size, 0));
    return { content: [...lines, "", total, `Combined size: ${sum}`].join("\n") };
  },
});

const excludePatterns = z.array(z.string()).default([]).describe("Globs of what is left out, with all below it");

type Node = { readonly name: string; readonly type: "file" | "directory"; readonly children?: Node[] };

export const directory_tree = defineTool({
  name: "directory_tree",
  title: "Directory tree",
  description: "Everything below a directory, as JSON: name, type, and the children of directories.",
  ...searching,
  input: z.object({ path: pathField, excludePatterns }),
  async run(context, { path, excludePatterns: exclude }) {
    const { files, root } = await everything(context, path, { exclude });
    const top: Node[] = [];
    const inside = new Map([[root === "." ? "" : root, top]]);
    for (const { path: place, kind } of files) {
      const cut = place.lastIndexOf("/");
      const name = printable(place.slice(cut + 1));
      const children: Node[] = [];
      const node: Node = kind === "directory" ? { name, type: kind, children } : { name, type: "file" };
      inside.get(place.slice(0, Math.max(cut, 0)))?.push(node);
      inside.set(place, children);
    }
    return { content: JSON.stringify(top, null, 2) };
  },
});

export const search_files = defineTool({
  name: "search_files",
  title: "Search files",
  description:
    'Find files and directories by a glob that is relative to path: "*.ts" looks in it alone, "**/*.ts" below it too.',
  ...searching,
  input: z.object({ path: pathField, pattern: z.string().min(1), excludePatterns }),
  async run(context, { path, pattern, excludePatterns: given }) {
    // Relative to the start, as the pattern is: a bare name would be left out at any depth.
    const exclude = given.map((glob) => (/^[\w.*?-]+$/.test(glob) ? `${glob}/**` : glob));
    const { files } = await everything(context, path, { pattern, exclude });
    const paths = files.map((file) => printable(absolute(context.session, file.path)));
    return { content: paths.join("\n") || "No matches found" };
  },
});

const LIMITS = { limit: 10_000, maxBytes: 1024 * 1024 };

/** By name, files and directories together. A link counts as a file. */
async function entriesOf({ session, call }: ToolContext, path: string) {
  const { entries } = await listDirectory(session, path, { depth: 1, hidden: true, limit: LIMITS.limit }, call);
  return entries
    .map(({ name, type, size }) => ({ name: printable(name), label: type === "directory" ? "[DIR]" : "[FILE]", size }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function everything(
  context: ToolContext,
  path: string,
  wanted: { readonly pattern?: string; readonly exclude: readonly string[] },
) {
  const found = await find(context, path, { ...wanted, ...LIMITS, kind: "any", hidden: true, gitignore: false });
  if (found.truncated) context.warn(`Only the first ${found.files.length} are shown: name a directory below.`);
  return found;
}

function bytesInWords(bytes: number): string {
  const steps = bytes === 0 ? 0 : Math.min(4, Math.floor(Math.log2(bytes) / 10));
  return steps === 0 ? `${bytes} B` : `${(bytes / 1024 ** steps).toFixed(2)} ${["KB", "MB", "GB", "TB"][steps - 1]}`;
}
