// create_file: a new file, never over one that is there. write_file: a whole new content for one that exists.
import * as z from "zod";
import { printable } from "../../../core/printable.ts";
import { plural } from "../../../words/plural.ts";
import { changeFile } from "../../shared/change.ts";
import { damageIn } from "../../shared/damage.ts";
import { shownDiff } from "../../shared/legible.ts";
import { defineTool } from "../../tool.ts";
import {
  changedFields,
  changedShape,
  onStaleField,
  PARENT_ALIASES,
  PATH_ALIASES,
  parentsField,
  pathField,
  pathIn,
  SHA_ALIASES,
  shaField,
} from "../fields.ts";

export const write_file = defineTool({
  name: "write_file",
  title: "Write file",
  description: "Overwrite an existing file. Its byte order mark, encoding and line endings are kept.",
  effect: "write",
  actions: ["write"],
  input: z.object({ path: pathField, content: z.string(), expectedSha256: shaField, onStale: onStaleField }),
  aliases: { ...PATH_ALIASES, ...SHA_ALIASES },
  output: z.object(changedShape),
  refused: "Write rejected, file unchanged.",
  async run(context, { path, content, expectedSha256, onStale }) {
    const proof = { by: "sha256", sha256: expectedSha256 } as const;
    const target = { path: pathIn(context.session, path), proof, action: "write" } as const;
    const write = () => ({ next: { body: content } });
    return changedFields(await changeFile(context, target, write, onStale && { onStale }));
  },
  text({ path, beforeSha256, afterSha256, sizeBytes, diff }) {
    if (beforeSha256 === afterSha256)
      return `No change: your content changes nothing in ${printable(path)}, sha256=${afterSha256}`;
    return `Wrote ${printable(path)} — ${plural(sizeBytes, "byte")}, sha256=${afterSha256}\n${diff}`;
  },
});

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
