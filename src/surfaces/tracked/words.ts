// The words of this dialect: a short line without a full stop, with the path as it was typed, and below it what helps.
import type { Failure, FailureKind } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import { didYouMean } from "../../words/names.ts";
import { type LineRange, lineList } from "../../words/visible.ts";
import { followable } from "../answer/followable.ts";
import { legibleFailure } from "../answer/legible.ts";
import { diffInWords } from "../call.ts";
import type { AnyTool } from "../tool.ts";

type Wording = (path: string, failure: Failure, tool: AnyTool) => string | undefined;

/** The first line of a refusal. Kinds that are not here keep the words of the kernel. */
const WORDING: Partial<Record<FailureKind, Wording>> = {
  unread_file: (path, _failure, tool) =>
    `refusing to ${tool.name === "Write" ? "overwrite" : "edit"} ${path}: Read it first`,
  old_text_not_found: (path) => `old_string not found in ${path}`,
  already_applied: (path) => `old_string not found in ${path}`,
  multiple_matches: (path, { details }) =>
    `old_string matched ${details?.matchCount} times in ${path}; add context to make it unique or set replace_all=true`,
  empty_old_text: () => "old_string must not be empty",
  line_out_of_range: (_path, { details }) =>
    details?.lines === undefined ? undefined : `offset ${details.offset} exceeds line count ${details.lines}`,
  not_a_file: (path, { details }) => (details?.directory === true ? `path is a directory: ${path}` : undefined),
  outside_workspace: () => "resolve path: path is outside workspace root",
  invalid_path: (_path, failure) => prefixed("resolve path", failure),
  symlink_loop: (_path, failure) => prefixed("resolve path", failure),
  not_a_directory: (_path, failure) => prefixed("resolve path", failure),
  not_found: (path) => `stat: ${path}: no such file or directory`,
  disk_full: (_path, failure) => prefixed("write", failure),
  io_error: (_path, failure, tool) => (tool.effect === "read" ? undefined : prefixed("write", failure)),
};

/** What the kernel has to say beyond the first line: where, and what is near. */
const MORE: Partial<Record<FailureKind, (failure: Failure) => string | undefined>> = {
  old_text_not_found: ({ message }) => message,
  already_applied: ({ message }) => message,
  multiple_matches: ({ details }) =>
    Array.isArray(details?.matchRanges)
      ? `It is at ${lineList(details.matchRanges as LineRange[], 8, Number(details.matchCount))}.`
      : undefined,
  outside_workspace: ({ message }) => message,
  not_found: ({ details }) => (Array.isArray(details?.nearest) ? didYouMean(details.nearest as string[]) : undefined),
};

/** What to do next, where the kernel speaks of what these tools do not have. */
const NEXT: Partial<Record<FailureKind, string>> = {
  stale_file: "Read the file again and re-apply your edit.",
  multiple_matches: "Add lines before or after it that only the right place has, or set replace_all.",
  not_a_file: "Name a file; Glob lists those of a directory.",
  not_found: "Check the path; Glob finds files by name.",
  command_failed: "Correct the pattern.",
};

export function inDialect(given: Failure, tool: AnyTool): Failure {
  const failure = legibleFailure(followable(given, tool));
  const first = WORDING[failure.kind]?.(printable(failure.path ?? ""), failure, tool);
  const next = nextOf(failure);
  return {
    ...failure,
    ...(first !== undefined && { message: [first, ...restOf(failure, tool)].join("\n") }),
    ...(next !== undefined && { suggestedAction: next }),
  };
}

/** What did not happen and what is known of it, on a line of its own; a file that was not read is refused in one line. */
function restOf(failure: Failure, { refused }: AnyTool): string[] {
  if (failure.kind === "unread_file") return [];
  return [[refused, MORE[failure.kind]?.(failure)?.trimEnd()].filter((part) => part !== undefined).join(" ")];
}

function nextOf({ kind, details, suggestedAction }: Failure): string | undefined {
  if (details?.changedSinceRead === true || (kind === "not_a_file" && details?.special !== undefined))
    return suggestedAction;
  return NEXT[kind] ?? suggestedAction;
}

/** The fixed line first, the rest below it. */
export function refusalText(failure: Failure, tool: AnyTool): string | undefined {
  const { kind, message, suggestedAction } = failure;
  if (WORDING[kind]?.("", failure, tool) === undefined) return undefined;
  if (kind === "unread_file") return message;
  return [message, ...(suggestedAction === undefined ? [] : [suggestedAction])].join("\n") + diffInWords(failure);
}

function prefixed(prefix: string, { message }: Failure): string {
  return message.startsWith(`${prefix}: `) ? message : `${prefix}: ${message.replace(/\.$/, "")}`;
}
