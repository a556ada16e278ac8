// What several tools of this surface share: fields of input and result, paths, ids of the trash.
import * as z from "zod";
import type { Path } from "../../core/backend.ts";
import { type Entry, LINK_MODE } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { splitPath } from "../../core/paths.ts";
import { printable, shown } from "../../core/printable.ts";
import type { ChangedFile } from "../../kernel/change/report.ts";
import { listTrash } from "../../kernel/history/trash.ts";
import type { Session } from "../../kernel/session.ts";
import { legibleDiff, shownDiff } from "../shared/legible.ts";

export const PATH_ALIASES = { file_path: "path", filePath: "path", filename: "path" } as const;
export const SHA_ALIASES = { expected_sha256: "expectedSha256", sha256: "expectedSha256" } as const;

export const PARENT_ALIASES = {
  createParents: "createParentDirectories",
  create_parents: "createParentDirectories",
} as const;

export const pathField = z.string().describe("Path in the workspace");

export const parentsField = z.boolean().default(false).describe("Make missing parents");

const SHA = /^[0-9a-f]{64}$/;

/** "" says that no file is expected; it is a proof like any other, and models are not shown it. */
export const shaField = z
  .string()
  .refine((given) => given === "" || SHA.test(given), {
    error: "must be the 64 lowercase hex digits of a sha256",
  })
  .meta({ description: "sha256 of the file, as reading it gave", pattern: SHA.source });

export const onStaleField = z
  .enum(["reject", "rebase"])
  .optional()
  .describe("If the file changed since: reject, or rebase = merge into the newer version");

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
    diff: shownDiff(file),
    ...rebasedFields(file),
  };
}

/** What the next change must name as its proof. Not the sha256 of a link itself: a change is checked against the file behind it. */
export function proofFor({ path, after }: ChangedFile, entry: Entry | undefined): string | undefined {
  const isLink = entry?.changes.some((change) => change.path === path && change.toMode === LINK_MODE);
  return after === null || isLink ? undefined : after;
}

/** For a list that was cut: how many there are, where that is known, and how to see them. `usual`: as of searchBytes. */
export function moreThere(
  total: number | undefined,
  { what, shown, maxResults, usual }: { what: string; shown: number; maxResults: number; usual: number },
  next?: number,
): string {
  const goOn = next === undefined ? "" : `go on with offset ${next}, `;
  // Fewer than were asked for: an answer has no room for more.
  const full = maxResults > usual ? `; one answer has room for ${shown}` : ` or raise maxResults above ${usual}`;
  const raise = shown < maxResults ? full : " or raise maxResults";
  return `There are more${total === undefined ? "" : ` (${total} in all)`}: ${goOn}narrow the ${what}${raise}.`;
}

export function typeOf(kind: string): "file" | "directory" | "symlink" | undefined {
  if (kind === "link") return "symlink";
  return kind === "file" || kind === "directory" ? kind : undefined;
}

export function isoTime(mtimeMs: number): string {
  return new Date(mtimeMs).toISOString();
}

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

/** Relative from here on, so that answers and refusals name no other. */
export function pathIn({ workspace: { backend } }: Session, raw: string): string {
  if (backend.directory !== undefined || !splitPath(raw).absolute) return backend.relative?.(raw) ?? raw;
  throw new Refusal("outside_workspace", `${shown(raw)} is an absolute path.`, {
    path: raw,
    next: "Use a path relative to the root of the workspace.",
  });
}

/** A directory to start from: "" and "." are the root. */
export function directoryIn(session: Session, raw: string): string {
  return raw.trim() === "" ? "." : pathIn(session, raw);
}

/** The id under which what `entry` took from `path` can be restored. */
export async function trashIdOf(session: Session, entry: Entry | undefined, path: Path): Promise<string | undefined> {
  if (entry === undefined) return undefined;
  try {
    for await (const { id } of listTrash(session.workspace, { path })) {
      const seq = Number.parseInt(id, 10);
      if (seq === entry.seq) return id;
      if (seq < entry.seq) return undefined;
    }
  } catch (error) {
    // The change has happened: that its id cannot be told must not look as if it were refused.
    if (!(error instanceof Refusal)) throw error;
  }
  return undefined;
}
