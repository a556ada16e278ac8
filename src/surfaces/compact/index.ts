// The compact surface: five tools with few visible parameters and many smart defaults.
import { strictOptions, validate } from "../../api/options.ts";
import type { CompactCalls } from "../calls.ts";
import type { Surface, Typed } from "../tool.ts";
import type { Linter } from "./lint.ts";
import { editTool, FREE_BYTES } from "./tools/edit.ts";
import { globTool } from "./tools/glob.ts";
import { grepTool } from "./tools/grep.ts";
import { readTool } from "./tools/read.ts";
import { writeTool } from "./tools/write.ts";
import { WORDS } from "./words.ts";

export type { Linter } from "./lint.ts";

/** How the surface `compact` is set up. */
export interface CompactOptions {
  /** Asked after every Write and Edit; without it nothing is linted. */
  readonly linter?: Linter;
}

const OPTIONS = strictOptions<CompactOptions>({ linter: true });

export type CompactTools = readonly [
  typeof readTool,
  ReturnType<typeof writeTool>,
  ReturnType<typeof editTool>,
  typeof globTool,
  typeof grepTool,
];

/** The surface `compact` with a linter. */
export function compactSurface(options: CompactOptions = {}): Surface<CompactTools> & Typed<CompactCalls> {
  validate(options, OPTIONS);
  const { linter } = options;
  const tools: CompactTools = [readTool, writeTool(linter), editTool(linter), globTool, grepTool];
  return {
    name: "compact",
    title: "Five file tools with few parameters",
    guidance: guidanceFor(new Set(tools.map(({ name }) => name))),
    guidanceFor,
    tools,
    words: WORDS,
  };
}

/** Without what is not offered. */
function guidanceFor(offered: ReadonlySet<string>): string {
  const sentences = [
    offered.has("Edit") &&
      `Read a file before you Edit it: Edit refuses unread files of more than ${FREE_BYTES} bytes. Copy old_string from what Read shows, without the line numbers, and make it long enough to be unique.`,
    offered.has("Write") && "Write replaces a whole file and creates missing directories.",
    "Relative paths start at the workspace.",
  ];
  return sentences.filter(Boolean).join(" ");
}

/** Five tools with few parameters: files of more than 500 bytes are read before they are edited. */
export const compact = compactSurface();
