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
    const left = dels.map((line, n): Side => ({ kind: "del", ...line, ...twin(adds[n]) }));
    const right = adds.map((line, n): Side => ({ kind: "add", ...line, ...twin(dels[n]) }));
    if (this.#layout === "split")
      for (let n = 0; n < Math.max(left.length, right.length); n++)
        this.#rows.push({ row: "pair", left: left[n], right: right[n] });
    else for (const side of [...left, ...right]) this.#rows.push({ row: "one", side, other: undefined });
    this.#dels = [];
    this.#adds = [];
  }
}

function twin(line: Line | undefined): { readonly twin?: string } {
  return line === undefined ? {} : { twin: line.text };
}
