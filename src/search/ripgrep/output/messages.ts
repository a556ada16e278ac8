// Messages of ripgrep's JSON as they come, a line each. What a line with very many matches says of them can be a hundred
// times as long as the line: only what is asked for is kept.
import { LARGEST } from "../../fallback/grep.ts";
import { RipgrepUnable } from "../process.ts";

export interface Messages {
  /** All messages that are whole by now, each with its line end. Undefined: none is. */
  take(chunk: Buffer): string | undefined;
}

/** Shorter ones are kept as they are. */
const LONG = 256 * 1024;
/** Of one message, where all matches are asked for. JavaScript goes through them in a thread of its own. */
const MOST_OF_PLACES = 2 * 1024 * 1024;

/** firstMatch: of a line the first match is enough. */
export function messagesOf(firstMatch: boolean): Messages {
  let held: Buffer[] = [];
  let size = 0;
  /** It is looked at again when it has twice the size, so that all looking is in proportion to its end. */
  let nextLook = LONG;
  /** What is still to come of this message is dropped. */
  let dropping = false;

  function begin(bytes: Buffer): void {
    held = [];
    size = 0;
    nextLook = LONG;
    dropping = false;
    add(bytes);
  }

  function add(bytes: Buffer): void {
    if (dropping) return;
    held.push(bytes);
    size += bytes.length;
    if (size < nextLook) return;
    const message = Buffer.concat(held);
    held = [message];
    nextLook = 2 * size;
    shorten(message);
  }

  function shorten(message: Buffer): void {
    const places = message.indexOf(PLACES);
    if ((places === -1 ? size : places) > LARGEST) throw new RipgrepUnable("a line is too long to be held");
    if (places !== -1 && firstMatch) {
      const end = endOfFirst(message, places);
      if (end === -1) return;
      held = [Buffer.concat([message.subarray(0, end), END])];
      dropping = true;
    } else if (places !== -1 && size - places > MOST_OF_PLACES) {
      throw new RipgrepUnable("a line has very many matches");
    }
  }

  /** The rest of a message that was shortened goes. */
  function restOf(chunk: Buffer): Buffer {
    return dropping ? chunk.subarray(chunk.indexOf(NEWLINE)) : chunk;
  }

  return {
    take(chunk) {
      const last = chunk.lastIndexOf(NEWLINE);
      if (last === -1) {
        add(chunk);
        return undefined;
      }
      const whole = Buffer.concat([...held, restOf(chunk.subarray(0, last + 1))]).toString();
      begin(chunk.subarray(last + 1));
      return whole;
    },
  };
}

/** A quote within a JSON string is escaped, so these are found nowhere else. */
const PLACES = ',"submatches":[';
const START = '},"start":';
const END = Buffer.from("]}}");
const NEWLINE = 10;

function endOfFirst(message: Buffer, places: number): number {
  const start = message.indexOf(START, places);
  const end = start === -1 ? -1 : message.indexOf("}", start + 1);
  return end === -1 ? -1 : end + 1;
}
