// Lines as a model sees them: numbered, and cut with a note.
import { counted } from "../../core/counted.ts";

/** `N<tab>line`, N counted from `first`. */
export function numbered(lines: readonly string[], first: number): string {
  return lines.map((line, index) => `${first + index}\t${line}`).join("\n");
}

export function firstLines(text: string, most: number): string {
  const lines = text.replace(/\n$/, "").split("\n");
  if (lines.length <= most) return lines.join("\n");
  return [...lines.slice(0, most), `… ${counted(lines.length - most, "more line")}`].join("\n");
}
