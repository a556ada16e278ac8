// Checks what is added to a file in its encoding: what it cannot hold is refused by name and place, never replaced.

import { Refusal } from "../../core/failure.ts";
import { type Codec, firstLoneSurrogate, isWide, UNKNOWN_8BIT } from "./encoding.ts";

export interface Target {
  readonly body: string;
  readonly codec: Codec;
  readonly invalid: number;
  readonly path?: string;
}

export function checkWritable(target: Target, removed: string, added: string): void {
  if (added === "") return;
  refuseNul(target, added);
  refuseMissingCharacter(target, added);
  refuseShownBytes(target, removed, added);
}

function refuseNul(target: Target, added: string): void {
  const at = added.indexOf("\0");
  if (at === -1 || target.body.includes("\0")) return;
  throw refusal(
    target,
    `The new text has a NUL character (U+0000) at ${place(added, at)}: it would make the file binary.`,
    {
      next: "Leave the NUL character out.",
      details: { character: "U+0000", at },
    },
  );
}

function refuseMissingCharacter(target: Target, added: string): void {
  const at = firstMissing(target, added);
  if (at === -1) return;
  const character = String.fromCodePoint(added.codePointAt(at)!);
  const code = `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
  const alone = /\p{Surrogate}/u.test(character);
  const named = alone ? `half of a surrogate pair (${code})` : `"${character}" (${code})`;
  const why = alone ? "no encoding can write it" : cannotWrite(target.codec.name);
  throw refusal(target, `The new text has ${named} at ${place(added, at)}: ${why}.`, {
    next: alone ? "Send the whole character or leave it out." : choice(target.codec.name),
    details: { character: code, at, encoding: target.codec.name },
  });
}

/** Lone surrogates stand for what is not valid: only a file that has such things may get them. */
function firstMissing({ codec, invalid }: Target, added: string): number {
  if (invalid > 0) return isWide(codec) ? -1 : codec.firstUnencodable(added);
  const alone = firstLoneSurrogate(added);
  return alone === -1 ? codec.firstUnencodable(added) : alone;
}

function cannotWrite(encoding: string): string {
  if (encoding !== UNKNOWN_8BIT) return `the file is in ${encoding}, which does not have it`;
  return "the file is neither ASCII nor valid UTF-8, and which encoding it is in is not known";
}

function choice(encoding: string): string {
  if (encoding !== UNKNOWN_8BIT)
    return `Use only characters of ${encoding}, or write the whole file with encoding "utf-8".`;
  return "Use only ASCII in the new text, or name the file's encoding.";
}

/** The notation of a stray byte, copied from a listing, is four characters and not the byte: the byte would be lost. */
export function refuseShownBytes(target: Target, removed: string, added: string): void {
  if (target.invalid === 0 || !added.includes("\\x")) return;
  for (const stray of new Set(target.body.match(/[\uDC80-\uDCFF]/gu))) {
    const shown = `\\x${(stray.charCodeAt(0) - 0xdc00).toString(16).toUpperCase()}`;
    const isLost = removed.split(stray).length > added.split(stray).length;
    if (!added.includes(shown) || (!isLost && added.split(shown).length <= removed.split(shown).length)) continue;
    const where = removed.includes(stray) ? "there" : "elsewhere";
    const why = `The new text says ${shown}, but the file has a single byte ${where} that is only shown that way.`;
    const around = "Edit only the text around the byte; to repeat it, have it in the old text too.";
    const whole = "Change the text around it with an edit, which keeps the byte.";
    const spelled = `To repeat that byte, have it in the old text too; to spell it out, write ${shown.toLowerCase()}.`;
    const next = removed === target.body ? whole : where === "there" ? around : spelled;
    throw refusal(target, why, { next, details: { shown } });
  }
}

function place(text: string, at: number): string {
  const before = text.slice(0, at).split("\n");
  return `line ${before.length}, column ${before.at(-1)!.length + 1} of the new text`;
}

function refusal(target: Target, message: string, more: { next: string; details: Record<string, unknown> }): Refusal {
  return new Refusal("not_text", message, { ...more, ...(target.path !== undefined && { path: target.path }) });
}
