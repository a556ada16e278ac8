// A history in one file: a header line that says where the journal ends and what the file holds, then records as in the log.
import fs from "node:fs";
import type { Sha } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { shown } from "../../core/printable.ts";
import { Chain } from "../journal/chain.ts";
import { type Reached, type Receiver, requireArrived, type Source } from "../transfer.ts";
import { refusalOf } from "./errno.ts";
import { closeQuietly, readFully, removeQuietly } from "./io.ts";
import { appendWhole } from "./log/segment.ts";
import { itemsIn, recordOf } from "./transfer.ts";

const HEADER_BYTES = 160;
const HEADER = /^stet history 1, head (\d{1,16}):([0-9a-f]{64}), (\d{1,16}) versions, (\d{1,16}) bytes *\n$/;

/** The file gets its name when all of it is there. One that is there already is refused. */
export async function writeHistoryFile<T>(path: string, work: (receiver: Receiver) => Promise<T>): Promise<T> {
  refuseTaken(path);
  const temporary = `${path}.${process.pid}.tmp`;
  const fd = opened(temporary, "wx+", "write");
  let [end, versions] = [appendWhole(fd, [Buffer.alloc(HEADER_BYTES)], 0), 0];
  try {
    return await work({
      async add(item) {
        if (item.kind === "file") return;
        end = appendWhole(fd, recordOf(item), end);
        if (item.kind === "version") versions++;
      },
      async finish(head) {
        const text = `stet history 1, head ${head.seq}:${head.hash}, ${versions} versions, ${end} bytes`;
        fs.writeSync(fd, `${text.padEnd(HEADER_BYTES - 1)}\n`, 0);
        fs.fsyncSync(fd);
        requireArrived(await readHistoryFile(temporary, (source) => source.verify()), head);
        refuseTaken(path);
        fs.renameSync(temporary, path);
      },
    });
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
    const header = stat.isFile() ? HEADER.exec(readFully(fd, 0, HEADER_BYTES).toString("latin1")) : null;
    if (header === null) throw new Refusal("invalid_input", `${shown(path)} is not a history that stet exported.`);
    const [, seq, hash, versions, bytes] = header;
    if (Number(bytes) !== stat.size) throw damagedFile(path);
    const head = { seq: Number(seq), hash: hash as Sha };
    return await work(sourceOf(fd, path, stat.size, head, Number(versions)));
  } finally {
    closeQuietly(fd);
  }
}

function sourceOf(fd: number, path: string, size: number, head: Reached, versions: number): Source {
  return {
    head,
    damaged: [],
    async *history() {
      yield* itemsIn(fd, HEADER_BYTES, size);
    },
    async verify() {
      const chain = new Chain({}, []);
      let left = versions;
      for (const item of itemsIn(fd, HEADER_BYTES, size)) {
        if (item.kind === "version") left--;
        else if (!chain.line(item.line)) break;
      }
      chain.end(head);
      const verification = chain.finish();
      if (verification.ok && left !== 0) throw damagedFile(path);
      return verification;
    },
  };
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
