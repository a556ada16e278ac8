// The surface `workspace`: file tools gated by sha256, with audit log and trash.
import type { WorkspaceCalls } from "../calls.ts";
import type { Surface, Typed } from "../tool.ts";
import { apply_patch } from "./tools/apply-patch.ts";
import { audit_log } from "./tools/audit-log.ts";
import { delete_file } from "./tools/delete-file.ts";
import { edit_file, edit_file_by_session } from "./tools/edit-file.ts";
import { glob } from "./tools/glob.ts";
import { list_directory } from "./tools/list-directory.ts";
import { move_file } from "./tools/move-file.ts";
import { read_file } from "./tools/read-file.ts";
import { list_trash, restore_file } from "./tools/restore-file.ts";
import { search_files } from "./tools/search-files.ts";
import { create_file, write_file } from "./tools/write-file.ts";
import { WORDS } from "./words.ts";

const reading = [read_file, list_directory, search_files, glob] as const;
const rest = [delete_file, restore_file, move_file, apply_patch, audit_log, list_trash] as const;

const tools = [...reading, create_file, write_file, edit_file, ...rest] as const;
export type WorkspaceTools = typeof tools;

const CHANGING = tools.filter(({ effect }) => effect !== "read");

/** Without what is not offered. */
function guidanceFor(offered: ReadonlySet<string>): string {
  const changes = CHANGING.some(({ name }) => offered.has(name));
  const inPatch = offered.has("apply_patch") ? " (apply_patch: expectedSha256ByPath)" : "";
  const lines = [
    changes &&
      `To change a file: read_file, then pass its sha256 as expectedSha256${inPatch}. Every result gives the new sha256 for the next change.`,
    changes &&
      "stale_file means that the file is no longer what you read: look at the difference, read_file again, and redo your change on what is there now.",
    [
      offered.has("restore_file") && "Deleted files are in the trash: list_trash, then restore_file.",
      offered.has("audit_log") && "audit_log tells who changed what.",
      "Relative paths start at the workspace root.",
    ]
      .filter(Boolean)
      .join(" "),
  ];
  return lines.filter(Boolean).join("\n");
}

const common = {
  name: "workspace",
  title: "Workspace files",
  guidance: guidanceFor(new Set(tools.map(({ name }) => name))),
  guidanceFor,
  words: WORDS,
} as const;

/** File tools whose proof is the sha256 from a read, with audit log and trash. */
export const workspace: typeof common & Surface<WorkspaceTools> & Typed<WorkspaceCalls> = { ...common, tools };

/** As `workspace`, but edit_file takes a read in the same session as proof when no sha256 is given. */
export const workspaceBySession = {
  ...common,
  tools: [...reading, create_file, write_file, edit_file_by_session, ...rest],
} as const satisfies Surface;
