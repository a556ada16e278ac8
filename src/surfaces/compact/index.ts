// The compact surface: five tools with few visible parameters and many smart defaults.
import { strictOptions, validate } from "../../api/options.ts";
import { definePolicy, type PolicyInput } from "../../kernel/policy/policy.ts";
import { narrowed, type Workspace } from "../../kernel/workspace.ts";
import type { CompactCalls } from "../calls.ts";
import { offeredTools } from "../offer.ts";
import type { AnyTool, Surface, Typed } from "../tool.ts";
import { sessionIn } from "../which-workspace.ts";
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
  /** A policy for the tools of this surface, beside that of the workspace. */
  readonly constraints?: PolicyInput;
}

const OPTIONS = strictOptions<CompactOptions>({ linter: true, constraints: true });

export type CompactTools = readonly [
  typeof readTool,
  ReturnType<typeof writeTool>,
  ReturnType<typeof editTool>,
  typeof globTool,
  typeof grepTool,
];

/** The surface `compact` with a linter, or without tools that a policy takes away. */
export function compactSurface(
  options?: Omit<CompactOptions, "constraints">,
): Surface<CompactTools> & Typed<CompactCalls>;
export function compactSurface(options: CompactOptions): Surface;
export function compactSurface(options: CompactOptions = {}): Surface {
  validate(options, OPTIONS);
  const { linter, constraints } = options;
  const tools: CompactTools = [readTool, writeTool(linter), editTool(linter), globTool, grepTool];
  const left = constraints === undefined ? tools : constrained(tools, constraints);
  return {
    name: "compact",
    title: "Five file tools with few parameters",
    guidance: guidanceFor(new Set(left.map(({ name }) => name))),
    guidanceFor,
    tools: left,
    words: WORDS,
  };
}

function constrained(tools: CompactTools, constraints: PolicyInput): readonly AnyTool[] {
  const known = new WeakMap<Workspace, Workspace>();
  return offeredTools({ tools }, definePolicy(constraints)).map((tool) => ({
    ...tool,
    run(context, input) {
      const { workspace } = context.session;
      const narrow = known.get(workspace) ?? narrowed(workspace, constraints);
      known.set(workspace, narrow);
      return tool.run({ ...context, session: sessionIn(context.session, narrow) }, input);
    },
  }));
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
