// Files that are no text, as Read shows them: lines of bytes, those that cannot be printed as \xNN.
import type { LineRange, Version } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import { bytesOf } from "../../core/version.ts";
import { type Line, splitLines } from "../../edit/text/lines.ts";
import { partOf } from "../../kernel/read/page.ts";
import { plural } from "../../words/plural.ts";
import type { ToolContext } from "../tool.ts";

/** Of what is no text, shown at once; more comes with offset, or within a line with start_column. */
const MOST_BYTES = 64 * 1024;

/** The lines from `from` to `to`, the first one from its byte `column` on, as far as they fit. */
export async function readAsBytes(
  { session, call, warn }: ToolContext,
  path: string,
  { from, to, column }: LineRange & { readonly column: number },
) {
  const { at, version } = await session.readBytes(path, call).catch((error: unknown) => {
    throw error instanceof Refusal && error.kind === "file_too_large" ? tooLarge(error) : error;
  });
  const all = linesOf(version);
  if (from > all.length) throw beyondEnd(from, all.length);
  const { body, shown, nextColumn } = partOf(
    all
      .slice(from - 1, to)
      .map(({ text, eol }) => text + eol)
      .join(""),
    { from, to: Math.min(to, all.length) },
    { raw: path, column, pageBytes: MOST_BYTES },
  );
  const lines = splitLines(body);
  const extent = { ...shown, column, next: nextColumn };
  await session.showed(at.path, version, { total: all.length, shown: [extent] }, call);
  warn(`${printable(path)} is not text: bytes that cannot be printed are shown as \\xNN. Edit will not change it.`);
  return {
    path: at.path,
    content: lines.map(({ text }, n) => `${from + n}\t${escaped(text)}\n`).join(""),
    startLine: from,
    endLine: shown.to,
    ...(nextColumn !== undefined && { nextColumn }),
    totalLines: all.length,
    sha256: version.sha,
  };
}

export function beyondEnd(offset: number, lines: number): Refusal {
  return new Refusal("line_out_of_range", `The file has ${plural(lines, "line")}.`, {
    next: lines === 1 ? "Use offset 1." : `Use an offset between 1 and ${lines}.`,
    details: { offset, lines },
  });
}

/** Parts of it are no help: without line ends of text there is nothing to ask for. */
function tooLarge(cause: Refusal): Refusal {
  const { message, details = {} } = cause.failure;
  const next = "It is not text, so no part of it is shown either. Leave it as it is.";
  return new Refusal("file_too_large", message, { next, details, cause });
}

/** One character for every byte. */
function linesOf(version: Version): Line[] {
  return splitLines(Buffer.from(bytesOf(version)).toString("latin1"));
}

function escaped(text: string): string {
  return text.replace(/[^\t\x20-\x7e]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
