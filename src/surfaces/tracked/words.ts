// The words of this dialect: short lines without a full stop, with the path as it was typed.
import type { Failure, FailureKind } from "../../kernel/failure.ts";
import { followable } from "../followable.ts";
import { legibleFailure, printable } from "../legible.ts";
import { changesText } from "../since-read.ts";
import type { AnyTool } from "../tool.ts";

type Wording = (path: string, failure: Failure, tool: AnyTool) => string | undefined;

/** Kinds that are not here keep the words of the kernel. */
const WORDING: Partial<Record<FailureKind, Wording>> = {
  unread_file: (path, _failure, tool) =>
    `refusing to ${tool.name === "Write" ? "overwrite" : "edit"} ${path}: Read it first`,
  old_text_not_found: (path) => `old_string not found in ${path}`,
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

/** What to do next, where the kernel speaks of what these tools do not have. */
const NEXT: Partial<Record<FailureKind, string>> = {
  stale_file: "Read the file again and re-apply your edit.",
  multiple_matches: "Add context to old_string to make it unique, or set replace_all.",
  not_a_file: "Name a file; Glob lists those of a directory.",
  not_found: "Check the path; Glob finds files by name.",
  command_failed: "Correct the pattern.",
  binary_file: "It cannot be edited as text; Write replaces it as a whole.",
};

export function inDialect(given: Failure, tool: AnyTool): Failure {
  const failure = legibleFailure(followable(given, tool));
  const message = wordsOf(failure, tool);
  const next = given.details?.changedSinceRead === true ? undefined : NEXT[failure.kind];
  return {
    ...failure,
    ...(message !== undefined && { message }),
    ...(next !== undefined && { suggestedAction: next }),
  };
}

export function refusalText(failure: Failure, tool: AnyTool): string | undefined {
  const words = wordsOf(failure, tool);
  return words === undefined ? undefined : words + changesText(failure);
}

/** Undefined where this dialect has no words of its own. Saying it twice changes nothing. */
function wordsOf(failure: Failure, tool: AnyTool): string | undefined {
  return WORDING[failure.kind]?.(printable(failure.path ?? ""), failure, tool);
}

function prefixed(prefix: string, { message }: Failure): string {
  return message.startsWith(`${prefix}: `) ? message : `${prefix}: ${message.replace(/\.$/, "")}`;
}
