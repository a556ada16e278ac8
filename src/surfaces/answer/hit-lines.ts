// Hits of a search as lines, the way grep prints them: each line once, `3:` for a hit, `3-` for context.
import { printable } from "../../core/printable.ts";
import type { GrepHit } from "../../search/index.ts";
import { foundLine } from "./legible.ts";

export interface HitLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly context?: true | undefined;
}

/** The lines of each hit. Context that two hits share stands with the first of them, and a hit is never context. */
export function hitLines(hits: readonly GrepHit[]): HitLine[][] {
  let last = 0;
  return hits.map(({ path, line, text, before, after }, n) => {
    const next = hits[n + 1]?.path === path ? hits[n + 1]!.line : Number.POSITIVE_INFINITY;
    if (hits[n - 1]?.path !== path) last = 0;
    const found = text.split("\n").map((each, at) => ({ path, line: line + at, text: foundLine(each) }));
    const around = [...before, ...after.filter((near) => near.line < next)].map((near) => ({
      path,
      line: near.line,
      text: foundLine(near.text),
      context: true as const,
    }));
    const lines = [...around, ...found].filter((each) => each.line > last).sort((a, b) => a.line - b.line);
    last = lines.at(-1)?.line ?? last;
    return lines;
  });
}

/** `path:line:text`, and where there is context a line of dashes between places. */
export function asGrepPrints(lines: readonly HitLine[]): string {
  const isApart = lines.some(({ context }) => context);
  const printed = lines.map(({ path, line, text, context }, n) => {
    const sign = context ? "-" : ":";
    const before = lines[n - 1];
    const goesOn = n === 0 || (before?.path === path && before.line === line - 1);
    return `${isApart && !goesOn ? "--\n" : ""}${printable(path)}${sign}${line}${sign}${text}`;
  });
  return printed.join("\n");
}
