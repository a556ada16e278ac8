// Edits of real code with one slip in the lines around the change, each with the bytes that are meant.
import { readdirSync, readFileSync } from "node:fs";

export interface SlipTrial {
  readonly slip: string;
  readonly content: string;
  readonly oldText: string;
  readonly newText: string;
  readonly expected: string;
}

/** Numbers below `n`, the same ones for the same seed. */
export type Below = (n: number) => number;

export function belowFrom(seed: number): Below {
  let state = seed >>> 0;
  return (n) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * n);
  };
}

/** Python, with the things that models get wrong; the package is JavaScript. */
const PYTHON = `import json


class Orders:
    """All orders of a shop."""

    def __init__(self, path, limit=10):
        # Where the orders are kept.
        self.path = path
        self.limit = limit
        self.rows = []

    def load(self, strict=False):
        # Read every order from the file.
        with open(self.path, encoding="utf-8") as source:
            for line in source:
                order = json.loads(line)
                if strict and not order.get("id"):
                    raise ValueError(f"no id in {line}")
                self.rows.append(order)
        message = f"loaded {len(self.rows)} of {self.limit}"
        print(message, flush=True)
        return self.rows[: self.limit]

    def save(self, target=None):
        # Orders without lines are left out.
        kept = [row for row in self.rows if row["lines"]]
        with open(target or self.path, "w", encoding="utf-8") as sink:
            for row in kept:
                sink.write(json.dumps(row, sort_keys=True))
                sink.write("\\n")
        return len(kept)
`;

/** Code of a package whose version is fixed: the trials stay the same whatever becomes of the sources here. */
const FOLDERS = ["compose", "nodes", "parse", "schema", "stringify"];

export function sourceFiles(): string[] {
  const folders = FOLDERS.map((name) => new URL(`../../node_modules/yaml/dist/${name}/`, import.meta.url));
  const files = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".js"))
      .sort()
      .map((name) => readFileSync(new URL(name, folder), "utf8")),
  );
  return [PYTHON, PYTHON, ...files];
}

/** Lines of the new text: those of the old one by their index, or added ones. */
type Step = number | string;

interface Hunk {
  readonly lines: readonly string[];
  readonly start: number;
  readonly old: readonly string[];
  readonly steps: readonly Step[];
}

const inked = (line: string): boolean => line.trim() !== "";
const indentOf = (line: string): string => /^[ \t]*/.exec(line)![0];

