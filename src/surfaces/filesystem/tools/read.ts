// read_text_file, its older name read_file, and read_multiple_files: text as it is, whole or its first or last lines.
import * as z from "zod";
import { Refusal } from "../../../core/failure.ts";
import { printable } from "../../../core/printable.ts";
import { displayable } from "../../../kernel/text/text.ts";
import { inWords } from "../../refusal.ts";
import { legible, legibleFailure } from "../../shared/legible.ts";
import { defineTool, type ToolContext } from "../../tool.ts";
import { ALIASES, contents, pathField } from "../fixed.ts";

const input = z.object({
  path: pathField,
  head: z.int().min(0).optional().describe("Only so many lines, from the first"),
  tail: z.int().min(0).optional().describe("Only so many lines, up to the last"),
});

const base = { effect: "read", actions: ["read"], ...contents, refused: "Nothing was read." } as const;
const reading = {
  ...base,
  input,
  aliases: ALIASES,
  async run(context: ToolContext, { path, ...part }: z.output<typeof input>) {
    return { content: await textOf(context, path, part) };
  },
} as const;

export const read_text_file = defineTool({
  name: "read_text_file",
  title: "Read text file",
  description: "Read a text file: all of it, or its first lines (head) or last lines (tail).",
  ...reading,
});

export const read_file = defineTool({
  name: "read_file",
  title: "Read file (deprecated)",
  description: "The older name of read_text_file: use that.",
  ...reading,
});

export const read_multiple_files = defineTool({
  name: "read_multiple_files",
  title: "Read several files",
  description: "Read several text files, each under its path. One that cannot be read does not stop the others.",
  ...base,
  input: z.object({ paths: z.array(z.string()).min(1).describe("Absolute, or relative to the root") }),
  aliases: { path: "paths", files: "paths" },
  async run(context, { paths }) {
    const parts: string[] = [];
    for (const path of paths) {
      try {
        parts.push(`${printable(path)}:\n${await textOf(context, path, {})}\n`);
      } catch (error) {
        context.call.deadline?.check();
        if (!(error instanceof Refusal)) throw error;
        parts.push(`${printable(path)}: Error - ${inWords(legibleFailure(error.failure), "")}`);
      }
    }
    return { content: parts.join("\n---\n") };
  },
});

/** With its own line ends, but for that of the last of the first lines. */
async function textOf(
  { session, call, warn }: ToolContext,
  path: string,
  { head = 0, tail = 0 }: Omit<z.output<typeof input>, "path">,
): Promise<string> {
  if (head > 0 && tail > 0)
    throw new Refusal("invalid_input", "`head` and `tail` cannot be given together.", {
      next: "Leave one of them out.",
    });
  const lines = tail === 0 ? 0 : (await session.read(path, { from: 1, to: 0 }, call)).lines;
  const last = tail === 0 ? undefined : { from: Math.max(1, lines - tail + 1), to: lines };
  const { body, notes } = await session.read(path, head > 0 ? { from: 1, to: head } : last, call);
  warn(...notes.map((note) => legible(note, path)));
  return displayable(head > 0 ? body.replace(/\r?\n$/, "") : body);
}
