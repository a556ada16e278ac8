// write_file and edit_file: files are changed as they are, but never over what another has changed since they were read.
import * as z from "zod";
import { printable } from "../../../core/printable.ts";
import { changeFile, wholeText } from "../../shared/change.ts";
import { editedInTurn } from "../../shared/edits.ts";
import { shownDiff } from "../../shared/legible.ts";
import { defineTool } from "../../tool.ts";
import { ALIASES, AS_SEEN, absolute, pathField, words } from "../fixed.ts";

export const write_file = defineTool({
  name: "write_file",
  title: "Write file",
  description: "Create a file, or replace all of it. What was there before is kept and can be restored.",
  effect: "write",
  actions: ["write"],
  input: z.object({ path: pathField, content: z.string().describe("The whole text") }),
  aliases: { ...ALIASES, text: "content", contents: "content" },
  ...words,
  refused: "Nothing was written.",
  async run(context, { path, content }) {
    // Where there are no directories without files, they come with their first one.
    const createParents = context.session.workspace.backend.makeDirectory === undefined;
    await changeFile(context, { path, proof: AS_SEEN, action: "write", createParents }, (now) =>
      wholeText(now, content),
    );
    return { content: `Successfully wrote to ${printable(path)}` };
  },
});

const edit = z.object({
  oldText: z.string().describe("Text to replace; only one place may have it"),
  newText: z.string().describe("What takes its place"),
});

export const edit_file = defineTool({
  name: "edit_file",
  title: "Edit file",
  description:
    "Replace text in a file: one edit after the other, each on what the one before it left. Blanks and indentation of whole lines may differ. Returns the diff.",
  effect: "write",
  actions: ["edit"],
  input: z.object({
    path: pathField,
    edits: z.array(edit).min(1),
    dryRun: z.boolean().default(false).describe("Only show the diff"),
  }),
  aliases: { ...ALIASES, old_text: "oldText", new_text: "newText", old_string: "oldText", new_string: "newText" },
  reads: ({ dryRun }) => dryRun,
  ...words,
  refused: "Edit rejected, file unchanged.",
  async run(context, { path, edits, dryRun }) {
    const target = { path, proof: AS_SEEN, action: "edit" } as const;
    const file = await changeFile(context, target, (now) => editedInTurn(context, now, edits), { dryRun });
    return { content: diffBlock(absolute(context.session, file.path), shownDiff(file)) };
  },
});

/** In a fence that is longer than any in it. */
function diffBlock(path: string, diff: string): string {
  const lines = diff.replace(/^--- .*\n\+\+\+ .*\n/, "");
  const fence = "`".repeat(Math.max(3, ...[...lines.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  const name = printable(path);
  const head = `Index: ${name}\n${"=".repeat(67)}\n--- ${name}\toriginal\n+++ ${name}\tmodified\n`;
  return `${fence}diff\n${head}${lines}${fence}\n\n`;
}
