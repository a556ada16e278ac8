// Places between characters, as JavaScript says them without the flags "m" and "i": starts, ends and borders of words.

export const TEXT_START = "(?:(?<![^]))";
export const TEXT_END = "(?:(?![^]))";

export function lineStart(carriageReturns: boolean): string {
  return carriageReturns ? "(?:(?<![^\\n\\r])(?<!\\r(?=\\n)))" : "(?:(?<![^\\n]))";
}

export function lineEnd(carriageReturns: boolean): string {
  return carriageReturns ? "(?:(?![^\\n\\r])(?!(?<=\\r)\\n))" : "(?:(?![^\\n]))";
}

export type Border = "b" | "B" | "start" | "end" | "start-half" | "end-half";

/** `unless`: what must not be beside a place that is no border. */
export function border(kind: Border, word: string, unless = ""): string {
  const [after, notAfter] = [`(?<=[${word}])`, `(?<![${word}])`];
  const [before, notBefore] = [`(?=[${word}])`, `(?![${word}])`];
  if (kind === "b") return `(?:${after}${notBefore}|${notAfter}${before})`;
  if (kind === "B") return `(?:${after}${before}|(?<![${word}${unless}])(?![${word}${unless}]))`;
  if (kind === "start") return `(?:${notAfter}${before})`;
  if (kind === "end") return `(?:${after}${notBefore})`;
  return kind === "start-half" ? `(?:(?<![${word}${unless}]))` : `(?:(?![${word}${unless}]))`;
}
