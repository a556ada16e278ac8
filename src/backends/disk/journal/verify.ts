// Checking a whole journal: every segment streamed through the chain, and the signed heads kept beside it.
import fs from "node:fs";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Verification, VerifyOptions } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { JOURNAL_LIMITS } from "../../../core/limits.ts";
import { Chain } from "../../journal/chain.ts";
import { closeQuietly } from "../io.ts";
import { openStateFile, readStateFile } from "../state/file.ts";
import { journalFailure, linesForward, listSegments, openToRead, type Segment, wholeEnd } from "./segment.ts";

/** Needs no lock: entries appended meanwhile are checked too, or left for the next time. */
export async function verifyJournal(dir: string, options: VerifyOptions = {}): Promise<Verification> {
  const { lines, problem } = readSignedHeadLines(dir);
  const chain = new Chain(options, lines);
  if (problem !== null) chain.report(0, problem);
  const segments = listSegments(dir);
  for (const [i, segment] of segments.entries()) {
    options.progress?.(chain.next - 1);
    const goingOn = await verifySegment(chain, segment, i === segments.length - 1, options.signal);
    if (!goingOn) break;
  }
  return chain.finish();
}

interface SignedHeadLines {
  /** One JSON string a line. True when the file had to be created. */
  append(text: string): boolean;
  close(): void;
}

/** The signed heads kept beside the journal. Opened before anything is noted: what cannot be opened is refused first. */
export function openSignedHeadLines(dir: string): SignedHeadLines {
  const { O_RDWR, O_CREAT, O_APPEND } = fs.constants;
  const how = { flags: O_RDWR | O_CREAT | O_APPEND, maxBytes: JOURNAL_LIMITS.signedHeadsBytes };
  const file = trying("The signed heads beside the journal could not be opened", () =>
    openStateFile(`${dir}/${SIGNED_HEADS}`, how),
  );
  if (file === null) throw journalFailure(new Error("it is gone"), "The signed heads beside the journal were removed");
  const { fd } = file;
  return {
    append: (text) =>
      trying("The signed head is in the journal, but could not be written beside it", () => {
        const { size } = fs.fstatSync(fd);
        const whole = wholeEnd(fd, 0, size);
        if (whole !== size) fs.ftruncateSync(fd, whole);
        fs.writeFileSync(fd, `${JSON.stringify(text)}\n`);
        return size === 0;
      }),
    close: () => closeQuietly(fd),
  };
}

function trying<T>(failing: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw journalFailure(error, failing);
  }
}

/** The name that such files have had from the first: what is there stays readable. */
const SIGNED_HEADS = "checkpoints.jsonl";
/** A write under way ends long before; what still has no line end then is the rest of a crash. */
const WRITE_MS = 50;

type Signal = VerifyOptions["signal"];

async function verifySegment(chain: Chain, segment: Segment, isLast: boolean, signal: Signal): Promise<boolean> {
  if (segment.firstSeq < chain.next) {
    chain.report(segment.firstSeq, `A segment starts at entry ${segment.firstSeq}, which the one before it holds too.`);
  }
  chain.missing(segment.firstSeq);
  try {
    return await verifyFile(chain, segment, isLast, signal);
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== "journal_damaged") throw error;
    chain.report(chain.next, error.failure.message);
    return true;
  }
}

async function verifyFile(chain: Chain, segment: Segment, isLast: boolean, signal: Signal): Promise<boolean> {
  const file = openToRead(segment.path);
  if (file === null) return true;
  const { fd } = file;
  try {
    const { size } = file.stat;
    const end = wholeEnd(fd, 0, size);
    for (const lines of linesForward(fd, 0, end)) {
      for (const line of lines) if (!chain.line(line)) return false;
      await otherWork(signal);
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

/** Between two blocks: other calls have their turn, and those who want no more of this one are heard. */
export async function otherWork(signal: Signal): Promise<void> {
  await setImmediate();
  if (signal?.aborted) throw new Refusal("cancelled", "It was called off; nothing was changed.");
}

async function isWrittenOn(fd: number, end: number, size: number): Promise<boolean> {
  await setTimeout(WRITE_MS);
  const now = fs.fstatSync(fd).size;
  return now !== size || wholeEnd(fd, end, now) !== end;
}

/** A last line without its end was never finished: the same signed head is noted in the journal. */
function readSignedHeadLines(dir: string): { readonly lines: string[]; readonly problem: string | null } {
  try {
    const bytes = readStateFile(`${dir}/${SIGNED_HEADS}`, JOURNAL_LIMITS.signedHeadsBytes);
    const lines = (bytes ?? "").toString().split("\n").slice(0, -1);
    return { lines: lines.map(unquoted), problem: null };
  } catch (error) {
    if (error instanceof Refusal && error.kind === "journal_damaged")
      return { lines: [], problem: error.failure.message };
    throw journalFailure(error, "The signed heads beside the journal could not be read");
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
