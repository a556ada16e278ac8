// Write: a new file, or a whole new text for one that this session has read.
import * as z from "zod";
import { Refusal } from "../../../core/failure.ts";
import { printable, shown } from "../../../core/printable.ts";
import type { Session } from "../../../kernel/session.ts";
import { changeFile, overwriteNotes, wholeText } from "../../shared/change.ts";
import { defineTool } from "../../tool.ts";
import { filePath, PATH_ALIASES } from "../words.ts";

export const write = defineTool({
  name: "Write",
  title: "Write a file",
  description:
    "Creates a file, with the directories it needs, or overwrites one that was read or written in this session.",
  effect: "write",
  actions: ["write"],
  input: z.object({ file_path: filePath, content: z.string().describe("The whole text; may be empty.") }),
  aliases: PATH_ALIASES,
  output: z.object({
    path: z.string(),
    bytes: z.int().describe("Size of the file now."),
    created: z.boolean(),
    sha256: z.string(),
  }),
  refused: "Nothing was written.",
  async run(context, { file_path: path, content }) {
    const target = { path, proof: { by: "session", changed: "warn" }, action: "write", createParents: true } as const;
    const file = await changeFile(context, target, async (now) => {
      if (now.version === null) await refuseDangling(context.session, path);
      const gone = now.version === null ? await context.session.ledger.get(now.path) : undefined;
      const { next, notes } = wholeText(now, content);
      return { next, notes: [...(await overwriteNotes(context.session, now, gone)), ...notes] };
    });
    return { path: file.path, bytes: file.size, created: file.before === null, sha256: file.after! };
  },
  text: ({ bytes }, { file_path }) => `wrote ${bytes} bytes to ${printable(file_path)}`,
});

/** A link that leads nowhere would put the file in a place that the caller did not name. */
async function refuseDangling({ workspace }: Session, path: string): Promise<void> {
  if ((await workspace.backend.resolve(path, { link: true })).kind !== "link") return;
  throw new Refusal("invalid_path", `${shown(path)} is a symbolic link that leads nowhere.`, {
    path,
    next: "Write to the path of the file itself.",
  });
}
