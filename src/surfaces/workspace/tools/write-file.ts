// write_file: a whole new content for a file that exists.
import * as z from "zod";
import { printable } from "../../../core/printable.ts";
import type { Current } from "../../../kernel/change/plan.ts";
import { plural } from "../../../words/plural.ts";
import { changeFile, formNotes } from "../../shared/change.ts";
import { defineTool } from "../../tool.ts";
import {
  changedFields,
  changedShape,
  onStaleField,
  PATH_ALIASES,
  pathField,
  SHA_ALIASES,
  shaField,
} from "../fields.ts";
import { pathIn } from "../paths.ts";

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
    const write = (now: Current) => ({ next: { body: content }, notes: formNotes(now, content) });
    return changedFields(await changeFile(context, target, write, onStale && { onStale }));
  },
  text({ path, beforeSha256, afterSha256, sizeBytes, diff }) {
    if (beforeSha256 === afterSha256)
      return `No change: your content changes nothing in ${printable(path)}, sha256=${afterSha256}`;
    return `Wrote ${printable(path)} — ${plural(sizeBytes, "byte")}, sha256=${afterSha256}\n${diff}`;
  },
});
