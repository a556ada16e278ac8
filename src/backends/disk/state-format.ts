// The files by which a state says what it is: its format, and that git shall leave it alone.
import fs from "node:fs";
import { Refusal } from "../../kernel/failure.ts";
import { errnoOf } from "./errno.ts";
import type { Dir } from "./pin.ts";
import { readStateFile } from "./state-file.ts";

const FORMAT = "1\n";

export function checkFormat(base: Dir): void {
  const path = base.at("format");
  const found = readStateFile(path, FORMAT_BYTES)?.toString("latin1") ?? writeFormat(base, path);
  // Empty: another process is writing it right now, or died while doing so; there is only one format to write.
  if (found === FORMAT || found === "") return;
  const shown = /^\d{1,9}\n?$/.test(found) ? found.trim() : "that is no number";
  throw new Refusal("unsupported", `The state of this workspace has a format ${shown}; this stet knows format 1.`, {
    next: "Use the stet that wrote it, or a newer one.",
  });
}

const FORMAT_BYTES = 64;

function writeFormat(base: Dir, path: string): string {
  try {
    fs.writeFileSync(path, FORMAT, { flag: "wx", mode: 0o600 });
  } catch (error) {
    // Another process was faster.
    if (errnoOf(error) === "EEXIST") return readStateFile(path, FORMAT_BYTES)?.toString("latin1") ?? FORMAT;
    throw error;
  }
  ignoreForGit(base.at(".gitignore"));
  return FORMAT;
}

/** An owner's own file of that name stays as it is. */
function ignoreForGit(path: string): void {
  try {
    fs.writeFileSync(path, "*\n", { flag: "wx" });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
}
