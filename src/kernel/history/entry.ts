// Files of an entry: what it did to each, a move counted once, and the diff of the kept versions.
import type { Backend, Entry, EntryChange, Path, Sha, Version } from "../../core/backend.ts";
import { Deadline } from "../../core/deadline.ts";
import { ifRefused, Refusal } from "../../core/failure.ts";
import { LIMITS } from "../../core/limits.ts";
import { runInWorker } from "../run-in-worker.ts";
import { decode, displayable } from "../text/text.ts";

export type Letter = "A" | "M" | "D" | "R";

export interface EntryFile {
  readonly letter: Letter;
  readonly path: Path;
  readonly movedFrom?: Path;
  readonly before: Sha | null;
  readonly after: Sha | null;
  readonly beforeSize: number;
  readonly afterSize: number;
  readonly proof?: string;
}

export function filesOf({ changes }: Entry): EntryFile[] {
  const byPath = new Map(changes.map((change) => [change.path, change]));
  /** A move whose source had no file counts as a creation or a write. */
  const sourceOf = ({ to, movedFrom }: EntryChange): EntryChange | undefined => {
    const source = to === null || movedFrom === undefined ? undefined : byPath.get(movedFrom);
    return source?.from == null ? undefined : source;
  };
  const left = new Set(changes.flatMap((change) => sourceOf(change)?.path ?? []));
  const kept = changes.filter(({ path, to }) => to !== null || !left.has(path));
  return kept.map((change) => {
    const { path, to, toSize = 0, proof } = change;
    const source = sourceOf(change);
    const { from, fromSize = 0 } = source ?? change;
    const names = { path, movedFrom: source?.path, before: from, after: to };
    return { letter: letterOf(names), ...names, beforeSize: fromSize, afterSize: toSize, proof };
  });
}

export function letterOf({ movedFrom, before, after }: Pick<EntryFile, "movedFrom" | "before" | "after">): Letter {
  if (movedFrom !== undefined) return "R";
  return before === null ? "A" : after === null ? "D" : "M";
}

/** Paths that an entry emptied by moving their file elsewhere. */
export function movedAway({ changes }: Entry): ReadonlySet<Path> {
  return new Set(changes.flatMap(({ movedFrom }) => movedFrom ?? []));
}

/** "versions": taken from the kept versions, which are checked. "journal": taken from the entry, unchecked. */
export type Source = "versions" | "journal";

/** Why there is no diff of the versions. */
export type Left = "too large" | "binary" | "not kept" | "damaged" | "not looked at";

export interface Lines {
  readonly insertions: number;
  readonly deletions: number;
}

export type FileDiff = ({ readonly text: string; readonly truncated: boolean } & Lines) | { readonly left: Left };

export interface Told {
  readonly beforeSize: number;
  readonly afterSize: number;
  readonly sizesFrom: Source;
  readonly diff: FileDiff;
}

/** The bytes of kept versions that one answer may still read. Reading uses them up. */
export interface Room {
  bytes: number;
}

export interface DiffLimits {
  readonly room: Room;
  /** Of the diff. 0 only counts the lines. */
  readonly maxBytes: number;
  /** In bytes: no larger version is compared. */
  readonly largest?: number;
}

/** Two versions to compare. The later one may be at hand already. */
export interface Compared extends Omit<EntryFile, "letter" | "after"> {
  readonly after: Sha | Version | null;
}

export async function toldDiff(backend: Backend, file: Compared, limits: DiffLimits): Promise<Told> {
  const { room, largest = LIMITS.sliceBytes } = limits;
  const from = await keptVersion(backend, file.before, file.beforeSize, room);
  const to = await keptVersion(backend, file.after, file.afterSize, room);
  const sizes = {
    beforeSize: typeof from === "string" ? file.beforeSize : (from?.size ?? 0),
    afterSize: typeof to === "string" ? file.afterSize : (to?.size ?? 0),
    sizesFrom: typeof from === "string" || typeof to === "string" ? "journal" : "versions",
  } as const;
  const left = (why: Left): Told => ({ ...sizes, diff: { left: why } });
  if (typeof from === "string") return left(from);
  if (typeof to === "string") return left(to);
  if (Math.max(sizes.beforeSize, sizes.afterSize) > largest) return left("too large");
  const [before, after] = [textOfVersion(from), textOfVersion(to)];
  if (before === undefined || after === undefined) return left("binary");
  const options = {
    fromPath: from === null ? null : (file.movedFrom ?? file.path),
    toPath: to === null ? null : file.path,
    maxBytes: limits.maxBytes,
  };
  const diff = await runInWorker("unifiedDiff", [before, after, options], new Deadline(LIMITS.callMs)).catch(
    ifRefused(undefined),
  );
  return diff === undefined ? left("too large") : { ...sizes, diff: { ...diff, text: displayable(diff.text) } };
}

/** Skips a version that the journal calls larger than the room. The bytes that are really read count. */
async function keptVersion(
  backend: Backend,
  named: Sha | Version | null,
  size: number,
  room: Room,
): Promise<Version | null | Left> {
  if (named === null) return null;
  if (room.bytes <= 0 || size > room.bytes) return "not looked at";
  if (typeof named !== "string") return named;
  try {
    const version = await backend.recall(named, { maxBytes: MAX_VERSION_BYTES });
    room.bytes -= (version?.size ?? 0) + LOOKUP_BYTES;
    return version ?? "not kept";
  } catch (error) {
    if (error instanceof Refusal) return error.kind === "file_too_large" ? "too large" : "damaged";
    throw error;
  }
}

/** A larger version is not loaded for a report. */
const MAX_VERSION_BYTES = 64 * 1024 * 1024;

/** Looking up a version takes as long as reading so many bytes. */
const LOOKUP_BYTES = 16 * 1024;

/** Undefined for a version that is not text. */
export function textOfVersion(version: Version | null): string | undefined {
  try {
    return version === null ? "" : decode(version.parts).body;
  } catch (error) {
    return ifRefused(undefined)(error);
  }
}
