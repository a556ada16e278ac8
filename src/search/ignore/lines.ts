// The lines of a .gitignore file that count: as many as can be compared with every path without making a search wait.

export interface Lines {
  readonly lines: readonly string[];
  /** About how long one path is compared with them at worst, in microseconds. */
  readonly cost: number;
  /** How many are left out, because they would take too long. */
  readonly left: number;
}

/** A fiftieth of a second for all the files that one path is compared with; most projects need a thousandth of that. */
const MOST_COST = 20_000;
/** No path is longer by much, and ripgrep gives up on all rules where one is very long. */
const LONGEST = 1000;

/** `spent`: by the files above. */
export function linesIn(text: string, spent: number): Lines {
  const lines: string[] = [];
  let cost = 0;
  let left = 0;
  for (const line of text.replace(/^\uFEFF/, "").split(/\r?\n/)) {
    if (/^#|^[\s/!]*$/.test(line)) continue;
    const more = costOf(line);
    if (line.length > LONGEST || spent + cost + more > MOST_COST) left += 1;
    else {
      lines.push(line);
      cost += more;
    }
  }
  return { lines, cost, left };
}

/** Several "**" can share the names of a deep path in very many ways, and all of them are tried. */
function costOf(line: string): number {
  return 20 ** (line.split("**").length - 1) + line.length / 100;
}

/** The line as it would stand in the root's file. */
export function asFromRoot(dir: string, line: string): string {
  if (dir === "") return line;
  const [, not = "", pattern = ""] = /^(!?)(.*)$/s.exec(line) ?? [];
  const anchored = /\/(?!\s*$)/.test(pattern);
  return `${not}/${literally(dir)}/${anchored ? "" : "**/"}${pattern.replace(/^\//, "")}`;
}

/** No line can hold the end of a line: any other character stands for it. */
function literally(dir: string): string {
  return dir.replaceAll(/[\\*?[\]{},!]/g, "\\$&").replaceAll(/[\r\n]/g, "?");
}
