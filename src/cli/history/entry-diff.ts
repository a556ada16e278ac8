// What an entry did to one file, as a diff of the kept versions, or the reason why there is none to show.
import type { Backend, Entry, Sha, Version } from "../../backends/backend.ts";
import { unifiedDiff } from "../../edit/unified.ts";
import { Refusal } from "../../kernel/failure.ts";
import { diffsToShow } from "../../kernel/history/purged-diffs.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { decode, displayable } from "../../kernel/text.ts";
import type { EntryFile, Lines } from "./entry-files.ts";

export type FileDiff =
  | ({ readonly text: string; readonly truncated: boolean } & Readonly<Lines>)
  | { readonly left: "too large" | "binary" | "not kept" | "purged" };

export async function diffOf(backend: Backend, file: EntryFile): Promise<FileDiff> {
  const { path, movedFrom, before, after } = file;
  if (Math.max(file.beforeSize, file.afterSize) > LIMITS.sliceBytes) return { left: "too large" };
  const from = await textAt(backend, before);
  const to = await textAt(backend, after);
  if (from === "not kept" || to === "not kept") return { left: "not kept" };
  if (from === "binary" || to === "binary") return { left: "binary" };
  const { text, ...rest } = unifiedDiff(from?.text ?? "", to?.text ?? "", {
    fromPath: from === null ? null : (movedFrom ?? path),
    toPath: to === null ? null : path,
    maxBytes: MOST_BYTES,
  });
  return { text: displayable(text), ...rest };
}

/** Not where the entry tells of a file that was purged since: see `diffsToShow`. */
export async function mayShowDiffs(backend: Backend, { seq }: Entry): Promise<boolean> {
  let purged = false;
  for await (const { details } of backend.log({ outcomes: ["note"], sinceSeq: seq }))
    purged ||= "purged" in (details ?? {});
  if (!purged) return true;
  const mayShow = diffsToShow();
  let shown = true;
  for await (const entry of backend.log({ sinceSeq: seq, newestFirst: true })) shown = mayShow(entry);
  return shown;
}

const MOST_BYTES = 1024 * 1024;

async function textAt(
  backend: Backend,
  sha: Sha | null,
): Promise<{ readonly text: string } | "not kept" | "binary" | null> {
  if (sha === null) return null;
  const version = await backend.recall(sha);
  return version === null ? "not kept" : textOf(version);
}

function textOf({ parts }: Version): { readonly text: string } | "binary" {
  try {
    return { text: decode(parts).body };
  } catch (error) {
    if (error instanceof Refusal) return "binary";
    throw error;
  }
}
