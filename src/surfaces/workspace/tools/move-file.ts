// move_file: another name for a file, never over a file by accident.
import { z } from "zod";
import { printable } from "../../../core/printable.ts";
import { moveFile } from "../../../kernel/verbs.ts";
import { defineTool } from "../../tool.ts";
import { pathField, SHA_ALIASES, shaField } from "../fields.ts";
import { pathIn } from "../paths.ts";
import { trashIdOf } from "../trash.ts";

export const move_file = defineTool({
  name: "move_file",
  title: "Move file",
  description: "Move or rename a file. Fails if the destination exists or its directory is missing.",
  effect: "destroy",
  actions: ["move"],
  input: z.object({
    fromPath: pathField,
    toPath: pathField,
    expectedSha256: shaField,
    overwrite: z.boolean().default(false).describe("Put a file at the destination into the trash"),
  }),
  aliases: {
    ...SHA_ALIASES,
    from: "fromPath",
    from_path: "fromPath",
    path: "fromPath",
    to: "toPath",
    to_path: "toPath",
  },
  output: z.object({
    moved: z.literal(true),
    fromPath: z.string(),
    toPath: z.string(),
    sha256: z.string(),
    sizeBytes: z.int(),
    overwroteTrashedTo: z.string().optional(),
  }),
  refused: "Move rejected, nothing moved.",
  async run({ session, call, warn }, { fromPath, toPath, expectedSha256, overwrite }) {
    const options = { ...call, expectedSha256, overwrite };
    const [from, to] = [pathIn(session, fromPath), pathIn(session, toPath)];
    const { files, entry, warnings } = await moveFile(session, from, to, options);
    warn(...warnings);
    const [source, arrived] = files;
    const overwrote = arrived!.before === null ? undefined : await trashIdOf(session, entry, arrived!.path);
    return {
      moved: true as const,
      fromPath: source!.path,
      toPath: arrived!.path,
      sha256: arrived!.after!,
      sizeBytes: arrived!.size,
      ...(overwrote !== undefined && { overwroteTrashedTo: overwrote }),
    };
  },
  text({ fromPath, toPath, sha256, overwroteTrashedTo }) {
    const replaced =
      overwroteTrashedTo === undefined ? "" : `; what was there is in the trash as ${overwroteTrashedTo}`;
    return `Moved ${printable(fromPath)} to ${printable(toPath)}, sha256=${sha256}${replaced}`;
  },
});
