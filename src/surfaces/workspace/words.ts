// Failures in this dialect: its closed set of kinds, and hints that name its own tools.
import type { Failure, FailureKind } from "../../core/failure.ts";
import { rereadAnd } from "../../words/change.ts";
import { followable } from "../answer/followable.ts";
import { legibleFailure } from "../answer/legible.ts";
import { inWords } from "../call.ts";
import type { AnyTool } from "../tool.ts";
import { type ChangedFileData, changedLine } from "./changed-file.ts";

export const KINDS = [
  "not_found",
  "already_exists",
  "permission_denied",
  "outside_workspace",
  "binary_file",
  "file_too_large",
  "stale_file",
  "old_text_not_found",
  "multiple_matches",
  "overlapping_edits",
  "patch_parse_error",
  "patch_apply_error",
  "command_failed",
  "timeout",
  "unknown",
] as const satisfies readonly FailureKind[];

type Kind = (typeof KINDS)[number];

/** The kernel tells more cases apart than this dialect has names for. */
const NEAREST: Partial<Record<FailureKind, Kind>> = {
  already_applied: "old_text_not_found",
  unread_file: "stale_file",
  unseen_content: "stale_file",
  merge_conflict: "stale_file",
  invalid_path: "outside_workspace",
  not_a_file: "not_found",
  not_a_directory: "not_found",
  not_kept: "not_found",
  io_error: "unknown",
  journal_damaged: "unknown",
  outcome_unknown: "unknown",
};

/** A call of a tool that is not there belongs to no tool, yet its kind is one of the set. */
export function noSuchTool(failure: Failure): Failure {
  return { ...failure, kind: kindOf(failure.kind), details: { ...failure.details, cause: failure.kind } };
}

export function kindOf(kind: FailureKind): Kind {
  return KINDS.find((each) => each === kind) ?? NEAREST[kind] ?? "command_failed";
}

/** The kernel's own kind stays in `details.cause` where the name changed. */
export function workspaceFailure(given: Failure, tool: AnyTool): Failure {
  const failure = legibleFailure(followable(given, tool));
  const kind = kindOf(failure.kind);
  const next = hint(failure, tool.name) ?? failure.suggestedAction;
  return {
    ...failure,
    kind,
    ...(next !== undefined && { suggestedAction: next }),
    ...(kind !== failure.kind && { details: { ...failure.details, cause: failure.kind } }),
  };
}

/** A patch that was not atomic may have changed files before it stopped: the first sentence must not deny it. */
export function workspaceRefusalText(failure: Failure, tool: AnyTool): string {
  const { kind, details } = failure;
  const done = details?.changedFiles as readonly ChangedFileData[] | undefined;
  const sha = shaOfShown(failure);
  const again = `${AGAIN[tool.name] ?? "Re-apply your edit"} with the sha256 below if that is still right.`;
  // What a read would show was just shown. The data keeps the words of the protocol, which hold as well.
  const isShown = kind === "stale_file" && details?.cause === undefined && sha !== "";
  const said = isShown ? { ...failure, suggestedAction: again } : failure;
  if (done === undefined) return inWords(said, tool.refused) + sha;
  const stopped = `Patch stopped: ${done.length} of its files changed before, the rest did not.`;
  const list = `\n\nDone, and not to be sent again:\n${done.map(changedLine).join("\n")}`;
  return inWords(said, stopped) + sha + list;
}

/** A model that was shown all that changed may go on with the version that is there. */
function shaOfShown({ details }: Failure): string {
  const { diff, currentSha256 } = details ?? {};
  if (typeof diff !== "string" || typeof currentSha256 !== "string") return "";
  return `${diff.endsWith("\n") ? "" : "\n"}\nThe sha256 is ${currentSha256} now.`;
}

const AGAIN: Readonly<Record<string, string>> = {
  apply_patch: "Send the patch again",
  delete_file: "Delete it",
  move_file: "Move it",
  write_file: "Put your change into the text as it is now, and write that",
};

/** The kernel knows none of the tools and parameters by name; here its advice is given in terms of them. */
function hint(failure: Failure, tool: string): string | undefined {
  const { kind, details } = failure;
  if (kind === "unread_file" && details?.bareLink === undefined)
    return (
      UNSEEN[tool] ?? rereadAnd(details?.action === "delete" || details?.action === "move" ? details.action : "edit")
    );
  if (kind === "not_a_file" && details?.special === undefined)
    return "Use list_directory to see what is in it, and name a file.";
  if (kind === "not_a_directory" && DIRECTORY_TOOLS.has(tool)) return "Use read_file for a file.";
  if (kind === "file_too_large" && tool === "read_file") return TOO_LARGE_TO_SHOW;
  if (kind === "command_failed" && tool === "search_files") return correctedQuery(failure.suggestedAction);
  if (kind === "already_exists" && details?.file) return IN_THE_WAY[tool];
  if (kind === "binary_file" && tool !== "read_file")
    return "Do not edit it as text; to replace it, use delete_file, then create_file.";
  return kind === "not_found" ? missing(failure, tool) : undefined;
}

/** Only what is wrong as a regular expression can be right as plain text; there is no search across lines here. */
function correctedQuery(next = ""): string {
  if (next.includes("literal text")) return 'Correct the query, or use mode "text".';
  return next.includes("multiline") ? "Search for one line, without its end." : "Correct the query.";
}

/** Nothing is applied again there. */
const UNSEEN: Readonly<Record<string, string>> = {
  delete_file: "Use read_file to see what it holds, then pass its sha256 as expectedSha256.",
  // Of the file at the destination too, whose sha256 has no parameter.
  move_file: "Use read_file to see what it holds, then call move_file again.",
};

const DIRECTORY_TOOLS: ReadonlySet<string> = new Set(["list_directory", "search_files", "glob"]);

export const TOO_LARGE_TO_SHOW = "Leave it as it is; it is too large to be shown.";
/** With the sha256 told. */
export const ONLY_BY_SHA = "It is too large to be shown; pass this as expectedSha256 to delete_file or move_file.";

const IN_THE_WAY: Readonly<Record<string, string>> = {
  create_file: "Use read_file, then edit_file or write_file.",
  apply_patch:
    "If the patch was sent before, this is done: leave it out. Else use *** Update File, or choose another path.",
  move_file:
    "Use read_file to see what it holds, then set overwrite to true to put it into the trash; or choose another toPath.",
  restore_file: "Give another place as targetPath.",
};

function missing({ path = "", details }: Failure, tool: string): string | undefined {
  const makesParents = tool === "create_file" || tool === "move_file";
  if (details?.missing !== undefined && path.endsWith("/"))
    return 'The path ends with "/" and names no file: add the name of the file.';
  if (makesParents && details?.missing !== undefined)
    return "Set createParentDirectories to true, or correct the path.";
  if (tool === "write_file") return "Use create_file to make a new file.";
  if (tool === "edit_file") return "Check the path, or use create_file to make a new file.";
  if (tool === "restore_file") return "Use list_trash to see what can be restored.";
  return tool === "apply_patch" ? undefined : "Check the path; list_directory shows what is there.";
}
