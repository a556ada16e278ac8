// Searches the text of files with a regular expression. Runs in a worker from its own source: it may use nothing but its arguments.

export interface ScanRequest {
  readonly files: readonly Uint8Array[];
  readonly source: string;
  readonly flags: string;
  readonly multiline: boolean;
  readonly firstPerLine: boolean;
  readonly before: number;
  readonly after: number;
  /** Hits that are enough for one file. */
  readonly enough: number;
  /** Only count. */
  readonly bare: boolean;
}

export interface ScanHit {
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly before: readonly { readonly line: number; readonly text: string }[];
  readonly after: readonly { readonly line: number; readonly text: string }[];
}

export interface Scanned {
  readonly count: number;
  readonly hits: readonly ScanHit[];
}

/** One answer per file; a binary file has no hits. */
export function scan(request: ScanRequest): Scanned[] {
  const expression = new RegExp(request.source, request.flags);

  function scanFile(bytes: Uint8Array): Scanned {
    const text = decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    if (text === null || text === "") return { count: 0, hits: [] };
    const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
    return request.multiline ? acrossLines(text, lines) : lineByLine(lines);
  }

  function lineByLine(lines: readonly string[]): Scanned {
    const hits: ScanHit[] = [];
    let count = 0;
    for (let n = 0; n < lines.length && count < request.enough; n++) {
      const line = lines[n]!;
      const content = line.endsWith("\r") ? line.slice(0, -1) : line;
      for (const at of matchesIn(content)) {
        count++;
        if (!request.bare) hits.push(hitAt(lines, n, n, content.slice(0, at.index)));
        if (request.firstPerLine) break;
      }
    }
    return { count, hits };
  }

  function acrossLines(text: string, lines: readonly string[]): Scanned {
    const hits: ScanHit[] = [];
    let count = 0;
    let line = 0;
    let start = 0;
    let previous = -1;
    for (const at of matchesIn(text)) {
      if (at.index >= text.length && text.endsWith("\n")) break;
      for (let end = text.indexOf("\n", start); end !== -1 && end < at.index; end = text.indexOf("\n", start)) {
        line++;
        start = end + 1;
      }
      if (request.firstPerLine && line === previous) continue;
      previous = line;
      count++;
      const spanned = text.slice(start, Math.max(at.index, at.index + at.length - 1)).split("\n").length - 1;
      if (!request.bare) hits.push(hitAt(lines, line, line + spanned, text.slice(start, at.index)));
      if (count >= request.enough) break;
    }
    return { count, hits };
  }

  function* matchesIn(text: string): Generator<{ readonly index: number; readonly length: number }> {
    expression.lastIndex = 0;
    for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
      yield { index: match.index, length: match[0].length };
      if (match[0] === "") expression.lastIndex += (text.codePointAt(expression.lastIndex) ?? 0) > 0xffff ? 2 : 1;
    }
  }

  function hitAt(lines: readonly string[], first: number, last: number, prefix: string): ScanHit {
    return {
      line: first + 1,
      column: [...prefix].length + 1,
      text: lines.slice(first, last + 1).join("\n"),
      before: numbered(lines, Math.max(0, first - request.before), first),
      after: numbered(lines, last + 1, last + 1 + request.after),
    };
  }

  function numbered(lines: readonly string[], from: number, to: number): { line: number; text: string }[] {
    return lines.slice(from, to).map((text, n) => ({ line: from + n + 1, text }));
  }

  /** Null for a binary file. A line that is not UTF-8 is taken as Latin-1: nothing gets lost. */
  function decode(bytes: Buffer): string | null {
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
    if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
    if (bytes.includes(0)) return null;
    const strict = new TextDecoder("utf-8", { fatal: true });
    try {
      return strict.decode(bytes);
    } catch {
      const lines: string[] = [];
      for (let start = 0; start <= bytes.length; ) {
        const end = bytes.indexOf(10, start);
        const line = bytes.subarray(start, end === -1 ? bytes.length : end);
        try {
          lines.push(new TextDecoder("utf-8", { fatal: true }).decode(line));
        } catch {
          lines.push(line.toString("latin1"));
        }
        if (end === -1) break;
        start = end + 1;
      }
      return lines.join("\n");
    }
  }

  return request.files.map(scanFile);
}
