// Matches as grep prints them: path:line:text, context with dashes, a line of dashes between places.
import { printable } from "../../core/printable.ts";
import type { GrepHit } from "../../search/index.ts";
import { foundLine } from "../answer/legible.ts";

export function matchLines(hits: readonly GrepHit[]): string {
  const withContext = hits.some(({ before, after }) => before.length + after.length > 0);
  const out: string[] = [];
  for (const [path, lines] of linesByFile(hits)) {
    let last: number | undefined;
    for (const [line, { text, sign }] of [...lines].sort(([a], [b]) => a - b)) {
      if (withContext && out.length > 0 && line !== (last ?? Number.NaN) + 1) out.push("--");
      out.push(`${printable(path)}${sign}${line}${sign}${text}`);
      last = line;
    }
  }
  return out.join("\n");
}

interface Shown {
  readonly text: string;
  readonly sign: ":" | "-";
}

/** Context that two matches share is printed once, and a match is never printed as context. */
function linesByFile(hits: readonly GrepHit[]): Map<string, Map<number, Shown>> {
  const files = new Map<string, Map<number, Shown>>();
  for (const { path, line, text, before, after } of hits) {
    const lines = files.get(path) ?? new Map<number, Shown>();
    files.set(path, lines);
    for (const near of [...before, ...after]) {
      if (!lines.has(near.line)) lines.set(near.line, { text: foundLine(near.text), sign: "-" });
    }
    for (const [index, each] of text.split("\n").entries()) {
      lines.set(line + index, { text: foundLine(each), sign: ":" });
    }
  }
  return files;
}
