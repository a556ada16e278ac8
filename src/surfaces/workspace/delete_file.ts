// delete_file: to the trash, or for good.
import { z } from "zod";
import type { Proof } from "../../kernel/gate.ts";
import { purge } from "../../kernel/history/trash.ts";
import { deleteFile } from "../../kernel/verbs.ts";
import { defineTool } from "../tool.ts";
import { diffOf, PATH_ALIASES, pathField, SHA_ALIASES, shaField } from "./fields.ts";
import { printed, relativeOnly } from "./paths.ts";
import { trashIdOf } from "./trash.ts";

export const delete_file = defineTool({
  name: "delete_file",
  title: "Delete file",
  description: "Delete a file; restore_file brings it back unless permanent. Not for directories.",
  effect: "destroy",
  actions: ["delete"],
  input: z.object({
    path: pathField,
    expectedSha256: shaField.optional(),
    permanent: z.boolean().default(false).describe("Not into the trash; needs expectedSha256 or a read of the file"),
  }),
  aliases: { ...PATH_ALIASES, ...SHA_ALIASES },
  output: z.object({
    deleted: z.literal(true),
    path: z.string(),
    beforeSha256: z.string(),
    sizeBytes: z.int(),
    diff: z.string(),
    permanent: z.boolean(),
    trashedTo: z.string().optional(),
  }),
  refused: "Delete rejected, file unchanged.",
  async run({ session, call, warn }, { path: raw, expectedSha256, permanent }) {
    const path = relativeOnly(raw);
    if (permanent) await session.resolve(path, "purge", call);
    const proof = proofOf(expectedSha256, permanent);
    const { files, entry, warnings } = await deleteFile(session, path, { ...call, proof, details: { permanent } });
    warn(...warnings);
    const [file] = files;
    const trashedTo = await trashIdOf(session, entry, file!.path);
    if (permanent && trashedTo !== undefined) await purge(session, trashedTo);
    return {
      deleted: true as const,
      path: file!.path,
      beforeSha256: file!.before!,
      sizeBytes: entry?.changes[0]?.fromSize ?? 0,
      diff: diffOf(file!),
      permanent,
      ...(!permanent && trashedTo !== undefined && { trashedTo }),
    };
  },
  text({ path, permanent, trashedTo }) {
    if (permanent) return `Deleted ${printed(path)} for good`;
    return `Deleted ${printed(path)} — restore_file with trashedPath ${JSON.stringify(trashedTo)} brings it back`;
  },
});

/** What goes to the trash can be brought back, so a proof may be missing; what goes for good must have been seen. */
function proofOf(sha256: string | undefined, permanent: boolean): Proof {
  if (sha256 !== undefined) return { by: "sha256", sha256 };
  return permanent ? { by: "session" } : { by: "waived" };
}
