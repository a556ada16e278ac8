// restore_file: a deleted file back from the trash of this workspace, never over another.
import * as z from "zod";
import { printable } from "../../../core/printable.ts";
import { findTrashed, listTrash, looksLikeId, restore } from "../../../kernel/history/trash.ts";
import { plural } from "../../../words/plural.ts";
import { defineTool, type ToolContext } from "../../tool.ts";
import { proofFor } from "../fields.ts";
import { pathIn } from "../paths.ts";

export const restore_file = defineTool({
  name: "restore_file",
  title: "Restore file",
  description: "Bring a deleted file back. Fails if its place is taken.",
  effect: "write",
  additive: true,
  actions: ["restore"],
  input: z.object({
    trashedPath: z.string().describe("trashedTo of delete_file, or an id of list_trash, or the old path"),
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
    sha256: z.string().optional(),
    sizeBytes: z.int(),
  }),
  refused: "Nothing was restored.",
  async run(context, { trashedPath, targetPath }) {
    const { session, call, warn } = context;
    const idOrPath = await trashedAs(context, trashedPath);
    const to = targetPath === undefined ? {} : { to: pathIn(session, targetPath) };
    const { files, from, entry, warnings } = await restore(session, idOrPath, { ...call, ...to });
    warn(...warnings);
    const [file] = files;
    const sha256 = proofFor(file!, entry);
    const version = sha256 === undefined ? {} : { sha256 };
    return { restored: true as const, path: file!.path, from: from.id, ...version, sizeBytes: file!.size };
  },
  text: ({ path, sizeBytes, sha256 }) =>
    `Restored ${printable(path)} — ${sha256 === undefined ? "a symbolic link" : `${plural(sizeBytes, "byte")}, sha256=${sha256}`}`,
});

/** A number is an id, also where a deleted file has that name: then `./` before it means the file. */
async function trashedAs({ session, warn }: ToolContext, raw: string): Promise<string> {
  const { path } = await session.workspace.backend.resolve(pathIn(session, raw), { link: true, existed: true });
  const byPath = await firstOf(listTrash(session.workspace, { path }));
  if (byPath === undefined) return raw;
  if (!looksLikeId(raw)) return byPath.id;
  const { id } = await findTrashed(session.workspace, raw);
  if (id !== byPath.id)
    warn(`${raw} was taken as an id. The deleted file of that name is in the trash as ${byPath.id}.`);
  return id;
}

async function firstOf<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of items) return item;
  return undefined;
}
