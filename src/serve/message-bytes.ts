// Limits of a message: its length, its depth and its values; and the id of one that is too long to keep.

/** 32 MiB of text with the quoting that JSON adds to it, and some room: so much can be written in one call. */
export const MAX_MESSAGE_BYTES = 48 * 1024 * 1024;

type MessageId = string | number | null;

export function tooLongWords(most: number): string {
  return `Nothing was done: the message has more than ${most} bytes. Send it again in smaller parts. The owner of the server can allow more.`;
}

/** No call is nested nearly as deep; what looks into a message would run out of stack far beyond this, and a parser out of memory. */
const MAX_DEPTH = 100;
/** Values in lists and objects: a hundred times what the largest call has. More take longer to be parsed than any call to be refused. */
const MAX_VALUES = 100_000;

/** Why a message is a burden by its form, to complete "The message …". Looks at the bytes, before a parser builds anything from them. */
export function burdenOf(bytes: Buffer): string | undefined {
  let depth = 0;
  let values = 0;
  let quoted = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) quoted = !quoted;
    else if (quoted) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA) values += 1;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
    if (depth > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH}`;
    if (values > MAX_VALUES) return `holds more than ${MAX_VALUES} values`;
  }
  return undefined;
}

const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = Buffer.from("{}[]");
const [QUOTE, BACKSLASH, COMMA] = Buffer.from('"\\,');

/** So much of a message is kept at either end, for its id. */
const END_BYTES = 1000;
const ID = String.raw`"id":(-?\d{1,15}|"(?:[^"\\]|\\.)*")`;
/** Before any list or object in it, or right before its last brace: so it is that of the message, and none of its parameters. */
const ID_FIRST = new RegExp(String.raw`^\s*\{(?:"jsonrpc":"2\.0",)?${ID}[,}]`);
const ID_LAST = new RegExp(String.raw`,${ID}\}\s*$`);

/** The id of a message that is not parsed, where official clients write it: its sender waits for an answer to it. */
export class PassingId {
  #first = Buffer.alloc(0);
  #last = Buffer.alloc(0);

  take(bytes: Buffer): void {
    if (this.#first.length < END_BYTES) this.#first = Buffer.concat([this.#first, bytes.subarray(0, END_BYTES)]);
    this.#last = Buffer.concat([this.#last, bytes.subarray(-END_BYTES)]).subarray(-END_BYTES);
  }

  /** Null where there is none, as for a list of messages. */
  get id(): MessageId {
    const found = ID_FIRST.exec(this.#first.toString()) ?? ID_LAST.exec(this.#last.toString());
    return found === null ? null : parsed(found[1]!);
  }
}

function parsed(id: string): MessageId {
  try {
    return JSON.parse(id);
  } catch {
    return null;
  }
}
