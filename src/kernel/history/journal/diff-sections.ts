// The diff text that a journal entry carries, taken apart file by file. It is what the journal says, nothing more.

export interface Lines {
  readonly insertions: number;
  readonly deletions: number;
}

export interface DiffSection {
  readonly text: string;
  /** Not where the diff was cut off within this file. */
  readonly lines?: Lines;
}

/** By path. What belongs to no file, such as the note that a diff was cut, is left out. */
export function sectionsIn(diff: string): ReadonlyMap<string, DiffSection> {
  const found = new Map<string, DiffSection>();
  const lines = diff.split("\n");
  for (let at = 0; at < lines.length; ) {
    const path = pathAt(lines, at);
    if (path === undefined) {
      at++;
      continue;
    }
    const { end, counted } = endOfSection(lines, at + 2);
    const text = `${lines.slice(at, end).join("\n")}\n`;
    found.set(path, { text, ...(counted !== undefined && { lines: counted }) });
    at = end;
  }
  return found;
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const NO_LINE_END = "\\ No newline at end of file";

/** Of the file whose section begins here. */
function pathAt(lines: readonly string[], at: number): string | undefined {
  const [from, to] = [lines[at]!, lines[at + 1]];
  if (!from.startsWith("--- ") || to?.startsWith("+++ ") !== true) return undefined;
  const name = unquoted((to === "+++ /dev/null" ? from : to).slice("+++ ".length));
  return name.slice("b/".length);
}

/** Lines within a hunk are counted off, whatever they look like. */
function endOfSection(lines: readonly string[], start: number): { end: number; counted: Lines | undefined } {
  let [insertions, deletions] = [0, 0];
  let at = start;
  for (let hunk = HUNK.exec(lines[at] ?? ""); hunk !== null; hunk = HUNK.exec(lines[at] ?? "")) {
    let oldLeft = Number(hunk[1] ?? "1");
    let newLeft = Number(hunk[2] ?? "1");
    for (at++; (oldLeft > 0 || newLeft > 0) && at < lines.length; at++) {
      const sign = lines[at]![0];
      if (sign === "-") deletions++;
      else if (sign === "+") insertions++;
      else if (lines[at] === NO_LINE_END) continue;
      else if (sign !== " ") return { end: at, counted: undefined };
      if (sign !== "+") oldLeft--;
      if (sign !== "-") newLeft--;
    }
    if (oldLeft > 0 || newLeft > 0) return { end: at, counted: undefined };
    if (lines[at] === NO_LINE_END) at++;
  }
  return { end: at, counted: { insertions, deletions } };
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

/** The inverse of how a name with control characters, quotes or backslashes stands in a diff. */
function unquoted(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"')) return name;
  return name
    .slice(1, -1)
    .replace(/\\(?:([0-7]{3})|(.))/g, (_, octal?: string, char?: string) =>
      octal === undefined ? (ESCAPES[char!] ?? char!) : String.fromCharCode(Number.parseInt(octal, 8)),
    );
}
