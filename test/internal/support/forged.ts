// Histories that stet made, and then somebody forged: well-hashed lines of any content.
import { hash } from "node:crypto";
import { closeSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Version, Workspace, type WorkspaceOptions } from "stet";
import { disk } from "stet/backends/disk";
import { GENESIS } from "stet/backends/parts";
import { encodeRecord, type RecordAt, walkRecords } from "../../../src/backends/disk/log/record.ts";
import { windowOn } from "../../../src/backends/disk/log/segment.ts";
import { encode } from "../../../src/backends/journal/entry.ts";
import { historyIn } from "../../support/history-place.ts";
import { tempDir } from "../../support/temp.ts";
import { directoryWith } from "../../support/workspace.ts";

export interface Used {
  readonly root: string;
  readonly home: string;
  readonly segment: string;
}

/** Six entries: `a` made and written twice, `b` made, `c` made and deleted. */
export async function usedWorkspace(): Promise<Used> {
  const at = { root: directoryWith({}), home: tempDir() };
  const workspace = opened(at);
  const session = workspace.session({ id: "s1" });
  await session.create("a", "first line of a\n");
  await session.write("a", "second line of a\n");
  await session.create("b", "only line of b\n");
  await session.write("a", "third line of a\n");
  await session.create("c", "only line of c\n");
  await session.delete("c");
  await workspace.close();
  return { ...at, segment: segmentOf(at.home) };
}

export const segmentOf = (home: string): string => join(historyIn(home), "log/0000000000000001.log");

export const opened = ({ root, home }: Pick<Used, "root" | "home">, options?: WorkspaceOptions): Workspace =>
  new Workspace(disk({ root, stateDir: home, durability: "fast", lockMs: 50 }), options);

/** A record as a process leaves it that dies before it puts anything in place. */
export function recordOf(line: string, blobs: readonly Version[]): Buffer {
  return encodeRecord({ line, blobs }, Date.now());
}

export type Forging = (entry: Record<string, unknown>, seq: number) => Record<string, unknown> | string;

/** Every line with the hash that it should have, after the entries were changed. A string is the text of an entry, whole but for its hash. */
export function forge(segment: string, forging: Forging): void {
  let prev: string = GENESIS;
  const records = linesIn(segment).map(({ line, blobs }) => {
    if (line === undefined) return encodeRecord({ blobs }, 0);
    const { hash: _, ...entry } = JSON.parse(line) as Record<string, unknown>;
    const next = forging({ ...entry, prev }, entry.seq as number);
    const open = (typeof next === "string" ? next : encode(next)).slice(0, -1);
    prev = hash("sha256", open);
    return recordOf(`${open},"hash":"${prev}"}`, blobs);
  });
  writeFileSync(segment, Buffer.concat(records));
}

/** The lines of entries, and the versions that each brings. */
function linesIn(segment: string): { readonly line?: string; readonly blobs: readonly Version[] }[] {
  const bytes = readFileSync(segment);
  return recordsIn(segment).map(({ line, blobs }) => ({
    ...(line !== null && { line: bytes.toString("utf8", line.start, line.start + line.bytes - 1) }),
    blobs: blobs.map(({ sha, size, offset }) => ({ sha, size, parts: [bytes.subarray(offset, offset + size)] })),
  }));
}

/** Whether a byte is of a line, or of what says where the next one is. The others are of versions, and of when they were kept. */
export function chainedBytesIn(segment: string): (position: number) => boolean {
  const records = recordsIn(segment);
  return (position) =>
    records.some(
      ({ offset, line }) =>
        (position >= offset && position < offset + LENGTHS_END) ||
        (line !== null && position >= line.start && position < line.start + line.bytes),
    );
}

/** The header begins with what marks it, and two lengths. */
const LENGTHS_END = 12;

function recordsIn(segment: string): RecordAt[] {
  const fd = openSync(segment, "r");
  try {
    return [...walkRecords(windowOn(fd), { from: 0, to: statSync(segment).size })];
  } finally {
    closeSync(fd);
  }
}
