// Fields that several tools of this surface share, and how a changed file fills them.
import { z } from "zod";
import type { ChangedFile } from "../../kernel/change/report.ts";
import { howMany } from "../answer/how-many.ts";
import { legibleDiff } from "../answer/legible.ts";

export const PATH_ALIASES = { file_path: "path", filePath: "path", filename: "path" } as const;
export const SHA_ALIASES = { expected_sha256: "expectedSha256", sha256: "expectedSha256" } as const;

export const pathField = z.string().describe("Relative to the workspace root, or absolute");

const SHA = /^[0-9a-f]{64}$/;

/** "" says that no file is expected; it is a proof like any other, and models are not shown it. */
export const shaField = z
  .string()
  .refine((given) => given === "" || SHA.test(given), {
    error: "must be the 64 lowercase hex digits of a sha256",
  })
  .meta({ description: "sha256 from read_file", pattern: SHA.source });

export const onStaleField = z
  .enum(["reject", "rebase"])
  .optional()
  .describe("If the file changed since: reject, or rebase = apply to the newer version where exact");

/** Only there when the change was applied to a newer version than the one named. */
export const rebasedShape = {
  rebased: z.literal(true).optional(),
  baseSha256: z.string().optional(),
  otherDiff: z.string().optional(),
};

export function rebasedFields({ rebased }: ChangedFile): { rebased?: true; baseSha256?: string; otherDiff?: string } {
  if (rebased === undefined) return {};
  const { base, theirDiff } = rebased;
  return {
    rebased: true,
    baseSha256: base,
    ...(theirDiff !== undefined && { otherDiff: legibleDiff(theirDiff) }),
  };
}

/** What is told of a file that was written or edited. */
export const changedShape = {
  path: z.string(),
  beforeSha256: z.string(),
  afterSha256: z.string(),
  sizeBytes: z.int(),
  diff: z.string(),
  ...rebasedShape,
};

export function changedFields(file: ChangedFile) {
  return {
    path: file.path,
    beforeSha256: file.before!,
    afterSha256: file.after!,
    sizeBytes: file.size,
    diff: diffOf(file),
    ...rebasedFields(file),
  };
}

export function diffOf(file: ChangedFile): string {
  return legibleDiff(file.diff.text);
}

/** For a list that was cut: how many there are, as far as that is known, and how to see them. */
export function moreThere(
  amount: Parameters<typeof howMany>[0],
  what: string,
  shown: number,
  maxResults: number,
): string {
  const many = howMany(amount);
  // Fewer than were asked for: an answer has no room for more.
  const raise = shown < maxResults ? `; one answer has room for ${shown}` : " or raise maxResults";
  return `There are more${many === undefined ? "" : ` (${many} in all)`}: narrow the ${what}${raise}.`;
}

/** As far as it is known. */
export function amountOf({ total, atLeast }: { readonly total?: number; readonly atLeast?: number }) {
  return { ...(total !== undefined && { total }), ...(atLeast !== undefined && { atLeast }) };
}

export function typeOf(kind: string): "file" | "directory" | "symlink" | undefined {
  if (kind === "link") return "symlink";
  return kind === "file" || kind === "directory" ? kind : undefined;
}

export function isoTime(mtimeMs: number): string {
  return new Date(mtimeMs).toISOString();
}
