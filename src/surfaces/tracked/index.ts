// The surface `tracked`: Read, Write, Edit, Glob and Grep, where a file must be read before it is changed.
import type { Surface } from "../tool.ts";
import { edit } from "./edit.ts";
import { glob } from "./glob.ts";
import { grep } from "./grep.ts";
import { read } from "./read.ts";
import { inDialect, refusalText } from "./words.ts";
import { write } from "./write.ts";

const tools = [read, write, edit, glob, grep] as const;

export const tracked: Surface<typeof tools> = {
  name: "tracked",
  title: "Read-tracked file tools",
  guidance: `Read a file before you change it: Write refuses to overwrite, and Edit refuses to edit, a file that was not Read in this session. A new file needs no Read, and what you wrote yourself counts as read.
Commands that change files behind these tools (a shell, git checkout, sed -i) do not count as reading: Read the file again before you edit it.`,
  tools,
  failure: inDialect,
  refusalText,
};
