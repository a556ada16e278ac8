// What a patch did to one file: as data, and in one line.
import * as z from "zod";
import { printable } from "../../core/printable.ts";
import { rebasedShape } from "./fields.ts";

export const changedFile = z.object({
  path: z.string(),
  operation: z.enum(["add", "update", "delete", "move"]),
  toPath: z.string().optional(),
  beforeSha256: z.string().optional(),
  afterSha256: z.string().optional(),
  diff: z.string(),
  trashedTo: z.string().optional(),
  ...rebasedShape,
});
export type ChangedFileData = z.output<typeof changedFile>;

const LETTERS = { add: "A", update: "M", delete: "D", move: "R" } as const;

export function changedLine(file: ChangedFileData): string {
  const { operation, path, toPath, beforeSha256, afterSha256, trashedTo } = file;
  if (operation === "update" && beforeSha256 === afterSha256)
    return `No change: ${printable(path)} reads so already, sha256=${afterSha256}`;
  const arrow = toPath === undefined ? "" : ` -> ${printable(toPath)}`;
  const version = afterSha256 === undefined ? "" : ` — sha256=${afterSha256}`;
  const trash = trashedTo === undefined ? "" : ` — in the trash as ${trashedTo}`;
  return `${LETTERS[operation]} ${printable(path)}${arrow}${version}${trash}`;
}
