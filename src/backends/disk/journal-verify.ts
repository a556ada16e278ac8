// Checking a whole journal: every segment streamed through the chain, and the checkpoints kept beside it.
import fs from "node:fs";
import { setImmediate, setTimeout } from "node:timers/promises";
import { Refusal } from "../../kernel/failure.ts";
import type { Verification, VerifyOptions } from "../backend.ts";
import { Chain } from "../chain.ts";
import { journalFailure, linesForward, listSegments, type Segment, wholeEnd } from "./segment.ts";

/** Needs no lock: entries appended meanwhile are checked too, or left for the next time. */
export async function verifyJournal(dir: string, options: VerifyOptions = {}): Promise<Verification> {
  const checkpoints = readCheckpointLines(dir);
  const chain = new Chain(options, checkpoints);
  const segments = listSegments(dir);
  for (const [i, segment] of segments.entries()) {
    options.progress?.(chain.next - 1);
    const goingOn = await verifySegment(chain, segment, i === segments.length - 1);
    if (!goingOn) break;
  }
  return chain.finish();
}

/** Also beside the journal, one JSON string a line. True when the file had to be created. */
export function appendCheckpointLine(dir: string, text: string): boolean {
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW } = fs.constants;
  try {
    const fd = fs.openSync(`${dir}/${CHECKPOINTS}`, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
    try {
      const { size } = fs.fstatSync(fd);
      const whole = wholeEnd(fd, 0, size);
      if (whole !== size) fs.ftruncateSync(fd, whole);
      fs.writeFileSync(fd, `${JSON.stringify(text)}\n`);
      return size === 0;
    } finally {
      fs.closeSync(fd);
    }
  } catch (error) {
    throw journalFailure(error, "The checkpoint is in the journal, but could not be written beside it");
  }
}

const CHECKPOINTS = "checkpoints.jsonl";
/** A write under way ends long before; what still has no line end then is the rest of a crash. */
const WRITE_MS = 50;

async function verifySegment(chain: Chain, segment: Segment, isLast: boolean): Promise<boolean> {
  if (segment.firstSeq < chain.next) {
    chain.report(segment.firstSeq, `A segment starts at entry ${segment.firstSeq}, which the one before it holds too.`);
  }
  chain.missing(segment.firstSeq);
  const fd = fs.openSync(segment.path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
  try {
    const { size } = fs.fstatSync(fd);
    const end = wholeEnd(fd, 0, size);
    try {
      for (const lines of linesForward(fd, 0, end)) {
        for (const line of lines) if (!chain.line(line)) return false;
        await setImmediate();
      }
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind !== "journal_damaged") throw error;
      chain.report(chain.next, error.failure.message);
      return true;
    }
    if (end < size && !(isLast && (await isWrittenOn(fd, end, size)))) {
      const what = isLast ? "Torn tail" : "Torn end of a segment";
      chain.report(chain.next, `${what}: ${size - end} bytes after entry ${chain.next - 1} are no whole entry.`);
    }
    return true;
  } finally {
    fs.closeSync(fd);
  }
}

async function isWrittenOn(fd: number, end: number, size: number): Promise<boolean> {
  await setTimeout(WRITE_MS);
  const now = fs.fstatSync(fd).size;
  return now !== size || wholeEnd(fd, end, now) !== end;
}

/** A last line without its end was never finished: the same checkpoint is noted in the journal. */
function readCheckpointLines(dir: string): string[] {
  let text: string;
  try {
    text = fs.readFileSync(`${dir}/${CHECKPOINTS}`, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw journalFailure(error, "The checkpoints beside the journal could not be read");
  }
  return text.split("\n").slice(0, -1).map(unquoted);
}

function unquoted(line: string): string {
  try {
    return String(JSON.parse(line));
  } catch {
    return line;
  }
}
