// The commands of Claude's own text editor and memory, over the kernel: what they change must have been viewed.
import * as z from "zod";
import { Refusal } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import { insertAtLine } from "../../edit/replace/replace.ts";
import { splitLines } from "../../edit/text/lines.ts";
import type { Splice } from "../../edit/text/splice.ts";
import { listDirectory } from "../../search/index.ts";
import { damageIn } from "../../surfaces/shared/damage.ts";
import { legible } from "../../surfaces/shared/legible.ts";
import type { ToolContext } from "../../surfaces/tool.ts";
import { edit } from "../../surfaces/tracked/tools/edit.ts";
import { read } from "../../surfaces/tracked/tools/read.ts";
import { write } from "../../surfaces/tracked/tools/write.ts";
import { plural } from "../../words/plural.ts";

const MAX_ENTRIES = 1000;

/** `at`: the path in the workspace; `path`: as the model wrote it. */
export interface Place {
  readonly at: string;
  readonly path: string;
}

/** The parameters of the commands that both tools have. */
export const PARAMETERS = {
  /** First and last line, from 1; -1 as the last: to the end. */
  view_range: z.array(z.int()).optional(),
  file_text: z.string().optional(),
  old_str: z.string().optional(),
  new_str: z.string().optional(),
  insert_line: z.int().min(0).optional(),
  insert_text: z.string().optional(),
};
type Given = z.output<z.ZodObject<typeof PARAMETERS>>;

export const COMMANDS = ["view", "create", "str_replace", "insert"] as const;

/** One of the commands that both tools have, as it says what was done. */
export async function doneBy(
  command: (typeof COMMANDS)[number],
  context: ToolContext,
  place: Place,
  { view_range, file_text, old_str, new_str, insert_line, insert_text }: Given,
): Promise<string> {
  switch (command) {
    case "view":
      return view(context, place, view_range);
    case "create":
      if (file_text === undefined) throw missing(command, ["file_text"]);
      return create(context, place, file_text);
    case "str_replace":
      if (old_str === undefined) throw missing(command, ["old_str"]);
      return replace(context, place, old_str, new_str ?? "");
    case "insert":
      if (insert_line === undefined || insert_text === undefined)
        throw missing(command, ["insert_line", "insert_text"]);
      return insert(context, place, insert_line, insert_text);
  }
}

async function view(context: ToolContext, { at, path }: Place, lines?: readonly number[]): Promise<string> {
  const { session, call, warn } = context;
  if ((await session.resolve(at, "read", call)).kind === "directory") return viewDirectory(context, { at, path });
  const [first = 1, last = -1] = rangeOf(lines ?? [1, -1]);
  const limit = last === -1 ? {} : { limit: last - first + 1 };
  const range = { file_path: at, ...(lines !== undefined && { offset: first, ...limit }) };
  // Where to go on is said in the words of this tool.
  const quiet = { ...context, warn: (...all: readonly string[]) => warn(...all.filter((each) => !GO_ON.test(each))) };
  const { content, startLine, endLine, totalLines } = await read.run(quiet, range);
  const wanted = last === -1 ? totalLines : Math.min(last, totalLines);
  if (endLine < wanted)
    warn(`Lines ${startLine}-${endLine} of ${totalLines} are shown; go on with view_range [${endLine + 1}, -1].`);
  return `Here's the content of ${path} with line numbers:\n${content}`;
}

function rangeOf(lines: readonly number[]): readonly number[] {
  const [first = 0, last = 0] = lines;
  if (lines.length === 2 && first >= 1 && (last === -1 || last >= first)) return lines;
  const why = `view_range is [${lines.slice(0, 9).join(", ")}], and no first and last line.`;
  throw new Refusal("invalid_input", why, { next: "Give two lines, such as [1, 40], or [41, -1] for all from 41 on." });
}

const GO_ON = / go on with offset /;

async function viewDirectory({ session, call, warn }: ToolContext, { at, path }: Place): Promise<string> {
  const { entries, path: root } = await listDirectory(
    session,
    at,
    { depth: 2, hidden: false, limit: MAX_ENTRIES },
    call,
  );
  const shown = entries.filter((entry) => !/(?:^|\/)node_modules\//.test(`${entry.path}/`));
  if (shown.length > MAX_ENTRIES) warn(`Only the first ${MAX_ENTRIES} entries are shown: view a directory below.`);
  const below = path.replace(/\/+$/, "");
  const start = root === "" ? 0 : root.length + 1;
  const lines = shown.slice(0, MAX_ENTRIES).map((entry) => {
    const name = printable(`${below}/${entry.path.slice(start)}`);
    return entry.type === "directory" ? `-\t${name}/` : `${entry.size}\t${name}`;
  });
  const head = `Here're the files and directories up to 2 levels deep in ${path}, with their bytes:`;
  return [head, ...lines].join("\n");
}

async function create(context: ToolContext, { at, path }: Place, content: string): Promise<string> {
  const { created } = await write.run(context, { file_path: at, content });
  return created ? `File created successfully at: ${path}` : `The file ${path} has been overwritten.`;
}

async function replace(context: ToolContext, { at, path }: Place, oldText: string, newText: string): Promise<string> {
  const { diff } = await edit.run(context, { file_path: at, old_string: oldText, new_string: newText });
  return `The file ${path} has been edited.\n${diff}`;
}

/** After the line of this number; 0 is the beginning of the file. */
async function insert(context: ToolContext, { at, path }: Place, line: number, text: string): Promise<string> {
  const { session, call, warn } = context;
  const { files, warnings } = await session.edit(at, ({ body }) => insertAfter(body, line, text), call);
  warn(...warnings.map((warning) => legible(warning, path)), ...(await damageIn(session, files)));
  return `The file ${path} has been edited.`;
}

function insertAfter(body: string, line: number, text: string): readonly Splice[] {
  const { length } = splitLines(body);
  if (line <= length) return insertAtLine(body, line + 1, text);
  throw new Refusal("line_out_of_range", `insert_line is ${line}, and the file has ${plural(length, "line")}.`, {
    next: `Give a number from 0 to ${length}.`,
  });
}

export function missing(command: string, names: readonly string[]): Refusal {
  return new Refusal("invalid_input", `${command} needs ${names.map((name) => `\`${name}\``).join(" and ")}.`, {
    next: "Give it, and call again.",
  });
}
