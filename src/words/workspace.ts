// Words about reads, and about what a program hands to the methods of a session.
import type { Catalogue } from "./row.ts";

/** What a method needs, and what to give it instead. */
const ARGUMENTS: Readonly<Record<string, readonly [why: string, next?: string]>> = {
  targets: ["A change is given a list of targets, and a function that edits them."],
  path: ["A path must be a string."],
  edit: ["An edit is a function from the text of the file to a list of { start, end, text }."],
  content: ["The content of a file must be a string or bytes."],
  proof: ["proof and expectedSha256 cannot both be given.", "Leave one out."],
  ids: ["The ids of deleted files must be a list of strings."],
  now: ["now must be a time in milliseconds."],
  version: [
    "The sha256 or the size of the version is not that of its bytes.",
    "Create versions with versionOf(), and leave the bytes as they are until the change is made.",
  ],
  warnings: ["inspect must give a list of warnings, which may be empty."],
};

export type Fault = "missing" | "extra" | "type" | "value";
/** `problems` are sentences, `missing` the names of required parameters. */
type Wrong = { tool: string; problems: readonly string[]; faults: readonly Fault[]; missing: readonly string[] };

/** What a reader should know, beside the lines. */
export const READ_NOTES = {
  /** The policy judges only the name that was asked for. */
  hard_links: (count: number) => {
    const [names, them] = count === 1 ? ["1 other name", "it"] : [`${count} other names`, "them"];
    return `The file has ${names} by hard link, here or outside the workspace: what is written through ${them} shows here, and a change of this name does not reach ${them}.`;
  },
  cut_line: (line: number, bytes: number) =>
    `Line ${line} has ${bytes} bytes, and only its start is shown: it counts as a line not shown. A search finds text in the rest of it.`,
};

export const WORKSPACE = {
  arguments_invalid: ({ tool, problems }: Wrong) => ({
    kind: "invalid_input",
    why: problems.join(" "),
    next: `Call ${tool} again with the arguments put right.`,
    details: { problems },
  }),
  tool_unknown: ({ name, offered }: { name: string; offered: readonly string[] }) => ({
    kind: "invalid_input",
    why: `There is no tool ${JSON.stringify(name.slice(0, 100))}.`,
    next:
      offered.length > 0
        ? `Use ${offered.length > 1 ? "one of " : ""}${offered.join(", ")}.`
        : "The policy allows no tool of this surface.",
  }),
  too_large: ({ path, size, maxBytes }: { path: string; size: number; maxBytes: number }) => ({
    kind: "file_too_large",
    why: `${path} has ${size} bytes; the limit is ${maxBytes}.`,
    next: "Read a range of lines, or search in it.",
    details: { size, maxBytes },
  }),
  directory_read: ({ path }: { path: string }) => ({
    kind: "not_a_file",
    why: `${path} is a directory.`,
    next: "List it instead, or name a file in it.",
    details: { directory: true },
  }),
  /** `isTaken`: a file was to be made there. */
  root_is_directory: ({ isTaken }: { path: string; isTaken: boolean }) => ({
    kind: isTaken ? "already_exists" : "not_a_file",
    why: "The root of the workspace is a directory.",
    next: "Name a file in it.",
    details: { directory: true },
  }),
  invalid_argument: ({ argument }: { argument: keyof typeof ARGUMENTS; path?: string }) => {
    const [why, next] = ARGUMENTS[argument]!;
    return { kind: "invalid_input", why, next };
  },
  out_of_memory: ({ limitMegabytes }: { limitMegabytes: number }) => ({
    kind: "file_too_large",
    why: `The text is too large for this: it takes more than ${limitMegabytes} MB, the most that one call may use.`,
    next: "Ask for less in one call: text that is in the file to the letter, and fewer lines, take less.",
    details: { limitMegabytes },
  }),
} satisfies Catalogue;
