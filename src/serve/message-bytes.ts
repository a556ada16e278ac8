// Limits of a message: its length, its depth and its values; and the id of one that is too long to keep.

/** 32 MiB of text with the quoting that JSON adds to it, and some room: so much can be written in one call. */
export const MAX_MESSAGE_BYTES = 48 * 1024 * 1024;

export type MessageId = string | number | null;

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

/** Longest id or key that is remembered; a longer one cannot be answered by name. */
const MAX_TOKEN = 1000;

const [QUOTE, BACKSLASH, COLON, COMMA] = Buffer.from('"\\:,');

/** Finds the id of a message as its bytes go by: clients write it after the parameters, and wait for an answer to it. */
export class PassingId {
  #id: MessageId = null;
  #depth = 0;
  #quoted = false;
  #escaped = false;
  #isList = false;
  /** Of the outermost object: the key or value that is being read. */
  #token: number[] = [];
  #key: unknown;

  take(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#quoted) this.#inQuotes(byte);
      else this.#outside(byte);
    }
  }

  /** Null where there is none, as for a list of messages. */
  get id(): MessageId {
    return this.#id;
  }

  #inQuotes(byte: number): void {
    if (this.#depth === 1) this.#keep(byte);
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#quoted = false;
  }

  #outside(byte: number): void {
    if (byte === QUOTE) this.#quoted = true;
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (this.#depth === 0) this.#isList = byte === OPEN_BRACKET;
      this.#depth += 1;
      if (this.#token.length > 0) this.#token = [];
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (this.#depth === 1) this.#endOfValue();
      this.#depth -= 1;
    } else if (this.#depth !== 1) return;
    else if (byte === COLON) this.#key = this.#taken();
    else if (byte === COMMA) this.#endOfValue();
    else this.#keep(byte);
  }

  #keep(byte: number): void {
    if (this.#token.length <= MAX_TOKEN) this.#token.push(byte);
  }

  #endOfValue(): void {
    if (this.#key === "id" && !this.#isList) {
      const value = this.#taken();
      this.#id = typeof value === "string" || Number.isSafeInteger(value) ? (value as MessageId) : null;
    }
    this.#key = undefined;
    if (this.#token.length > 0) this.#token = [];
  }

  #taken(): unknown {
    const text = Buffer.from(this.#token).toString();
    this.#token = [];
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }
}
