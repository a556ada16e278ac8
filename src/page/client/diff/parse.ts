// From the text of a unified diff to the rows of a table, for one column or two.

export interface Side {
  readonly kind: "same" | "add" | "del";
  /** The number of the line in its file. */
  readonly no: number;
  readonly text: string;
  /** The line that it was, or that it became. */
  readonly twin?: string;
  /** The file ends here without a line end. */
  readonly noEnd?: boolean;
}

export type DiffRow =
  | { readonly row: "hunk"; readonly text: string; readonly number: number }
  | { readonly row: "one"; readonly side: Side; readonly other: number | undefined }
  | { readonly row: "pair"; readonly left: Side | undefined; readonly right: Side | undefined };

export type Layout = "unified" | "split";

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Lines are counted off within each hunk, whatever they look like. What stands around the hunks is left out. */
export function rowsOf(text: string, layout: Layout): DiffRow[] {
  const all = text.split("\n");
  const rows: DiffRow[] = [];
  let number = 0;
  for (let at = 0; at < all.length; ) {
    const header = HUNK.exec(all[at]!);
    at++;
    if (header === null) continue;
    const [, oldStart, oldCount = "1", newStart, newCount = "1"] = header;
    rows.push({ row: "hunk", text: header[0], number: ++number });
    const hunk = new Hunk(Number(oldStart), Number(newStart), layout, rows);
    let left = Number(oldCount) + Number(newCount);
    for (; left > 0 && at < all.length; at++) {
      const taken = hunk.take(all[at]!);
      if (taken === undefined) break;
      left -= taken;
    }
    if (all[at] === NO_END) hunk.take(all[at++]!);
    hunk.flush();
  }
  return rows;
}

const NO_END = "\\ No newline at end of file";

interface Line {
  readonly no: number;
  readonly text: string;
  noEnd?: boolean;
}

class Hunk {
  #old: number;
  #new: number;
  readonly #layout: Layout;
  readonly #rows: DiffRow[];
  #dels: Line[] = [];
  #adds: Line[] = [];
  #last: Line | undefined;

  constructor(oldStart: number, newStart: number, layout: Layout, rows: DiffRow[]) {
    this.#old = oldStart;
    this.#new = newStart;
    this.#layout = layout;
    this.#rows = rows;
  }

  /** How many lines of both sides it was; undefined when it is none. */
  take(line: string): number | undefined {
    const text = line.slice(1);
    if (line === NO_END) {
      if (this.#last !== undefined) this.#last.noEnd = true;
      return 0;
    }
    if (line[0] === "-") {
      this.#last = { no: this.#old++, text };
      this.#dels.push(this.#last);
      return 1;
    }
    if (line[0] === "+") {
      this.#last = { no: this.#new++, text };
      this.#adds.push(this.#last);
      return 1;
    }
    if (line[0] !== " ") return undefined;
    this.flush();
    const [left, right] = [this.#old++, this.#new++];
    const same = (no: number): Side => ({ kind: "same", no, text });
    if (this.#layout === "split") this.#rows.push({ row: "pair", left: same(left), right: same(right) });
    else this.#rows.push({ row: "one", side: same(right), other: left });
    return 2;
  }

  /** What was taken away beside what came in its place. */
  flush(): void {
    const [dels, adds] = [this.#dels, this.#adds];
    const pairs = twinsOf(dels, adds);
    const became = new Map(pairs.map((from, to) => [from, to]));
    const left = dels.map((line, n): Side => ({ kind: "del", ...line, ...twin(adds[became.get(n) ?? -1]) }));
    const right = adds.map((line, n): Side => ({ kind: "add", ...line, ...twin(dels[pairs[n]!]) }));
    if (this.#layout === "split")
      for (let n = 0; n < Math.max(left.length, right.length); n++)
        this.#rows.push({ row: "pair", left: left[n], right: right[n] });
    else for (const side of [...left, ...right]) this.#rows.push({ row: "one", side, other: undefined });
    this.#dels = [];
    this.#adds = [];
  }
}

const MOST_COMPARED = 400;

/** For each new line the old one that it was: in order where they are as many, else the one that is most alike. */
function twinsOf(dels: readonly Line[], adds: readonly Line[]): number[] {
  if (dels.length === adds.length) return adds.map((_, n) => n);
  const pairs = adds.map(() => -1);
  if (dels.length * adds.length > MOST_COMPARED) return pairs;
  const alike = dels.flatMap((old, from) =>
    adds.map((line, to) => ({ from, to, score: likeness(old.text, line.text) })),
  );
  for (const { from, to, score } of alike.sort((a, b) => b.score - a.score))
    if (score > 0 && pairs[to] === -1 && !pairs.includes(from)) pairs[to] = from;
  return pairs;
}

/** How much of the longer line both begin and end with. */
function likeness(one: string, other: string): number {
  const [a, b] = [one.trim(), other.trim()];
  const most = Math.min(a.length, b.length);
  let [start, end] = [0, 0];
  while (start < most && a[start] === b[start]) start++;
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return most === 0 ? 0 : (start + end) / Math.max(a.length, b.length);
}

function twin(line: Line | undefined): { readonly twin?: string } {
  return line === undefined ? {} : { twin: line.text };
}
