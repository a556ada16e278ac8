// Searches the text of files with a RegExp. Runs in a worker from its own source: it may use nothing but its arguments.
import type { GrepHit } from "./grep.ts";
import type { Translated } from "./translate.ts";

export interface ScanRequest extends Translated {
  readonly files: readonly Uint8Array[];
  readonly multiline: boolean;
  readonly before: number;
  readonly after: number;
  /** Hits that are enough for one file. */
  readonly enough: number;
  readonly countOnly: boolean;
}

export interface Scanned {
  readonly count: number;
  readonly hits: readonly Omit<GrepHit, "path">[];
  /** It has a NUL, and was not searched. */
  readonly isBinary: boolean;
}

/** One answer per file. */
export function scan(request: ScanRequest): Scanned[] {
  const expression = new RegExp(request.source, request.flags);

  return request.files.map((file) => {
    const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
    const { text, isValid } = decoded(bytes);
    if (text.includes("\0")) return { count: 0, hits: [], isBinary: true };
    if (text === "") return { count: 0, hits: [], isBinary: false };
    const lines = linesOf(text);
    const displayed = isValid ? lines : linesOf(bytes.toString("latin1")).map(withStrayBytes);
    const places = request.multiline ? acrossLines(text) : lineByLine(lines);
    const hits = request.countOnly ? [] : places.map((place) => hitAt(displayed, place));
    return { count: places.length, hits, isBinary: false };
  });

  interface Place {
    /** Index of the first and the last line of the match. */
    readonly first: number;
    readonly last: number;
    /** What is before the match in its first line. */
    readonly prefix: string;
  }

  /** Without their ends. */
  function linesOf(text: string): string[] {
    return text.replace(/\r?\n$/, "").split(/\r?\n/);
  }

  function lineByLine(lines: readonly string[]): Place[] {
    const places: Place[] = [];
    for (let n = 0; n < lines.length && places.length < request.enough; n++) {
      expression.lastIndex = 0;
      const match = expression.exec(lines[n]!);
      if (match !== null) places.push({ first: n, last: n, prefix: lines[n]!.slice(0, match.index) });
    }
    return places;
  }

  /** The first match that starts in each line. */
  function acrossLines(text: string): Place[] {
    const places: Place[] = [];
    let line = 0;
    let start = 0;
    expression.lastIndex = 0;
    for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
      const { index } = match;
      if (index >= text.length || places.length >= request.enough) break;
      for (let end = text.indexOf("\n", start); end !== -1 && end < index; end = text.indexOf("\n", start)) {
        line++;
        start = end + 1;
      }
      const spanned = text.slice(start, Math.max(index, index + match[0].length - 1)).split("\n").length - 1;
      if (places.at(-1)?.first !== line)
        places.push({ first: line, last: line + spanned, prefix: text.slice(start, index) });
      if (match[0] === "") expression.lastIndex += text.codePointAt(index)! > 0xffff ? 2 : 1;
    }
    return places;
  }

  function hitAt(lines: readonly string[], { first, last, prefix }: Place) {
    return {
      line: first + 1,
      column: [...prefix].length + 1,
      text: lines.slice(first, last + 1).join("\n"),
      before: numbered(lines, Math.max(0, first - request.before), first),
      after: numbered(lines, last + 1, last + 1 + request.after),
    };
  }

  function numbered(lines: readonly string[], from: number, to: number) {
    return lines.slice(from, to).map((text, n) => ({ line: from + n + 1, text }));
  }

  /** As reads show it: every byte that is not part of UTF-8 as \xNN. */
  function withStrayBytes(line: string): string {
    const characters = /[\xC2-\xDF][\x80-\xBF]|[\xE0-\xEF][\x80-\xBF]{2}|[\xF0-\xF4][\x80-\xBF]{3}|[\x80-\xFF]/g;
    return line.replace(characters, (found) => {
      const text = Buffer.from(found, "latin1").toString();
      if (Buffer.from(text).toString("latin1") === found) return text;
      return [...found].map((byte) => `\\x${byte.charCodeAt(0).toString(16).toUpperCase()}`).join("");
    });
  }

  /** A byte that is no text becomes U+FFFD, which no pattern matches. */
  function decoded(bytes: Buffer): { readonly text: string; readonly isValid: boolean } {
    const isLittle = bytes[0] === 0xff && bytes[1] === 0xfe;
    const isBig = bytes[0] === 0xfe && bytes[1] === 0xff;
    if (isLittle || isBig)
      return { text: new TextDecoder(isLittle ? "utf-16le" : "utf-16be").decode(bytes), isValid: true };
    try {
      return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), isValid: true };
    } catch {
      return { text: new TextDecoder().decode(bytes), isValid: false };
    }
  }
}
