// Words about searches, globs and listings.
import { inOrder } from "../core/failure.ts";
import { didYouMean } from "./plural.ts";
import type { Catalogue } from "./row.ts";

const SIMPLER = "Use a simpler pattern, or search in fewer files.";

/** How a glob or a pattern asks for too much work. */
const TOO_COMPLEX = {
  length: (max: number) => `it is longer than ${max} characters`,
  braces: (max: number) => `it has more than ${max} braces`,
  choices: (max: number) => `its braces stand for more than ${max} patterns`,
  any_depth: (max: number) => `it has more than ${max} "**"`,
  stars: (max: number) => `it has more than ${max} stars in a name`,
  groups: () => "its +(…) and *(…) groups are nested or too many",
  repetitions: () => "its counted repetitions multiply",
  engine: () => "the engine gave up on it",
};

/** Why no engine gets a pattern, and what to do about it. */
const UNUSABLE = {
  characters: ["it has a NUL character or half of a surrogate pair", "Correct it."],
  line_break: ["it has a line break, and each line is searched alone", "Search with multiline, or for one line."],
  carriage_return: ["it has a carriage return, and lines are searched without their ends", "Search with multiline."],
} as const;

const GLOB_ERRORS = {
  empty_negation: "nothing follows the negation",
  trailing_backslash: "it ends with a single backslash",
  "[": 'a "[" in it is never closed',
  "{": 'a "{" in it is never closed',
  "(": 'a "(" in it is never closed',
  set: "a set in it makes no sense",
};

export type GlobError = keyof typeof GLOB_ERRORS;

export const SEARCH = {
  search_root_missing: ({ path, nearest }: { path: string; nearest?: readonly string[] }) => ({
    kind: "not_found",
    why: inOrder([`${path} does not exist.`, nearest && didYouMean(nearest)]),
    next: "Check the path; list the directory above it to see what is there.",
    details: nearest && { nearest },
  }),
  directory_missing: ({ path, nearest }: { path: string; nearest?: readonly string[] }) => ({
    kind: "not_found",
    why: inOrder([`There is no directory ${path}.`, nearest && didYouMean(nearest)]),
    next: "List the directory above it to see what is there.",
    details: nearest && { nearest },
  }),
  file_listed: ({ path }: { path: string }) => ({
    kind: "not_a_directory",
    why: `${path} is a file.`,
    next: "Read it, or name a directory.",
  }),
  special_file: ({ path }: { path: string }) => ({
    kind: "not_a_file",
    why: `${path} is neither a file nor a directory, but a pipe, a socket or a device.`,
    next: "Name a directory or a regular file.",
    details: { special: true },
  }),
  too_large_to_search: ({ path, size, maxBytes }: { path: string; size: number; maxBytes: number }) => ({
    kind: "file_too_large",
    why: `${path} has ${size} bytes; files of more than ${maxBytes} are not searched.`,
    next: "Read a range of its lines instead.",
    details: { size, maxBytes },
  }),

  glob_unusable: (_: object) => ({
    kind: "invalid_input",
    why: "A glob must not be empty or contain a NUL character.",
    next: 'Give a glob such as "**/*.ts".',
  }),
  glob_invalid: ({ glob, error }: { glob: string; error: GlobError }) => ({
    kind: "invalid_input",
    why: `The glob ${JSON.stringify(glob)} is not valid: ${GLOB_ERRORS[error]}.`,
    next: 'Correct it; a backslash before a character, as in "\\[", means the character itself.',
    details: { glob },
  }),
  glob_goes_up: ({ path }: { path: string }) => ({
    kind: "outside_workspace",
    why: `The glob ${JSON.stringify(path)} goes up with "..", and only what lies below the directory that is searched can match.`,
    next: 'Give a glob without "..", relative to the directory that is searched.',
  }),
  glob_outside: ({ path }: { path: string }) => ({
    kind: "outside_workspace",
    why: `The glob ${JSON.stringify(path)} leads outside the workspace.`,
    next: "Give a glob that is relative to the directory that is searched.",
  }),
  file_type_unknown: ({ type, near }: { type: string; near: readonly string[] }) => ({
    kind: "invalid_input",
    why: `There is no file type ${JSON.stringify(type)}.`,
    next: `Use a known type${near.length > 0 ? ` (${near.join(", ")})` : ""}, or a glob such as "*.${type}".`,
  }),

  pattern_invalid: ({ error }: { error: string }) => ({
    kind: "command_failed",
    why: `The pattern is not a valid regular expression: ${error}.`,
    next: "Correct the pattern, or search for it as literal text.",
  }),
  pattern_unusable: ({ problem }: { problem: keyof typeof UNUSABLE }) => ({
    kind: "command_failed",
    why: `The pattern cannot be searched: ${UNUSABLE[problem][0]}.`,
    next: UNUSABLE[problem][1],
  }),
  pattern_needs_ripgrep: ({ part }: { part: string }) => ({
    kind: "command_failed",
    why: `The pattern cannot be searched: without ripgrep, ${JSON.stringify(part)} is not supported.`,
    next: "Write it in another way, or search for its parts.",
  }),
  pattern_too_complex: ({ pattern, by, max = 0 }: { pattern: string; by: keyof typeof TOO_COMPLEX; max?: number }) => ({
    kind: "pattern_too_complex",
    why: `The pattern ${JSON.stringify(pattern.length > 80 ? `${pattern.slice(0, 80)}…` : pattern)} is too complex: ${TOO_COMPLEX[by](max)}.`,
    next: "Use a simpler pattern, or several calls.",
  }),
  pattern_needs_memory: ({ error }: { error: string }) => ({
    kind: "pattern_too_complex",
    why: `The pattern needs more memory than there is: ${error}.`,
    next: SIMPLER,
  }),

  search_timeout: (_: object) => ({
    kind: "timeout",
    why: "The search took too long and was stopped.",
    next: SIMPLER,
  }),
  search_cancelled: (_: object) => ({
    kind: "cancelled",
    why: "The search was cancelled.",
    next: "Search again if it is still wanted.",
  }),
  search_machine_busy: ({ code }: { code: string }) => ({
    kind: "busy",
    why: `The search could not be started: too much is open or running on this machine (${code}).`,
    next: "Wait a moment, then retry.",
  }),
  ripgrep_not_started: ({ code }: { code: string }) => ({
    kind: "io_error",
    why: `The search program could not be started (${code}).`,
    next: "Install stet again if it happens every time.",
  }),
  ripgrep_killed: ({ memoryGib }: { memoryGib?: number | undefined }) => ({
    kind: "io_error",
    why: `The search program ${memoryGib === undefined ? "was killed" : `needed more than ${memoryGib} GiB of memory`}.`,
    next: SIMPLER,
  }),
  ripgrep_failed: ({ error }: { error: string }) => ({
    kind: "io_error",
    why: `The search program failed: ${error}`,
    next: "Look at the disk, then retry.",
  }),
} satisfies Catalogue;
