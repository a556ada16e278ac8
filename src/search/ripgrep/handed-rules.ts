// Rules for ripgrep, in files of their own that only this user can reach and that are gone when the search is done.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** ripgrep gives up on a file whose rules together become too large a pattern; those of this size never do. */
const MOST_CHARACTERS = 16_000;
/** Each path is compared with one after the other. */
const MOST_FILES = 64;

export interface HandedRules {
  /** The rules of a later one count more. */
  readonly files: readonly string[];
  remove(): void;
}

/** Undefined where there are too many, or no file can be made. */
export function handRules(rules: string): HandedRules | undefined {
  const parts = partsOf(rules);
  if (parts.length > MOST_FILES) return;
  for (const place of new Set([tmpdir(), "/dev/shm"])) {
    const handed = writtenIn(place, parts);
    if (handed !== undefined) return handed;
  }
  return;
}

function writtenIn(place: string, parts: readonly string[]): HandedRules | undefined {
  let directory: string | undefined;
  const remove = (): void => {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  };
  try {
    directory = mkdtempSync(join(place, "stet-rules-"));
    const files = parts.map((_, n) => join(directory!, String(n)));
    for (const [n, file] of files.entries()) writeFileSync(file, parts[n]!, { flag: "wx", mode: 0o600 });
    return { files, remove };
  } catch {
    remove();
    return;
  }
}

function partsOf(rules: string): string[] {
  const parts: string[] = [];
  let part = "";
  for (const line of rules.split("\n")) {
    if (part.length + line.length > MOST_CHARACTERS) {
      parts.push(part);
      part = "";
    }
    part += `${line}\n`;
  }
  return [...parts, part];
}
