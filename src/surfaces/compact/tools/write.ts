// Write: a whole new file, or a whole new content for one. Never gated; what it replaces is kept.
import * as z from "zod";
import { printable } from "../../../core/printable.ts";
import { splitLines } from "../../../edit/text/lines.ts";
import type { Current } from "../../../kernel/change/plan.ts";
import { deadlineOf } from "../../../kernel/progress.ts";
import { plural } from "../../../words/plural.ts";
import { changeFile, overwriteNotes, wholeText } from "../../shared/change.ts";
import { defineTool } from "../../tool.ts";
import { type Linter, lintField, lintSchema, lintText } from "../lint.ts";
import { absolutePath, nativePath } from "../paths.ts";

const output = z.object({
  metadata: z.object({
    path: z.string(),
    size: z.number(),
    lines: z.number(),
    operation: z.enum(["create", "update"]),
    bytes_written: z.number(),
  }),
  lint: lintSchema.optional(),
});

export const writeTool = (linter?: Linter) =>
  defineTool({
    name: "Write",
    title: "Write a file",
    description: "Create or overwrite a file. Parent directories are created.",
    effect: "write",
    actions: ["write"],
    input: z.object({
      file_path: z.string().describe("Absolute path, or relative to the workspace"),
      content: z.string().describe("Full file content"),
      create_dirs: z.boolean().default(true).describe("Create missing parent directories"),
      encoding: z.string().optional().describe("Encoding to write; the file's own, else utf-8"),
      atomic: z.boolean().default(true).describe("Every write is atomic, whatever is given here"),
    }),
    hidden: ["create_dirs", "encoding", "atomic"],
    aliases: { path: "file_path", filePath: "file_path", text: "content", contents: "content" },
    output,
    refused: "Write rejected, nothing was written.",
    async run(context, { file_path, content, create_dirs, encoding }) {
      const { session, call } = context;
      const deadline = deadlineOf(session, call);
      const proof = { by: session.workspace.strict ? "session" : "waived" } as const;
      const target = { path: nativePath(file_path), proof, action: "write", createParents: create_dirs } as const;
      const write = async (now: Current) => {
        const unseen = await overwriteNotes(session, now, await session.ledger.get(now.path));
        const { next, notes } = wholeText(now, content, encoding);
        return { next, notes: [...unseen, ...notes] };
      };
      const file = await changeFile(context, target, write, { linted: linter !== undefined });
      return {
        metadata: {
          path: absolutePath(session, file.path),
          size: file.size,
          lines: splitLines(content).length,
          operation: file.before === null ? ("create" as const) : ("update" as const),
          bytes_written: file.size,
        },
        ...(await lintField(linter, file, context, deadline)),
      };
    },
    text({ metadata: { path, lines, size, operation }, lint }) {
      const done = operation === "create" ? "Created" : "Updated";
      return `${done} ${printable(path)} (${plural(lines, "line")}, ${plural(size, "byte")}).${lintText(lint)}`;
    },
  });
