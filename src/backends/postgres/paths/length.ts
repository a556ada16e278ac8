// How long a path may be in the database: it has to fit into the rows of its indexes.
import { Refusal } from "../../../core/failure.ts";
import { shown } from "../../../core/printable.ts";

/** Twice this, and what else is in it, fits into a row of an index. */
const PATH_BYTES = 1250;

export function checkLength(path: string, next = "Use a shorter path."): void {
  if (path.length * 3 <= PATH_BYTES || Buffer.byteLength(path) <= PATH_BYTES) return;
  const why = `In the database a path has at most ${PATH_BYTES} bytes, and ${shown(path)} has ${Buffer.byteLength(path)}.`;
  throw new Refusal("invalid_path", why, { path, next });
}

/** Of paths that a journal speaks of: they cannot be changed any more. */
export function checkLengthsInJournal(paths: Iterable<string>): void {
  for (const path of paths) checkLength(path, "The journal speaks of it. --no-history moves the files alone.");
}
