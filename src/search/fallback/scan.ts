// Searches the text of files with a regular expression. Runs in a worker from its own source: it may use nothing but its arguments.
import type { GrepHit } from "../grep.ts";
import type { Translated } from "./regex/index.ts";

export interface ScanRequest extends Translated {
  readonly files: readonly Uint8Array[];
  readonly multiline: boolean;
  readonly firstPerLine: boolean;
  readonly before: number;
  readonly after: number;
  /** Hits that are enough for one file. */
  readonly enough: number;
  /** Only count. */
  readonly bare: boolean;
}

/** Of one file. */
export type ScanHit = Omit<GrepHit, "path">;

export interface Scanned {
  readonly count: number;
  readonly hits: readonly ScanHit[];
}

/** One answer per file; a binary file has no hits. */
export function scan(request: ScanRequest): Scanned[] {
  const compiled = ({ source, crlfSource = source }: { source: string; crlfSource?: string }) => {
    const lf = new RegExp(source, request.flags);
    return { lf, crlf: crlfSource === source ? lf : new RegExp(crlfSource, request.flags) };
  };
  const anyText = compiled(request);
  const ascii = request.ascii === undefined ? anyText : compiled(request.ascii);

  /** Lines that are not UTF-8, by their index, as they are shown: in Latin-1, so that nothing gets lost. */
  let raw: ReadonlyMap<number, string> = new Map();

  function scanFile(bytes: Uint8Array): Scanned {
    const text = decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    if (text === null || text === "") return { count: 0, hits: [] };
    const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
    const plain = text.length === bytes.length && raw.size === 0;
    return request.multiline ? acrossLines(text, lines, (plain ? ascii : anyText).lf) : lineByLine(lines, plain);
  }

  function lineByLine(lines: readonly string[], plain: boolean): Scanned {
    const taken = collector();
    for (let n = 0; n < lines.length && taken.count < request.enough; n++) {
      const line = lines[n]!;
      const crlf = line.endsWith("\r");
      const expression = plain || /^[\0-\x7f]*$/.test(line) ? ascii : anyText;
      const content = crlf ? line.slice(0, -1) : line;
      for (const at of matchesIn(content, crlf ? expression.crlf : expression.lf)) {
        taken.take(n, at.length === 0, () => hitAt(lines, n, n, content.slice(0, at.index)));
        if (request.firstPerLine) break;
      }
    }
    return taken;
  }

  function acrossLines(text: string, lines: readonly string[], expression: RegExp): Scanned {
    const taken = collector();
    let line = 0;
    let start = 0;
    for (const at of matchesIn(text, expression)) {
      if (at.index >= text.length) break;
      for (let end = text.indexOf("\n", start); end !== -1 && end < at.index; end = text.indexOf("\n", start)) {
        line++;
        start = end + 1;
      }
      const spanned = text.slice(start, Math.max(at.index, at.index + at.length - 1)).split("\n").length - 1;
      taken.take(line, at.length === 0, () => hitAt(lines, line, line + spanned, text.slice(start, at.index)));
      if (taken.count >= request.enough) break;
    }
    return taken;
  }

  /** Where every match counts, one of nothing does only in a line that has no other. */
  function collector() {
    const hits: ScanHit[] = [];
    let last = -1;
    let nothing = false;
    return {
      hits,
      count: 0,
      take(line: number, empty: boolean, hit: () => ScanHit) {
        const another = line === last;
        if (another && (request.firstPerLine || empty)) return;
        if (another && nothing) hits.pop();
        else this.count++;
        last = line;
        nothing = empty;
        if (!request.bare) hits.push(hit());
      },
    };
  }

  function* matchesIn(
    text: string,
    expression: RegExp,
  ): Generator<{ readonly index: number; readonly length: number }> {
    expression.lastIndex = 0;
    let end = -1;
    for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
      const { length } = match[0];
      // Looking behind, V8 finds places within a character.
      const within =
        length === 0 &&
        /[\udc00-\udfff]/.test(text[match.index] ?? "") &&
        match.index > 0 &&
        text.codePointAt(match.index - 1)! > 0xffff;
      if (!within && (length > 0 || match.index !== end)) yield { index: match.index, length };
      end = match.index + length;
      if (length === 0) expression.lastIndex += (text.codePointAt(expression.lastIndex) ?? 0) > 0xffff ? 2 : 1;
    }
  }

  function hitAt(lines: readonly string[], first: number, last: number, prefix: string): ScanHit {
    const range = lines.slice(first, last + 1);
    const bytes = raw.size > 0 && range.some((_, n) => raw.has(first + n));
    return {
      line: first + 1,
      column: (bytes ? bytesIn(prefix) : charactersIn(prefix)) + 1,
      text: range.map((line, n) => (bytes ? (raw.get(first + n) ?? latin1(line)) : line)).join("\n"),
      before: numbered(lines, Math.max(0, first - request.before), first),
      after: numbered(lines, last + 1, last + 1 + request.after),
    };
  }

  function numbered(lines: readonly string[], from: number, to: number): { line: number; text: string }[] {
    return lines.slice(from, to).map((text, n) => ({ line: from + n + 1, text: raw.get(from + n) ?? text }));
  }

  function latin1(line: string): string {
    return Buffer.from(line).toString("latin1");
  }

  function charactersIn(text: string): number {
    let pairs = 0;
    if (/[\ud800-\udbff]/.test(text)) for (const character of text) pairs += character.length - 1;
    return text.length - pairs;
  }

  /** A byte that is no text is half a surrogate pair, which would be three. */
  function bytesIn(text: string): number {
    return Buffer.byteLength(text) - 2 * (text.match(/\p{Surrogate}/gu)?.length ?? 0);
  }

  /** Null for a binary file. */
  function decode(bytes: Buffer): string | null {
    raw = new Map();
    const wide =
      bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : null;
    if (wide === null) return bytes.includes(0) ? null : (strictly(bytes) ?? lineAfterLine(bytes));
    const text = new TextDecoder(wide).decode(bytes);
    return text.includes("\0") ? null : text;
  }

  function strictly(bytes: Buffer): string | null {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      return null;
    }
  }

  function lineAfterLine(bytes: Buffer): string {
    const lines: string[] = [];
    const shown = new Map<number, string>();
    for (let start = 0; ; ) {
      const end = bytes.indexOf(10, start);
      const line = bytes.subarray(start, end === -1 ? bytes.length : end);
      const text = strictly(line);
      if (text === null) shown.set(lines.length, line.toString("latin1"));
      lines.push(text ?? characterAfterCharacter(line));
      if (end === -1) break;
      start = end + 1;
    }
    raw = shown;
    return lines.join("\n");
  }

  /** Every byte that is no text becomes half a surrogate pair, which no pattern matches. */
  function characterAfterCharacter(line: Buffer): string {
    let text = "";
    for (let at = 0; at < line.length; ) {
      const lead = line[at]!;
      const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
      const one = strictly(line.subarray(at, at + length));
      text += one === null || one === "" ? String.fromCharCode(0xdc00 + lead) : one;
      at += one === null || one === "" ? 1 : length;
    }
    return text;
  }

  return request.files.map((bytes) => {
    const { count, hits } = scanFile(bytes);
    return { count, hits };
  });
}
