// Words about bytes as text: encodings, byte order marks, and characters that cannot be written.
import type { Catalogue } from "./row.ts";
import { numberOf } from "./visible.ts";

/** Where a refusal of a new text points to: 1-based. */
export interface InNewText {
  readonly path?: string | undefined;
  readonly line: number;
  readonly column: number;
  /** From 0 on. */
  readonly at: number;
}

export interface MaybePath {
  readonly path?: string | undefined;
}

const NOT_TEXT = "Do not edit it as text; if it is to be replaced, delete it and create it anew.";
const UNKNOWN_8BIT = "unknown-8bit";

function place({ line, column }: InNewText): string {
  return `line ${line}, column ${column} of the new text`;
}

const BINARY = {
  nul: "The file is binary: it has NUL bytes near its beginning.",
  pdf: "The file is a PDF: its bytes are not the text it shows.",
};

export const TEXT = {
  binary: ({ is }: MaybePath & { is: keyof typeof BINARY }) => ({
    kind: "binary_file",
    why: BINARY[is],
    next: NOT_TEXT,
  }),
  odd_bytes: ({ encoding, size }: MaybePath & { encoding: string; size: number }) => ({
    kind: "not_text",
    why: `The file reads as ${encoding} but has an odd number of bytes (${size}).`,
    next: NOT_TEXT,
  }),
  not_in_encoding: ({ encoding }: MaybePath & { encoding: string }) => ({
    kind: "not_text",
    why: `The bytes of the file are not valid ${encoding}: decoding would lose some of them.`,
    next: "Leave the encoding out: bytes that cannot be decoded are then kept as they are.",
  }),
  encoding_unknown: ({ encoding }: MaybePath & { encoding: string }) => ({
    kind: "invalid_input",
    why: `There is no encoding "${encoding}".`,
    next: "Use a name such as utf-8, utf-16le, iso-8859-1, windows-1252 or gb18030, or leave the encoding out.",
  }),
  bom_added: (_: MaybePath) => ({
    kind: "not_text",
    why: "The edit would put U+FEFF in front of the text, where it is a byte order mark.",
    next: "Write the whole file if it is to have a byte order mark; otherwise leave the character out.",
  }),
  reads_differently: ({ encoding }: MaybePath & { encoding: string }) => ({
    kind: "not_text",
    why: `The result would read differently in ${encoding} than the edit says.`,
    next: "Replace whole lines, or whole runs of the bytes shown as \\xNN, and try again.",
  }),
  text_too_long: ({ size }: MaybePath & { size: number }) => ({
    kind: "file_too_large",
    why: `${size} bytes are more than can be held as text.`,
    next: "Do not edit it as text.",
  }),
  nul_added: (facts: InNewText) => ({
    kind: "not_text",
    why: `The new text has a NUL character (U+0000) at ${place(facts)}: it would make the file binary.`,
    next: "Leave the NUL character out.",
    details: { character: "U+0000", at: facts.at },
  }),
  character_missing: ({ character, encoding, ...facts }: InNewText & { character: string; encoding: string }) => {
    const number = numberOf(character);
    const isAlone = /\p{Surrogate}/u.test(character);
    const isUnknown = encoding === UNKNOWN_8BIT;
    const named = isAlone ? `half of a surrogate pair (${number})` : `"${character}" (${number})`;
    const why = isUnknown
      ? "the file is neither ASCII nor valid UTF-8, and which encoding it is in is not known"
      : `the file is in ${encoding}, which does not have it`;
    const choice = isUnknown
      ? "Use only ASCII in the new text, or name the file's encoding."
      : `Use only characters of ${encoding}, or write the whole file with encoding "utf-8".`;
    return {
      kind: "not_text",
      why: `The new text has ${named} at ${place(facts)}: ${isAlone ? "no encoding can write it" : why}.`,
      next: isAlone ? "Send the whole character or leave it out." : choice,
      details: { character: number, at: facts.at, encoding },
    };
  },
  // The notation of a stray byte, copied from a listing, is four characters and not the byte.
  byte_spelled_out: ({ shown, is }: MaybePath & { shown: string; is: "in the whole" | "replaced" | "elsewhere" }) => ({
    kind: "not_text",
    why: `The new text says ${shown}, but the file has a single byte ${is === "elsewhere" ? is : "there"} that is only shown that way.`,
    next: {
      "in the whole": "Change other text with an edit, which keeps the byte.",
      replaced: "Leave that byte out of what you replace; to repeat it in the new text, have it in the old text too.",
      elsewhere: `To repeat that byte, have it in the old text too; to spell it out, write ${shown.toLowerCase()}.`,
    }[is],
    details: { shown },
  }),
} satisfies Catalogue;
