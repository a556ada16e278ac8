// The files by which a state says what it is: its format, and that git shall leave it alone.
import fs from "node:fs";
import { Refusal } from "../../../core/failure.ts";
import { errnoOf } from "../errno.ts";
import type { Dir } from "../paths/pin.ts";
import { readStateFile } from "./file.ts";

const FORMAT = "1\n";

/** `flush`: one that has to be written must outlast a power failure whole. */
export function checkFormat(base: Dir, flush: boolean): void {
  const path = base.at("format");
  const found = readStateFile(path, FORMAT_BYTES)?.toString("latin1") ?? writeFormat(base, path, flush);
  // Cut short: another process is writing it right now, or a crash came before its end; there is only one format to write.
  if (found === FORMAT || CUT_SHORT.test(found)) return;
  const shown = /^\d{1,9}\n?$/.test(found) ? found.trim() : "that is no number";
  throw new Refusal("unsupported", `The state of this workspace has a format ${shown}; this stet knows format 1.`, {
    next: "Use the stet that wrote it, or a newer one.",
  });
}

const FORMAT_BYTES = 64;
/** A disk may have its size, and not yet its bytes. */
const CUT_SHORT = /^1?\0*$/;

function writeFormat(base: Dir, path: string, flush: boolean): string {
  try {
    fs.writeFileSync(path, FORMAT, { flag: "wx", mode: 0o600, flush });
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
