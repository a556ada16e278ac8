// Refusals in this dialect: its closed set of kinds, and next actions that name its own tools.
import type { FailureKind } from "../../core/failure.ts";
import { rereadAnd } from "../../words/change.ts";
import { type Dialect, diffInWords, nextFor, type Row, type Rows, type Said } from "../refusal.ts";
import { type ChangedFileData, changedLine } from "./fields.ts";

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

export function kindOf(kind: FailureKind): Kind {
  return KINDS.find((each) => each === kind) ?? NEAREST[kind] ?? "command_failed";
}

const rows: Rows = {
  unread: ({ facts: { action }, tool, offers }) => {
    if (!UNSEEN.has(tool.name)) return { next: rereadAnd(action ?? "edit") };
    if (!offers("read_file")) return { next: nextFor("unread_file") };
    const then =
      tool.name === "delete_file"
        ? "pass its sha256 as expectedSha256"
        : // Of the file at the destination too, whose sha256 has no parameter.
          "call move_file again";
    return { next: `Use read_file to see what it holds, then ${then}.` };
  },
  special_file: () => undefined,
  not_a_file: ({ details, offers }) => {
    if (details.special !== undefined) return undefined;
    const listed = "Use list_directory to see what is in it, and name a file.";
    return { next: offers("list_directory") ? listed : nextFor("not_a_file") };
  },
  not_a_directory: ({ tool, offers }) =>
    DIRECTORY_TOOLS.has(tool.name) && offers("read_file") ? { next: "Use read_file for a file." } : undefined,
  file_too_large: ({ tool }) => (tool.name === "read_file" ? { next: TOO_LARGE_TO_SHOW } : undefined),
  pattern_invalid: ({ tool }) => correctedQuery(tool, 'Correct the query, or use mode "text".'),
  pattern_unusable: ({ tool, facts: { problem } }) =>
    correctedQuery(tool, problem === "characters" ? undefined : "Search for one line, without its end."),
  command_failed: ({ tool }) => correctedQuery(tool),
  place_taken: (said) => (said.facts.isFile ? { next: inTheWay(said) } : undefined),
  binary_file: ({ tool, offers }) => {
    if (tool.name === "read_file") return undefined;
    const replaces = offers("delete_file") && offers("create_file");
    return { next: `Do not edit it as text${replaces ? "; to replace it, use delete_file, then create_file" : ""}.` };
  },
  patched_file_missing: () => undefined,
  patched_file_gone: () => undefined,
  not_found: (said) => ({ next: missing(said) }),
};

/** Nothing is applied again there. */
const UNSEEN: ReadonlySet<string> = new Set(["delete_file", "move_file"]);
const DIRECTORY_TOOLS: ReadonlySet<string> = new Set(["list_directory", "search_files", "glob"]);

export const TOO_LARGE_TO_SHOW = "Leave it as it is; it is too large to be shown.";
/** With the sha256 told. */
export const ONLY_BY_SHA = "It is too large to be shown; pass this as expectedSha256 to delete_file or move_file.";

/** Only what is wrong as a regular expression can be right as plain text; there is no search across lines here. */
function correctedQuery({ name }: Said["tool"], next = "Correct the query."): Row | undefined {
  return name === "search_files" ? { next } : undefined;
}

function inTheWay({ facts, tool, offers }: Said<{ path: string; action?: string | undefined }>): string | undefined {
  const change = ["edit_file", "write_file"].filter(offers).join(" or ");
  switch (tool.name) {
    case "create_file":
      return offers("read_file") && change !== "" ? `Use read_file, then ${change}.` : nextFor("already_exists");
    case "apply_patch":
      return `If the patch was sent before, this is done: leave it out. Else ${facts.action === "move" ? `put *** Delete File: ${facts.path} before it` : "use *** Update File"}, or choose another path.`;
    case "move_file":
      return `${offers("read_file") ? "Use read_file to see what it holds, then set" : "Set"} overwrite to true to put it into the trash; or choose another toPath.`;
    case "restore_file":
      return "Give another place as targetPath.";
  }
}

function missing({ failure: { path = "" }, details, tool: { name }, offers }: Said<object>): string | undefined {
  const makesParents = name === "create_file" || name === "move_file";
  if (details.missing !== undefined && path.endsWith("/"))
    return 'The path ends with "/" and names no file: add the name of the file.';
  if (makesParents && details.missing !== undefined) return "Set createParentDirectories to true, or correct the path.";
  const creates = offers("create_file");
  switch (name) {
    case "write_file":
      return creates ? "Use create_file to make a new file." : nextFor("not_found");
    case "edit_file":
      return `Check the path${creates ? ", or use create_file to make a new file" : ""}.`;
    case "restore_file":
      return offers("list_trash") ? "Use list_trash to see what can be restored." : nextFor("not_found");
    default:
      return `Check the path${offers("list_directory") ? "; list_directory shows what is there" : ""}.`;
  }
}

/** The kernel's own kind stays in `details.cause` where the name changed. */
function inKinds(said: Said, row: Row): Row {
  const { failure, details, tool } = said;
  const kind = kindOf(failure.kind);
  const sha = shaOfShown(said);
  const again = `${AGAIN[tool.name] ?? "Re-apply your edit"} with the sha256 below if that is still right.`;
  const isShown = kind === "stale_file" && kind === failure.kind && details.cause === undefined && sha !== "";
  const done = details.changedFiles as readonly ChangedFileData[] | undefined;
  return {
    ...row,
    kind,
    // What a read would show was just shown. The data keeps the words of the protocol, which hold as well.
    ...(isShown && { nextInText: again }),
    ...(kind !== failure.kind && { details: { ...details, cause: failure.kind } }),
    // A patch that was not atomic may have changed files before it stopped: the first sentence must not deny it.
    ...(done && { first: `Patch stopped: ${done.length} of its files changed before, the rest did not.` }),
    attached: diffInWords(failure) + sha + (done ? doneInWords(done) : ""),
  };
}

function doneInWords(done: readonly ChangedFileData[]): string {
  return `\n\nDone, and not to be sent again:\n${done.map(changedLine).join("\n")}`;
}

/** A model that was shown all that changed may go on with the version that is there. */
function shaOfShown({ details: { diff, currentSha256 } }: Said): string {
  if (typeof diff !== "string" || typeof currentSha256 !== "string") return "";
  return `${diff.endsWith("\n") ? "" : "\n"}\nThe sha256 is ${currentSha256} now.`;
}

const AGAIN: Readonly<Record<string, string>> = {
  apply_patch: "Send the patch again",
  delete_file: "Delete it",
  move_file: "Move it",
  write_file: "Put your change into the text as it is now, and write that",
};

export const WORDS: Dialect = { rows, every: inKinds };
