// move_file: another name for a file, never over a file by accident.
import * as z from "zod";
import { printable } from "../../../core/printable.ts";
import { defineTool } from "../../tool.ts";
import {
  PARENT_ALIASES,
  parentsField,
  pathField,
  pathIn,
  proofFor,
  SHA_ALIASES,
  shaField,
  trashIdOf,
} from "../fields.ts";

export const move_file = defineTool({
  name: "move_file",
  title: "Move file",
  description: "Move or rename a file. Fails if the destination exists.",
  effect: "destroy",
  actions: ["move"],
  input: z.object({
    fromPath: pathField,
    toPath: pathField,
    expectedSha256: shaField,
    createParentDirectories: parentsField,
    overwrite: z.boolean().default(false).describe("Put a file at the destination into the trash"),
  }),
  aliases: {
    ...SHA_ALIASES,
    ...PARENT_ALIASES,
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
    sha256: z.string().optional(),
    sizeBytes: z.int(),
    overwroteTrashedTo: z.string().optional(),
  }),
  refused: "Move rejected, nothing moved.",
  async run({ session, call, warn }, { fromPath, toPath, expectedSha256, createParentDirectories, overwrite }) {
    const options = { ...call, expectedSha256, overwrite, createParents: createParentDirectories };
    const [from, to] = [pathIn(session, fromPath), pathIn(session, toPath)];
    const { files, entry, warnings } = await session.move(from, to, options);
    warn(...warnings);
    const [source, arrived] = files;
    const sha256 = proofFor(arrived!, entry);
    const overwrote = arrived!.before === null ? undefined : await trashIdOf(session, entry, arrived!.path);
    return {
      moved: true as const,
      fromPath: source!.path,
      toPath: arrived!.path,
      ...(sha256 !== undefined && { sha256 }),
      sizeBytes: arrived!.size,
      ...(overwrote !== undefined && { overwroteTrashedTo: overwrote }),
    };
  },
  text({ fromPath, toPath, sha256, overwroteTrashedTo }) {
    const replaced =
      overwroteTrashedTo === undefined ? "" : `; what was there is in the trash as ${overwroteTrashedTo}`;
    const version = sha256 === undefined ? ", a symbolic link" : `, sha256=${sha256}`;
    return `Moved ${printable(fromPath)} to ${printable(toPath)}${version}${replaced}`;
  },
});
