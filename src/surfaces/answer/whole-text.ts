// A whole new text in place of what a file holds, text or not.
import { Refusal } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import { versionOf } from "../../core/version.ts";
import type { Current, Next } from "../../kernel/change/plan.ts";
import { decode, encodeWhole } from "../../kernel/text/text.ts";
import { formNotes } from "./since-read.ts";

/** Text keeps the encoding and line endings of the file it replaces; bytes that are no text are replaced as a whole. */
export function wholeText(file: Current, content: string, encoding?: string): Next {
  const next = { body: content, ...(encoding !== undefined && { encoding }) };
  if (file.version === null) return next;
  try {
    return file.text && next;
  } catch (error) {
    if (!(error instanceof Refusal) || !["binary_file", "not_text"].includes(error.kind)) throw error;
    return { version: versionOf(encodeWhole(null, content, encoding), file.version.mode) };
  }
}

/** What the caller should know about the form of what was replaced. */
export function wholeTextNotes(file: Current, content: string, encoding?: string): string[] {
  if (file.version === null) return [];
  const name = printable(file.raw);
  try {
    const before = file.text.encoding;
    const after = encoding === undefined ? before : decode(encodeWhole(null, "", encoding), { encoding }).encoding;
    return before === after ? formNotes(file, content) : [`${name} was ${before} and is ${after} now.`];
  } catch (error) {
    if (error instanceof Refusal) return [`${name} held no text before; all of it was replaced.`];
    throw error;
  }
}
