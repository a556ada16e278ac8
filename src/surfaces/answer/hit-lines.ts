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

/** The lines of each hit; a line of two matches that span several stands with the first. */
export function hitLines(hits: readonly GrepHit[]): HitLine[][] {
  let last = 0;
  return hits.map(({ path, line, text, before, after }, n) => {
    if (hits[n - 1]?.path !== path) last = 0;
    const found = text.split("\n").map((each, at) => ({ line: line + at, text: each }));
    const end = line + found.length;
    const lines = [...before, ...found, ...after].filter((each) => each.line > last);
    last = lines.at(-1)?.line ?? last;
    return lines.map((each) => {
      const shown = { path, line: each.line, text: foundLine(each.text) };
      return each.line >= line && each.line < end ? shown : { ...shown, context: true as const };
    });
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
