// The words of this dialect: a short line without a full stop, with the path as it was typed, and below it what helps.
import * as z from "zod";
import { printable } from "../../core/printable.ts";
import { didYouMean, lineList } from "../../words/plural.ts";
import type { Dialect, Row, Rows, Said } from "../refusal.ts";

/** Below its line each has what the catalogue knows beyond it. */
const rows: Rows = {
  unread_file: (said) => {
    const action = said.tool.name === "Write" ? "overwrite" : "edit";
    return { line: `refusing to ${action} ${typed(said)}: Read it first`, first: "", why: "", lineSaysNext: true };
  },
  old_text_not_found: (said) => ({ line: `old_string not found in ${typed(said)}` }),
  already_applied: (said) => ({ line: `old_string not found in ${typed(said)}` }),
  multiple_matches: (said) => {
    const { matchCount, matchRanges } = said.details;
    return {
      line: `old_string matched ${matchCount} times in ${typed(said)}; add context to make it unique or set replace_all=true`,
      why: matchRanges && `It is at ${lineList(matchRanges, 8, Number(matchCount))}.`,
      next: "Add lines before or after it that only the right place has, or set replace_all.",
    };
  },
  empty_old_text: ({ offers }) => ({
    line: "old_string must not be empty",
    why: "",
    next: `Give the text to replace${offers("Write") ? "; Write replaces a whole file" : ""}.`,
  }),
  line_out_of_range: ({ details: { offset, lines } }) =>
    lines === undefined ? undefined : { line: `offset ${offset} exceeds line count ${lines}`, why: "" },
  special_file: () => undefined,
  not_a_file: (said) => {
    if (said.details.special !== undefined) return undefined;
    const next = `Name a file${said.offers("Glob") ? "; Glob lists those of a directory" : ""}.`;
    return {
      line: `path is a directory: ${typed(said)}`,
      why: "",
      next,
      details: { ...said.details, directory: true },
    };
  },
  outside_workspace: () => ({ line: "resolve path: path is outside workspace root" }),
  invalid_path: (said) => whole("resolve path", said),
  symlink_loop: (said) => whole("resolve path", said),
  not_a_directory: (said) => whole("resolve path", said),
  not_found: (said) => ({
    line: `stat: ${typed(said)}: no such file or directory`,
    why: Array.isArray(said.details.nearest) ? didYouMean(said.details.nearest) : "",
    next: `Check the path${said.offers("Glob") ? "; Glob finds files by name" : ""}.`,
  }),
  stale_file: () => ({ next: "Read the file again and re-apply your edit." }),
  command_failed: () => ({ next: "Correct the pattern." }),
  disk_full: (said) => whole("write", said),
  io_error: (said) => (said.tool.effect === "read" ? undefined : whole("write", said)),
};

export const WORDS: Dialect = {
  rows,
  every(said, row) {
    const path = pathOf(said);
    return path === undefined || said.failure.kind === "invalid_input" ? row : { ...row, path };
  },
};

function pathOf({ given, failure }: Said<object>): string | undefined {
  const path = given.file_path ?? given.path ?? failure.path;
  return typeof path === "string" ? path : undefined;
}

function typed(said: Said<object>): string {
  return printable(pathOf(said) ?? "");
}

/** All that is known in the line itself. */
function whole(prefix: string, { failure: { message } }: Said<object>): Row {
  return { line: `${prefix}: ${message.replace(/\.$/, "")}`, why: "" };
}

export const filePath = z.string().describe("Path in the workspace, relative or absolute.");

/** What models call these parameters elsewhere. */
export const PATH_ALIASES = { path: "file_path", filename: "file_path" } as const;
