// The words of this dialect: short lines without a full stop, with the path as it was typed.
import { shown } from "../../backends/names.ts";
import type { Failure, FailureKind } from "../../kernel/failure.ts";
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
  line_out_of_range: (_path, { details }) => `offset ${details?.offset} exceeds line count ${details?.lines}`,
  not_a_file: (path, { details }) => (details?.directory === true ? `path is a directory: ${path}` : undefined),
  outside_workspace: () => "resolve path: path is outside workspace root",
  invalid_path: (_path, failure) => prefixed("resolve path", failure),
  symlink_loop: (_path, failure) => prefixed("resolve path", failure),
  not_a_directory: (_path, failure) => prefixed("resolve path", failure),
  not_found: (path) => `stat: ${path}: no such file or directory`,
  disk_full: (_path, failure) => prefixed("write", failure),
  io_error: (_path, failure, tool) => (tool.effect === "read" ? undefined : prefixed("write", failure)),
};

/** Undefined where this dialect has no words of its own. Saying it twice changes nothing. */
export function wordsOf(failure: Failure, tool: AnyTool): string | undefined {
  return WORDING[failure.kind]?.(printable(failure.path ?? ""), failure, tool);
}

/** As typed, unless a character in it could move a cursor or reorder the text around it. */
export function printable(path: string): string {
  return /[\p{Cc}\p{Cf}\p{Surrogate}\u2028\u2029]/u.test(path) ? shown(path).slice(1, -1) : path;
}

function prefixed(prefix: string, { message }: Failure): string {
  return message.startsWith(`${prefix}: `) ? message : `${prefix}: ${message.replace(/\.$/, "")}`;
}
