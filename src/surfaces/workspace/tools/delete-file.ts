// delete_file: to the trash, or for good.
import * as z from "zod";
import { Refusal } from "../../../core/failure.ts";
import { printable } from "../../../core/printable.ts";
import type { Proof } from "../../../kernel/change/gate.ts";
import { purge } from "../../../kernel/history/purge.ts";
import { shownDiff } from "../../shared/legible.ts";
import { defineTool, type ToolContext } from "../../tool.ts";
import { PATH_ALIASES, pathField, pathIn, SHA_ALIASES, shaField, trashIdOf } from "../fields.ts";

export const delete_file = defineTool({
  name: "delete_file",
  title: "Delete file",
  description: "Delete a file: it goes to the trash unless permanent. Not for directories.",
  effect: "destroy",
  actions: ["delete"],
  input: z.object({
    path: pathField,
    expectedSha256: shaField.optional(),
    permanent: z
      .boolean()
      .default(false)
      .describe("Not into the trash; needs expectedSha256 or a read of the file. Older versions stay"),
  }),
  aliases: { ...PATH_ALIASES, ...SHA_ALIASES },
  output: z.object({
    deleted: z.literal(true),
    path: z.string(),
    beforeSha256: z.string(),
    sizeBytes: z.int(),
    diff: z.string(),
    permanent: z.boolean(),
    bytesStillKept: z.literal(true).optional(),
    trashedTo: z.string().optional(),
  }),
  refused: "Delete rejected, file unchanged.",
  async run(context, { path: raw, expectedSha256, permanent }) {
    const { session, call, warn } = context;
    const path = pathIn(session, raw);
    if (permanent) await session.resolve(path, "purge", call);
    const proof = proofOf(expectedSha256, permanent);
    const options = { ...call, proof, details: { permanent } };
    const { files, entry, warnings } = await session.delete(path, options);
    warn(...warnings);
    const [file] = files;
    const trashedTo = await trashIdOf(session, entry, file!.path);
    const gone = permanent ? await purged(context, trashedTo) : { permanent };
    return {
      deleted: true as const,
      path: file!.path,
      beforeSha256: file!.before!,
      sizeBytes: entry?.changes[0]?.fromSize ?? 0,
      diff: shownDiff(file!),
      ...gone,
      ...(!gone.permanent && trashedTo !== undefined && { trashedTo }),
    };
  },
  text({ path, permanent, bytesStillKept, trashedTo }) {
    if (bytesStillKept) return `Deleted ${printable(path)}, not into the trash`;
    if (permanent) return `Deleted ${printable(path)} for good`;
    if (trashedTo === undefined) return `Deleted ${printable(path)}`;
    return `Deleted ${printable(path)} — restore_file with trashedPath ${JSON.stringify(trashedTo)} brings it back`;
  },
});

interface Gone {
  readonly permanent: boolean;
  readonly bytesStillKept?: true;
}

/** The file is deleted by now: what stands in the way of the rest is told, not refused. */
async function purged({ session, call, warn }: ToolContext, id: string | undefined): Promise<Gone> {
  try {
    if (id === undefined) throw new Refusal("not_found", "It cannot be found there.");
    const { purged: item, stillKept } = await purge(session, id, call);
    if (!stillKept) return { permanent: true };
    warn(`The bytes of ${printable(item.path)} are still kept, because ${NEEDED_BY} needs them.`);
    return { permanent: true, bytesStillKept: true };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    warn(`It was deleted, but it is still in the trash: ${error.failure.message}`);
    return { permanent: false };
  }
}

const NEEDED_BY = "another file, an older version, another deletion or an open checkpoint";

/** What goes to the trash can be brought back, so a proof may be missing; what goes for good must have been seen. */
function proofOf(sha256: string | undefined, permanent: boolean): Proof {
  if (sha256 !== undefined) return { by: "sha256", sha256 };
  return permanent ? { by: "session" } : { by: "waived" };
}
