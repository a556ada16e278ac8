// How much one undo may take back: all versions of it are in memory at once.
import type { Entry, Path } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";

/** Of content at once. One entry alone was in memory at once when it was made, and one file cannot be taken back in parts. */
const MOST_BYTES = 256 * 2 ** 20;

/** Before anything is read. The entries are newest first. */
export function refuseTooMuch(entries: readonly Entry[], most: number): void {
  const part = newestPart(entries, most);
  if (part.count === entries.length) return;
  const { files, bytes } = newestPart(entries, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
  const why =
    files > most
      ? `This would take back changes of ${files} files at once; the limit is ${most}.`
      : `This would take back ${inMiB(bytes)} of content at once, in ${files === 1 ? "1 file" : `${files} files`}; the limit is ${inMiB(MOST_BYTES)}.`;
  throw new Refusal("too_many_files", why, {
    next: "Take back the newest entries first, then the others.",
    details: {
      files,
      ...(files > most ? { limit: most } : { bytes, limitBytes: MOST_BYTES }),
      ...(part.since !== undefined && { since: part.since }),
      ...(part.count > 0 && { newest: entries[0]!.seq }),
    },
  });
}

interface Part {
  /** How many entries, from the newest on, can be taken back at once. */
  readonly count: number;
  /** A time since which there are no more than these; none where a single moment has more. */
  readonly since?: string;
  readonly files: number;
  readonly bytes: number;
}

function newestPart(entries: readonly Entry[], mostFiles: number, mostBytes = MOST_BYTES): Part {
  /** What each file was before, at its largest; what it is now is held besides. */
  const largest = new Map<Path, number>();
  let part: Part = { count: 0, files: 0, bytes: 0 };
  let bytes = 0;
  for (const [n, { at, changes }] of entries.entries()) {
    for (const { path, fromSize = 0, toSize = 0 } of changes) {
      const was = largest.get(path);
      bytes += was === undefined ? toSize + fromSize : Math.max(0, fromSize - was);
      largest.set(path, Math.max(was ?? 0, fromSize));
    }
    const isFew = bytes <= mostBytes || n === 0 || largest.size === 1;
    if (largest.size > mostFiles || !isFew) return part;
    const since = entries[n + 1]?.at === at ? part.since : at;
    part = { count: n + 1, files: largest.size, bytes, ...(since !== undefined && { since }) };
  }
  return part;
}

function inMiB(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)} MiB`;
}
