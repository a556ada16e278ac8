// Whether a text of JSON, before it is parsed, nests or branches so much that parsing it would fill the memory.

/** Strings are passed over. What is not JSON gets an answer too: the parser says the rest. */
export function isTangled(json: Uint8Array): boolean {
  let depth = 0;
  let opened = 0;
  let inText = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i]!;
    if (inText) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) inText = false;
      continue;
    }
    if (byte === QUOTE) inText = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (++depth > MOST_LEVELS || ++opened > MOST_OPENED) return true;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** More than an entry has, its own levels included. */
const MOST_LEVELS = 100;
/** A change of some hundred thousand files is an entry all the same. */
const MOST_OPENED = 1_000_000;
