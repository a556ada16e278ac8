// Checks a whole log: every segment streamed through the chain, and the signed heads kept beside it.
import fs from "node:fs";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Verification, VerifyOptions } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import { Chain } from "../../journal/chain.ts";
import { closeQuietly } from "../io.ts";
import { openStateFile, readStateFile } from "../state-file.ts";
import { walkRecords } from "./record.ts";
import { listSegments, logFailure, openToRead, readLineAt, type Segment, windowOn } from "./segment.ts";

/** Needs no lock: entries appended meanwhile are checked too, or left for the next time. `settled`: the log reached this entry. */
export async function verifyLog(dir: string, options: VerifyOptions = {}, settled = 0): Promise<Verification> {
  const { lines, problem } = readSignedHeads(dir);
  const chain = new Chain(options, lines);
  if (problem !== null) chain.report(0, problem);
  const segments = listSegments(dir);
  for (const [i, segment] of segments.entries()) {
    options.progress?.(chain.next - 1);
    const isLast = i === segments.length - 1;
    const lastSeq = isLast ? settled : segments[i + 1]!.firstSeq - 1;
    if (!(await verifySegment(chain, { ...segment, lastSeq, isLast }, options.signal))) break;
  }
  chain.missing(settled + 1);
  return chain.finish();
}

/** Appends a signed head to those kept beside the log. One JSON string a line. */
export function keepSignedHead(dir: string, text: string): void {
  try {
    fs.appendFileSync(`${dir}/${SIGNED_HEADS}`, `${JSON.stringify(text)}\n`, { mode: 0o600 });
  } catch (error) {
    throw logFailure(error, "The signed head is in the journal, but could not be written beside it");
  }
}

/** Refuses before anything is noted where none can be kept. */
export function checkSignedHeads(dir: string): void {
  const { O_RDWR, O_CREAT, O_APPEND } = fs.constants;
  const how = { flags: O_RDWR | O_CREAT | O_APPEND, maxBytes: JOURNAL_LIMITS.signedHeadsBytes };
  closeQuietly(openStateFile(`${dir}/${SIGNED_HEADS}`, how)!.fd);
}

const SIGNED_HEADS = "signed-heads.jsonl";
/** A write under way ends long before; what is still no whole record then is the rest of a crash. */
const WRITE_MS = 50;

type Signal = VerifyOptions["signal"];

/** `lastSeq`: up to which entry it must be whole. */
interface Part extends Segment {
  readonly lastSeq: number;
  readonly isLast: boolean;
}

async function verifySegment(chain: Chain, segment: Part, signal: Signal): Promise<boolean> {
  if (segment.firstSeq < chain.next) {
    chain.report(segment.firstSeq, `A segment starts at entry ${segment.firstSeq}, which the one before it holds too.`);
  }
  chain.missing(segment.firstSeq);
  try {
    return await verifyFile(chain, segment, signal);
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== "journal_damaged") throw error;
    chain.report(chain.next, error.failure.message);
    return true;
  }
}

async function verifyFile(chain: Chain, { path, lastSeq, isLast }: Part, signal: Signal): Promise<boolean> {
  const file = openToRead(path);
  if (file === null) return true;
  const { fd } = file;
  try {
    const { size } = file.stat;
    const read = windowOn(fd, BLOCK_BYTES);
    let [end, count] = [0, 0];
    for (const record of walkRecords(read, 0, size, lastSeq)) {
      if (record.offset > end) {
        const bytes = `${record.offset - end} bytes after entry ${chain.next - 1}`;
        chain.report(chain.next, `Damaged: ${bytes} are no whole record. What follows them can be read.`);
      }
      end = record.end;
      if (record.line === null) continue;
      const line = readLineAt(read, record.line);
      if (!chain.line(line ?? NO_LINE)) return false;
      if (++count % LINES_AT_ONCE === 0) await giveWay(signal);
    }
    if (end < size && !(isLast && (await isWrittenOn(fd, end, size)))) {
      const what = isLast ? "Torn tail" : "Torn end of a segment";
      chain.report(chain.next, `${what}: ${size - end} bytes after entry ${chain.next - 1} are no whole entry.`);
    }
    return true;
  } finally {
    closeQuietly(fd);
  }
}

const NO_LINE = Buffer.alloc(0);
const LINES_AT_ONCE = 512;
const BLOCK_BYTES = 256 * 1024;

/** Lets other calls have their turn, and ends where this one is wanted no more. */
async function giveWay(signal: Signal): Promise<void> {
  await setImmediate();
  if (signal?.aborted) throw new Refusal("cancelled", "It was called off; nothing was changed.");
}

async function isWrittenOn(fd: number, end: number, size: number): Promise<boolean> {
  await setTimeout(WRITE_MS);
  const now = fs.fstatSync(fd).size;
  return now !== size || !walkRecords(windowOn(fd), end, now).next().done;
}

/** A last line without its end was never finished: the same signed head is noted in the journal. */
function readSignedHeads(dir: string): { readonly lines: string[]; readonly problem: string | null } {
  try {
    const bytes = readStateFile(`${dir}/${SIGNED_HEADS}`, JOURNAL_LIMITS.signedHeadsBytes);
    const lines = (bytes ?? "").toString().split("\n").slice(0, -1);
    return { lines: lines.map(unquoted), problem: null };
  } catch (error) {
    if (error instanceof Refusal && error.kind === "journal_damaged")
      return { lines: [], problem: error.failure.message };
    throw logFailure(error, "The signed heads beside the journal could not be read");
  }
}

function unquoted(line: string): string {
  try {
    const text: unknown = JSON.parse(line);
    return typeof text === "string" ? text : line;
  } catch {
    return line;
  }
}
