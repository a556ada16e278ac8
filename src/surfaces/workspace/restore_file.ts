// restore_file: a deleted file back from the trash of this workspace, never over another.
import { z } from "zod";
import { restore } from "../../kernel/history/trash.ts";
import { defineTool } from "../tool.ts";
import { printed, relativeOnly } from "./paths.ts";

export const restore_file = defineTool({
  name: "restore_file",
  title: "Restore file",
  description: "Bring a deleted file back. Fails if its place is taken.",
  effect: "write",
  actions: ["restore"],
  input: z.object({
    trashedPath: z.string().describe("trashedTo of delete_file, an id of list_trash, or the old path"),
    targetPath: z.string().optional().describe("Where to, if not to its old path"),
  }),
  aliases: {
    trashedTo: "trashedPath",
    trashId: "trashedPath",
    trash_id: "trashedPath",
    trashed_path: "trashedPath",
    id: "trashedPath",
    path: "trashedPath",
    toPath: "targetPath",
    target_path: "targetPath",
  },
  output: z.object({
    restored: z.literal(true),
    path: z.string(),
    from: z.string(),
    sha256: z.string(),
    sizeBytes: z.int(),
  }),
  refused: "Nothing was restored.",
  async run({ session, call, warn }, { trashedPath, targetPath }) {
    const idOrPath = /^\d+(\.\d+)?$/.test(trashedPath) ? trashedPath : await oldPath(trashedPath);
    const to = targetPath === undefined ? {} : { to: relativeOnly(targetPath) };
    const { files, from, warnings } = await restore(session, idOrPath, { ...call, ...to });
    warn(...warnings);
    const [file] = files;
    return { restored: true as const, path: file!.path, from: from.id, sha256: file!.after!, sizeBytes: file!.size };

    async function oldPath(raw: string): Promise<string> {
      return (await session.workspace.backend.resolve(relativeOnly(raw), { link: true })).path;
    }
  },
  text: ({ path, sizeBytes, sha256 }) => `Restored ${printed(path)} — ${sizeBytes} bytes, sha256=${sha256}`,
});
