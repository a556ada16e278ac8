// Files that are no text, as Read shows them: lines of bytes, those that cannot be printed as \xNN.
import type { LineRange, Version } from "../../backends/backend.ts";
import { type Line, splitLines } from "../../edit/lines.ts";
import { Refusal } from "../../kernel/failure.ts";
import { bytesOf } from "../../kernel/version.ts";
import { printable } from "../legible.ts";
import type { ToolContext } from "../tool.ts";

const LONGEST_LINE = 1024 * 1024;
/** Of what is no text, shown at once; whoever wants more goes on with offset. */
const MOST_BYTES = 64 * 1024;

/** The lines from `from` to `to`, as far as they fit. */
export async function readAsBytes({ session, call, warn }: ToolContext, path: string, { from, to }: LineRange) {
  const { at, version } = await session.readBytes(path, call).catch((error: unknown) => {
    throw error instanceof Refusal && error.kind === "file_too_large" ? tooLarge(error) : error;
  });
  const all = linesOf(version);
  if (from > all.length) throw beyondEnd(from, all.length);
  const wanted = all.slice(from - 1, to);
  const lines = wanted.slice(0, Math.max(1, howManyFit(wanted)));
  refuseLongLines(lines, from, all.length);
  const last = from + lines.length - 1;
  await session.showed(at.path, version, { total: all.length, shown: [{ from, to: last }] }, call);
  warn(`${printable(path)} is not text: bytes that cannot be printed are shown as \\xNN. Edit will not change it.`);
  return {
    path: at.path,
    content: lines.map(({ text }, n) => `${from + n}\t${escaped(text)}\n`).join(""),
    startLine: from,
    endLine: last,
    totalLines: all.length,
    sha256: version.sha,
  };
}

/** A file that Read refuses whatever lines of it are asked for: none of them is short enough. */
export function cannotBeShown(version: Version): boolean {
  if (version.size <= LONGEST_LINE) return false;
  return linesOf(version).every(({ text }) => text.length > LONGEST_LINE);
}

/** `total`: how many lines the file has. */
export function refuseLongLines(lines: readonly Pick<Line, "text">[], from: number, total: number): void {
  const long = lines.findIndex(({ text }) => Buffer.byteLength(text) > LONGEST_LINE);
  if (long === -1) return;
  const next =
    total > 1 ? "Read the lines before or after it, or use" : "It is the only line: Write and Edit leave it. Use";
  throw new Refusal("file_too_large", `Line ${from + long} is longer than ${LONGEST_LINE} bytes.`, {
    next: `${next} Grep to find what you need in it.`,
    details: { line: from + long, maxBytes: LONGEST_LINE },
  });
}

export function beyondEnd(offset: number, lines: number): Refusal {
  return new Refusal("line_out_of_range", `The file has ${lines} lines.`, {
    next: `Use an offset between 1 and ${lines}.`,
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

function howManyFit(lines: readonly Line[]): number {
  let bytes = 0;
  const tooMuch = lines.findIndex(({ text }) => {
    bytes += text.length;
    return bytes > MOST_BYTES;
  });
  return tooMuch === -1 ? lines.length : tooMuch;
}

function escaped(text: string): string {
  return text.replace(/[^\t\x20-\x7e]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
