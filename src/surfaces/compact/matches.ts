// The lines of one file that a pattern finds: in its bytes where they are UTF-8, in the decoded text where they are not.
import { memory } from "../../backends/memory/index.ts";
import type { Path } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import { skipLines, withoutCr } from "../../edit/text/lines.ts";
import type { ReadResult } from "../../kernel/read/page.ts";
import { Workspace } from "../../kernel/workspace.ts";
import { grep } from "../../search/index.ts";
import type { ToolContext } from "../tool.ts";

interface Wanted {
  /** As the caller wrote it. */
  readonly path: string;
  readonly pattern: string;
  readonly most: number;
}

interface Matches {
  readonly hits: readonly { readonly line: number; readonly text: string }[];
  readonly notes: readonly string[];
}

const NAME = "text" as Path;

export async function matchesOf(
  { session, call }: ToolContext,
  read: ReadResult,
  { path, pattern, most }: Wanted,
): Promise<Matches> {
  const request = { pattern, action: "read", hidden: true, gitignore: false, limit: most } as const;
  if (read.encoding === "utf-8") {
    const { hits, notes } = await grep(session, { ...request, root: read.path }, call);
    return { hits: hits.map(({ line, text }) => ({ line, text: withoutCr(text) })), notes };
  }
  if (read.whole === undefined) throw tooLarge(path, read);
  const { body } = read.whole.text;
  const decoded = new Workspace(memory({ files: { [NAME]: Buffer.from(body) } })).session();
  const { hits, notes } = await grep(decoded, { ...request, root: NAME }, call);
  const lines = linesIn(
    body,
    hits.map(({ line }) => line),
  );
  return {
    hits: hits.map(({ line }, n) => ({ line, text: lines[n]! })),
    notes: notes.map((note) => note.replace(NAME, read.path)),
  };
}

/** Of these numbers, which ascend. The others are passed over: as objects, lines of one character take a hundred times the file. */
function linesIn(body: string, numbers: readonly number[]): string[] {
  let [line, start] = [1, 0];
  return numbers.map((number) => {
    start = skipLines(body, start, number - line);
    line = number;
    const end = body.indexOf("\n", start);
    return end === -1 ? body.slice(start) : withoutCr(body.slice(start, end));
  });
}

function tooLarge(path: string, { encoding, size }: ReadResult): Refusal {
  return new Refusal("file_too_large", `${printable(path)} is in ${encoding} and too large to be searched in it.`, {
    path,
    next: "Read a range of its lines without a pattern.",
    details: { size, encoding },
  });
}