function hunkFrom(text: string, below: Below): Hunk | undefined {
  const lines = text.split("\n");
  const size = 7 + below(6);
  const start = below(Math.max(1, lines.length - size));
  const old = lines.slice(start, start + size);
  if (old.filter(inked).length < 6 || !inked(old[0]!) || !inked(old.at(-1)!)) return undefined;
  const at = below(old.length);
  const line = old[at]!;
  if (!/[A-Za-z]{4}/.test(line) || COMMENT.test(line)) return undefined;
  const kept = (index: number): Step => index;
  const all = old.map((_, index) => kept(index));
  const changed = line.replace(/[A-Za-z]{4,}/, (word) => `${word}Changed`);
  const opens = /[{([:,=>]\s*$/.test(line);
  const added = `${indentOf(line)}added(${below(1000)});`;
  const block = [`${indentOf(line)}if (added) {`, `${indentOf(line)}${UNIT}run(${below(1000)});`, `${indentOf(line)}}`];
  const kinds: Step[][] = [
    [...all.slice(0, at), changed, ...all.slice(at + 1)],
    [...all.slice(0, at), ...all.slice(at + 1)],
    ...(opens || text === PYTHON ? [] : [[...all.slice(0, at + 1), ...block, ...all.slice(at + 1)]]),
    ...(opens ? [] : [[...all.slice(0, at + 1), added, ...all.slice(at + 1)]]),
  ];
  return { lines, start, old, steps: kinds[below(kinds.length)]! };
}

const UNIT = "    ";
const COMMENT = /^\s*(?:#|\/\/|\/\*\*.*\*\/$)/;

/** What a slip makes of the old lines, given those that stay; undefined where it finds nothing to get wrong. */
type Damage = (hunk: Hunk, stays: readonly number[], below: Below) => Damaged | undefined;

interface Damaged {
  readonly line?: (line: string, index: number) => string;
  /** An old line that old and new text lack. */
  readonly without?: number;
  readonly added?: (line: string) => string;
}

/** One line that stays and that `change` changes. */
const oneLine =
  (change: (line: string) => string): Damage =>
  ({ old }, stays, below) => {
    const able = stays.filter((index) => change(old[index]!) !== old[index]);
    if (able.length === 0) return undefined;
    const at = able[below(able.length)]!;
    return { line: (line, index) => (index === at ? change(line) : line) };
  };

const inComment = (change: (text: string) => string) => (line: string) => (COMMENT.test(line) ? change(line) : line);
const everyLine = (change: (line: string) => string): Damaged => ({ line: change, added: change });

const SLIPS: Readonly<Record<string, Damage>> = {
  "comment reworded": oneLine(inComment((text) => text.replace(/\w+ \w+ /, "somewhat other words "))),
  "capital letter": oneLine(inComment((text) => text.replace(/[A-Z]/, (letter) => letter.toLowerCase()))),
  "full stop": oneLine(inComment((text) => text.replace(/\.(?=\s|$)/, ""))),
  "f-string": oneLine((line) => line.replace(/\bf"/, '"')),
  "renamed variable": oneLine((line) => line.replace(/\b(?:line|index|order|row|first|source)\b/g, "thing")),
  "missing argument": oneLine((line) => line.replace(/, [\w=."-]+\)/, ")")),
  "missing comment line": ({ old }, stays) => {
    const without = stays.find((index) => COMMENT.test(old[index]!));
    return without === undefined || without === 0 || without === old.length - 1 ? undefined : { without };
  },
  "missing line": ({ old }, stays, below) => {
    const inside = stays.filter((index) => index > 0 && index < old.length - 1 && inked(old[index]!));
    return inside.length === 0 ? undefined : { without: inside[below(inside.length)]! };
  },
  "another line": oneLine((line) => (inked(line) ? `${indentOf(line)}another(line, than, before);` : line)),
  "letter missing": oneLine((line) => line.replace(/\b([a-z]{3})[a-z]([a-z]{3,})\b/, "$1$2")),
  "indentation halved": () => everyLine(reindented((depth) => depth / 2)),
  "indentation doubled": () => everyLine(reindented((depth) => depth * 2)),
  "indentation flattened": () => everyLine((line) => line.trimStart()),
  "indentation in tabs": () => everyLine(toTabs(UNIT.length)),
  "indentation halved, at the margin": ({ old }) => {
    const least = Math.min(...old.filter(inked).map((line) => indentOf(line).length));
    return everyLine(reindented((depth) => Math.max(0, depth - least) / 2));
  },
  "blanks doubled": oneLine((line) => indentOf(line) + line.trimStart().replaceAll(" = ", "  =  ")),
};

const reindented = (change: (depth: number) => number) => (line: string) =>
  inked(line) ? " ".repeat(change(indentOf(line).length)) + line.trimStart() : line;
const toTabs = (width: number) => (line: string) => {
  const depth = indentOf(line).length;
  return "\t".repeat(Math.floor(depth / width)) + " ".repeat(depth % width) + line.trimStart();
};

export const SLIP_NAMES = Object.keys(SLIPS);

/** The trial of `slip` that the chances make of one of the files, if they make one. */
export function slipTrial(slip: string, files: readonly string[], below: Below): SlipTrial | undefined {
  const hunk = hunkFrom(files[below(files.length)]!, below);
  if (!hunk) return undefined;
  const { lines, start, old, steps } = hunk;
  const stays = steps.filter((step) => typeof step === "number");
  const damaged = SLIPS[slip]!(hunk, stays, below);
  if (!damaged) return undefined;
  const { line = (text: string) => text, added = (text: string) => text, without } = damaged;
  const texts = (of: readonly Step[]) =>
    of.flatMap((step) => {
      if (typeof step === "string") return [added(step)];
      return step === without ? [] : [line(old[step]!, step)];
    });
  const plain = steps.map((step) => (typeof step === "string" ? step : old[step]!));
  const oldText = texts([...old.keys()]).join("\n");
  const newText = texts(steps).join("\n");
  if (oldText === newText || oldText === old.join("\n")) return undefined;
  const content = lines.join("\n");
  if (content.includes(oldText)) return undefined;
  const after = [...lines.slice(0, start), ...plain, ...lines.slice(start + old.length)].join("\n");
  return { slip, content, oldText, newText, expected: after };
}
