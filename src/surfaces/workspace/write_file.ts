// write_file: a whole new content for a file that exists.
import { z } from "zod";
import type { ChangedFile } from "../../kernel/report.ts";
import { writeFile } from "../../kernel/verbs.ts";
import { printable } from "../legible.ts";
import { defineTool } from "../tool.ts";
import { changedFields, changedShape, onStaleField, PATH_ALIASES, pathField, SHA_ALIASES, shaField } from "./fields.ts";
import { relativeOnly } from "./paths.ts";

export const write_file = defineTool({
  name: "write_file",
  title: "Write file",
  description: "Overwrite an existing file. Its byte order mark, encoding and line ends are kept.",
  effect: "write",
  actions: ["write"],
  input: z.object({ path: pathField, content: z.string(), expectedSha256: shaField, onStale: onStaleField }),
  aliases: { ...PATH_ALIASES, ...SHA_ALIASES },
  output: z.object(changedShape),
  refused: "Write rejected, file unchanged.",
  async run({ session, call, warn }, { path, content, expectedSha256, onStale }) {
    const options = { ...call, expectedSha256, ...(onStale !== undefined && { onStale }) };
    const { files, warnings } = await writeFile(session, relativeOnly(path), content, options);
    warn(...warnings);
    const [file] = files;
    if (lostCr(file!)) warn(`${file!.path} had different line ends; all its lines end in LF now.`);
    return changedFields(file!);
  },
  text({ path, beforeSha256, afterSha256, sizeBytes, diff }) {
    if (beforeSha256 === afterSha256)
      return `No change: ${printable(path)} has this content already, sha256=${afterSha256}`;
    return `Wrote ${printable(path)} — ${sizeBytes} bytes, sha256=${afterSha256}\n${diff}`;
  },
});

/** Uniform line ends are kept; of mixed ones nobody can say which line of the new content had which. */
function lostCr({ beforeText, afterText }: ChangedFile): boolean {
  if (beforeText == null || afterText == null) return false;
  return beforeText.includes("\r") && afterText.includes("\n") && !afterText.includes("\r");
}
