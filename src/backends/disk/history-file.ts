// A history in one file: where the journal ends, its records as a stream, and a mark behind the last of them.
import fs from "node:fs";
import type { Sha } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { shown } from "../../core/printable.ts";
import { versionOf } from "../../core/version.ts";
import type { Item, Reached, Receiver, Source } from "../transfer.ts";
import { refusalOf } from "./errno.ts";
import { closeQuietly, readFully, removeQuietly } from "./io.ts";
import { encodeRecord, walkRecords } from "./log/record.ts";
import { readLineAt, windowOn } from "./log/segment.ts";

const BEGIN = /^stet history 1, head (\d{16}):([0-9a-f]{64})\n/;
const BEGIN_BYTES = 103;
/** Without it, what comes last was cut off. */
const END = Buffer.from("end\n");

/** The file gets its name when all of it is there. One that is there already is refused. */
export async function writeHistoryFile<T>(
  path: string,
  { seq, hash }: Reached,
  work: (receiver: Receiver) => Promise<T>,
): Promise<T> {
  refuseTaken(path);
  const temporary = `${path}.${process.pid}.tmp`;
  const fd = opened(temporary, "wx", "write");
  try {
    fs.writeFileSync(fd, `stet history 1, head ${String(seq).padStart(16, "0")}:${hash}\n`);
    return await work({
      async add(item) {
        if (item.kind === "entry") fs.writeFileSync(fd, encodeRecord({ line: item.line, blobs: [] }, 0));
        if (item.kind === "version") fs.writeFileSync(fd, encodeRecord({ blobs: [item.version] }, item.keptAt));
      },
      async finish() {
        fs.writeFileSync(fd, END);
        fs.fsyncSync(fd);
        refuseTaken(path);
        fs.renameSync(temporary, path);
      },
    });
  } catch (error) {
    throw refusalOf(error, path, "write");
  } finally {
    closeQuietly(fd);
    removeQuietly(temporary);
  }
}

/** Refuses what is not a whole file of this format. */
export async function readHistoryFile<T>(path: string, work: (source: Source) => Promise<T>): Promise<T> {
  const fd = opened(path, "r", "read");
  try {
    const stat = fs.fstatSync(fd);
    const [, seq, hash] = BEGIN.exec(stat.isFile() ? readFully(fd, 0, BEGIN_BYTES).toString("latin1") : "") ?? [];
    if (hash === undefined) throw new Refusal("invalid_input", `${shown(path)} is not a history that stet exported.`);
    const head = { seq: Number(seq), hash: hash as Sha };
    return await work({ head, damaged: [], items: () => itemsIn(fd, stat.size - END.length, path) });
  } finally {
    closeQuietly(fd);
  }
}

async function* itemsIn(fd: number, to: number, path: string): AsyncGenerator<Item> {
  const read = windowOn(fd);
  let end = BEGIN_BYTES;
  for (const { line: at, blobs, time, end: next } of walkRecords(read, { from: end, to })) {
    for (const { sha, offset, size } of blobs) {
      const version = versionOf([readFully(fd, offset, size)]);
      if (version.sha !== sha) throw damagedFile(path);
      yield { kind: "version", version, keptAt: time };
    }
    if (at !== null) yield { kind: "entry", line: Buffer.from(readLineAt(read, at) ?? "") };
    end = next;
  }
  if (end !== to || !readFully(fd, to, END.length).equals(END)) throw damagedFile(path);
}

function opened(path: string, flags: string, what: string): number {
  try {
    return fs.openSync(path, flags, 0o600);
  } catch (error) {
    throw refusalOf(error, path, what);
  }
}

function refuseTaken(path: string): void {
  if (fs.lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  throw new Refusal("already_exists", `${shown(path)} is there already.`, {
    next: "Name a file that is not there yet.",
  });
}

function damagedFile(path: string): Refusal {
  return new Refusal("invalid_input", `${shown(path)} is damaged or was cut off. Nothing of it was used.`, {
    next: "Export it again.",
  });
}
