// The one read of lines of all dialects.
import type { LineRange } from "../../core/backend.ts";
import { splitLines } from "../../edit/text/lines.ts";
import type { ReadResult } from "../../kernel/read/page.ts";
import type { CallOptions, ReadOptions } from "../../kernel/session.ts";
import { displayable } from "../../kernel/text/text.ts";
import type { ToolContext } from "../tool.ts";
import { legible } from "./legible.ts";

/** Lines of a file, whose path is as the caller wrote it; what is odd about its bytes is told. */
export async function readLines(
  { session, call, warn }: ToolContext,
  path: string,
  range: LineRange,
  options: Omit<ReadOptions, keyof CallOptions>,
): Promise<ReadResult> {
  const read = await session.read(path, range, { ...call, ...options });
  warn(...read.notes.map((note) => legible(note, path)));
  return read;
}

/** The lines that were read as `number<TAB>text`, without their ends. */
export function numberedLines({ body, shown }: ReadResult): string[] {
  return splitLines(body).map(({ text }, n) => `${shown.from + n}\t${displayable(text)}`);
}
