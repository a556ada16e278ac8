// The surface `tracked`: Read, Write, Edit, Glob and Grep, where a file must be read before it is changed.
import type { TrackedCalls } from "../calls.ts";
import type { Surface, Typed } from "../tool.ts";
import { edit } from "./tools/edit.ts";
import { glob } from "./tools/glob.ts";
import { grep } from "./tools/grep.ts";
import { read } from "./tools/read.ts";
import { write } from "./tools/write.ts";
import { WORDS } from "./words.ts";

const tools = [read, write, edit, glob, grep] as const;
export type TrackedTools = typeof tools;

/** Read, Write, Edit, Glob and Grep: a file must be read in the session before it is changed. */
export const tracked: Surface<TrackedTools> & Typed<TrackedCalls> = {
  name: "tracked",
  title: "Read-tracked file tools",
  guidance: guidanceFor(new Set(tools.map(({ name }) => name))),
  guidanceFor,
  tools,
  words: WORDS,
};

/** Without what is not offered. */
function guidanceFor(offered: ReadonlySet<string>): string {
  const refusing = [
    offered.has("Write") && "Write refuses to overwrite",
    offered.has("Edit") && "Edit refuses to edit",
  ].filter(Boolean);
  if (refusing.length === 0) return "";
  const both = refusing.length > 1 ? `${refusing.join(", and ")},` : refusing[0];
  const fresh = offered.has("Write") ? "A new file needs no Read, and what" : "What";
  return `Read a file before you change it: ${both} a file that was not Read in this session. ${fresh} you wrote yourself counts as read.
Commands that change files behind these tools (a shell, git checkout, sed -i) do not count as reading: Read the file again before you edit it.`;
}
