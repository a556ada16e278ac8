// Checks a whole log: every segment streamed through the chain.
import { setImmediate } from "node:timers/promises";
import type { Verification, VerifyOptions } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { Chain } from "../../journal/chain.ts";
import { closeQuietly } from "../io.ts";
import { openStateFile } from "../state-file.ts";
import { walkRecords } from "./record.ts";
import { listSegments, readLineAt, type SealedSegment, windowOn } from "./segment.ts";

/** Needs no lock: entries appended meanwhile are checked too, or left for the next time. `settled`: the log reached this entry. */
export async function verifyLog(dir: string, options: VerifyOptions = {}, settled = 0): Promise<Verification> {
  const chain = new Chain(options);
  const segments = listSegments(dir);
  for (const [i, { firstSeq, path }] of segments.entries()) {
    options.progress?.(chain.next - 1);
    const isLast = i === segments.length - 1;
    const lastSeq = isLast ? settled : segments[i + 1]!.firstSeq - 1;
    if (firstSeq < chain.next)
      chain.report(firstSeq, `A segment starts at entry ${firstSeq}, which the one before it holds too.`);
    chain.missing(firstSeq);
    try {
      if (!(await verifySegment(chain, { firstSeq, path, lastSeq }, isLast, options.signal))) break;
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind !== "journal_damaged") throw error;
      chain.report(chain.next, error.failure.message);
    }
  }
  chain.missing(settled + 1);
  return chain.finish();
}

async function verifySegment(
  chain: Chain,
  { path, lastSeq }: SealedSegment,
  isLast: boolean,
  signal: VerifyOptions["signal"],
): Promise<boolean> {
  const file = openStateFile(path);
  if (file === null) return true;
  const { fd } = file;
  try {
    const { size } = file.stat;
    const read = windowOn(fd, BLOCK_BYTES);
    let [end, count] = [0, 0];
    for (const record of walkRecords(read, { from: 0, to: size, settled: lastSeq })) {
      if (record.offset > end) {
        const bytes = `${record.offset - end} bytes after entry ${chain.next - 1}`;
        chain.report(chain.next, `Damaged: ${bytes} are no whole record. What follows them can be read.`);
      }
      end = record.end;
      if (record.line === null) continue;
      if (!chain.line(readLineAt(read, record.line) ?? NO_LINE)) return false;
      if (++count % LINES_AT_ONCE > 0) continue;
      await setImmediate();
      if (signal?.aborted) throw new Refusal("cancelled", "It was called off; nothing was changed.");
    }
    // Behind what is settled it is being written, or the rest of a crash, which the next change moves aside and tells.
    if (end < size && (!isLast || chain.next <= lastSeq))
      chain.report(chain.next, `Torn: ${size - end} bytes after entry ${chain.next - 1} are no whole entry.`);
    return true;
  } finally {
    closeQuietly(fd);
  }
}

const NO_LINE = Buffer.alloc(0);
const LINES_AT_ONCE = 512;
const BLOCK_BYTES = 256 * 1024;
