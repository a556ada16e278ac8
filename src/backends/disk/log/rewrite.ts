// Writes a segment anew: without versions that are dropped, or since the pages of its file are not to be relied on any more.
import fs from "node:fs";
import { dirname } from "node:path";
import type { Sha } from "../../../core/backend.ts";
import { damaged } from "../../journal/entry.ts";
import { closeQuietly, flushDirectory, removeQuietly } from "../io.ts";
import { createStateFile } from "../state-file.ts";
import { bytesIn, encodeRecord, type Walked, walkRecords } from "./record.ts";
import { openToRead, readFully, readLineAt, windowOn } from "./segment.ts";
import { indexPath } from "./segment-index.ts";

/** In one step: a reader finds the segment as it was, or as it is. Of a damaged one nothing is dropped. */
export function rewriteWithout(path: string, shas: ReadonlySet<Sha>): void {
  const file = openToRead(path);
  if (file === null) return;
  const temporary = `${path}.tmp`;
  try {
    fs.rmSync(temporary, { force: true });
    const to = createStateFile(temporary);
    try {
      let end = 0;
      for (const record of walkRecords(windowOn(file.fd), 0, file.stat.size)) {
        end = record.end;
        const bytes = recordWithout(file.fd, record, shas);
        for (let done = 0; done < bytes.length; ) done += fs.writeSync(to, bytes, done);
      }
      if (end !== file.stat.size) throw damaged("A segment of the journal is damaged: nothing of it can be dropped.");
      fs.fsyncSync(to);
    } catch (error) {
      removeQuietly(temporary);
      throw error;
    } finally {
      fs.closeSync(to);
    }
    fs.renameSync(temporary, path);
    // Before anything is appended to the new file: its flush does not make its name safe.
    flushDirectory(dirname(path));
    fs.rmSync(indexPath(path), { force: true });
  } finally {
    closeQuietly(file.fd);
  }
}

function recordWithout(fd: number, record: Walked, shas: ReadonlySet<Sha>): Buffer {
  const { lineBytes, lineOffset, time, blobs, renewed } = record;
  const place = { start: lineOffset, bytes: lineBytes };
  const line = lineBytes === 0 ? undefined : readLineAt((offset, length) => readFully(fd, offset, length), place);
  if (line === null) throw damaged("A segment of the journal is damaged: nothing of it can be dropped.");
  const kept = blobs.filter(({ sha }) => !shas.has(sha));
  const parts = kept.map(({ sha, size, offset }) => ({ sha, size, parts: [readFully(fd, offset, size)] }));
  const again = renewed.filter((sha) => !shas.has(sha));
  if (line === undefined && parts.length + again.length === 0) return Buffer.alloc(0);
  const pieces = encodeRecord({ ...(line && { line: line.toString() }), blobs: parts, renewed: again }, time);
  return Buffer.concat(pieces, bytesIn(pieces));
}
