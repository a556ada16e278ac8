// create_file: a new file; never over one that is there.
import * as z from "zod";
import { printable } from "../../../core/printable.ts";
import { plural } from "../../../words/plural.ts";
import { damageIn } from "../../shared/damage.ts";
import { shownDiff } from "../../shared/legible.ts";
import { defineTool } from "../../tool.ts";
import { PARENT_ALIASES, PATH_ALIASES, parentsField, pathField } from "../fields.ts";
import { pathIn } from "../paths.ts";

export const create_file = defineTool({
  name: "create_file",
  title: "Create file",
  description: "Create a new file with exactly this content. Fails if the path exists.",
  effect: "write",
  additive: true,
  actions: ["create"],
  input: z.object({
    path: pathField,
    content: z.string(),
    createParentDirectories: parentsField,
  }),
  aliases: { ...PATH_ALIASES, ...PARENT_ALIASES },
  output: z.object({
    created: z.literal(true),
    path: z.string(),
    sha256: z.string(),
    sizeBytes: z.int(),
    diff: z.string(),
  }),
  refused: "Create rejected, nothing written.",
  async run({ session, call, warn }, { path, content, createParentDirectories }) {
    const options = { ...call, createParents: createParentDirectories };
    const { files, warnings } = await session.create(pathIn(session, path), content, options);
    warn(...warnings, ...(await damageIn(session, files)));
    const [file] = files;
    return {
      created: true as const,
      path: file!.path,
      sha256: file!.after!,
      sizeBytes: file!.size,
      diff: shownDiff(file!),
    };
  },
  text: ({ path, sizeBytes, sha256 }) => `Created ${printable(path)} — ${plural(sizeBytes, "byte")}, sha256=${sha256}`,
});
