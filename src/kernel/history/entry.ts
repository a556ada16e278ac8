// One entry as people read it: an item per file, a move counted once, and its diff from the kept versions.
import type { Backend, Entry, EntryChange, Path, Sha, Version } from "../../core/backend.ts";
import { Deadline } from "../../core/deadline.ts";
import { Refusal } from "../../core/failure.ts";
import { LIMITS } from "../../core/limits.ts";
import { runInWorker } from "../run-in-worker.ts";
import { decode, displayable } from "../text/text.ts";

export interface EntryFile {
  readonly letter: "A" | "M" | "D" | "R";
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
  const sourceOf = ({ movedFrom }: EntryChange): EntryChange | undefined =>
    movedFrom === undefined ? undefined : byPath.get(movedFrom);
  const left = new Set(changes.flatMap((change) => (isMove(change, sourceOf(change)) ? [change.movedFrom!] : [])));
  const kept = changes.filter(({ path, to }) => to !== null || !left.has(path));
  return kept.map((change) => fileOf(change, sourceOf(change)));
}

/** Only where the entry says what was at the source: a change that merely claims to be a move counts as what it did. */
function isMove({ to }: EntryChange, source: EntryChange | undefined): boolean {
  return to !== null && source !== undefined && source.from !== null;
}

function fileOf(change: EntryChange, source: EntryChange | undefined): EntryFile {
  const { path, from, to, toSize, proof, movedFrom } = change;
  const moved = isMove(change, source);
  const origin = moved ? source! : change;
  return {
    letter: moved ? "R" : from === null ? "A" : to === null ? "D" : "M",
    path,
    ...(moved && movedFrom !== undefined && { movedFrom }),
    before: origin.from,
    after: to,
    beforeSize: origin.fromSize ?? 0,
    afterSize: toSize ?? 0,
    ...(proof !== undefined && { proof }),
  };
}

/** "versions": checked, each version has the sha256 that the entry names. "journal": as the entry says; it cannot be checked. */
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

/** How much more of the kept versions one answer may read. It is used up as they are read. */
export interface Room {
  bytes: number;
}

export interface Asked {
  readonly room: Room;
  /** Of the diff; 0 where only the lines are counted. */
  readonly maxBytes: number;
  /** The largest version that is compared. */
  readonly largest?: number;
  /** Not even to be looked at is what the journal calls larger than there is room for. */
  readonly quick?: true;
}

export async function toldDiff(backend: Backend, file: EntryFile, asked: Asked): Promise<Told> {
  const largest = asked.largest ?? LIMITS.sliceBytes;
  const from = await keptVersion(backend, file.before, asked.quick ? file.beforeSize : 0, asked.room);
  const to = await keptVersion(backend, file.after, asked.quick ? file.afterSize : 0, asked.room);
  const checked = typeof from !== "string" && typeof to !== "string";
  const sizes = {
    beforeSize: typeof from === "string" ? file.beforeSize : (from?.size ?? 0),
    afterSize: typeof to === "string" ? file.afterSize : (to?.size ?? 0),
    sizesFrom: checked ? "versions" : "journal",
  } as const;
  const left = (why: Left): Told => ({ ...sizes, diff: { left: why } });
  if (typeof from === "string") return left(from);
  if (typeof to === "string") return left(to);
  if (Math.max(sizes.beforeSize, sizes.afterSize) > largest) return left("too large");
  const [before, after] = [textOf(from), textOf(to)];
  if (before === undefined || after === undefined) return left("binary");
  const options = {
    fromPath: from === null ? null : (file.movedFrom ?? file.path),
    toPath: to === null ? null : file.path,
    maxBytes: asked.maxBytes,
  };
  const made = await runInWorker("unifiedDiff", [before, after, options], new Deadline(LIMITS.callMs)).catch(
    unlessDefect,
  );
  if (made === undefined) return left("too large");
  const { text, ...rest } = made;
  return { ...sizes, diff: { text: displayable(text), ...rest } };
}

/** It took too long, or more memory than there is for it. */
function unlessDefect(error: unknown): undefined {
  if (!(error instanceof Refusal)) throw error;
}

/** The size of a kept version, or what the journal says where it cannot be looked at. */
export async function toldSize(
  backend: Backend,
  { sha, size }: { readonly sha: Sha; readonly size: number },
  room: Room,
): Promise<{ readonly size: number; readonly sizeFrom: Source }> {
  const version = await keptVersion(backend, sha, size, room);
  return version === null || typeof version === "string"
    ? { size, sizeFrom: "journal" }
    : { size: version.size, sizeFrom: "versions" };
}

/** What is really read is what counts, whatever size the journal says. */
async function keptVersion(
  backend: Backend,
  sha: Sha | null,
  size: number,
  room: Room,
): Promise<Version | null | "not kept" | "damaged" | "not looked at" | "too large"> {
  if (sha === null) return null;
  if (room.bytes <= 0 || size > room.bytes) return "not looked at";
  try {
    const version = await backend.recall(sha, { maxBytes: LARGEST });
    room.bytes -= (version?.size ?? 0) + LOOK_UP;
    return version ?? "not kept";
  } catch (error) {
    if (error instanceof Refusal) return error.kind === "file_too_large" ? "too large" : "damaged";
    throw error;
  }
}

/** Of a version that is loaded only to be reported. */
const LARGEST = 64 * 1024 * 1024;

/** What looking up a version costs besides its bytes, in bytes that could be read meanwhile. */
const LOOK_UP = 16 * 1024;

/** Undefined where it is not text. */
function textOf(version: Version | null): string | undefined {
  try {
    return version === null ? "" : decode(version.parts).body;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
