// The files that a patch speaks of, as far as it can be read: also of one that is no patch, to tell what it was about.

export interface Mentioned {
  readonly op: "add" | "update" | "delete" | "move";
  readonly path: string;
  readonly toPath?: string;
  /** Where in the text its line begins. */
  readonly at: number;
}

/** At the start of a line, which for a patch only a newline ends. */
const HEADERS = /(?:\*\*\*|---) (?<=(?:^|\n).{4})/g;
const HEADER = /^\*\*\* (Add|Update|Delete|Move) File:\s*(\S.*?)\s*$/;
const MOVE_TO = /^\*\*\* Move to:\s*(\S.*?)\s*$/;
const OPS = { Add: "add", Update: "update", Delete: "delete", Move: "move" } as const;
/** More than any patch may have. */
const MOST = 10_000;
const NOTHING = "/dev/null";

/** A text of any length is gone through quickly: only lines that begin like a header are looked at, and so many names. */
export function mentionedFiles(text: string): Mentioned[] {
  const found: Mentioned[] = [];
  for (const { index: at } of text.matchAll(HEADERS)) {
    if (found.length === MOST) break;
    const line = lineAt(text, at);
    const [, verb, rest = ""] = HEADER.exec(line) ?? [];
    const [, moveTo] = MOVE_TO.exec(line) ?? [];
    const last = found.at(-1);
    if (verb !== undefined) found.push(headed(OPS[verb as keyof typeof OPS], rest, at));
    else if (moveTo !== undefined && last?.op === "update") found[found.length - 1] = movedTo(last, moveTo);
    else if (line.startsWith("--- ") && text.startsWith("+++ ", at + line.length + 1)) {
      const paired = pair(sideOf(line), sideOf(lineAt(text, at + line.length + 1)), at);
      if (paired !== undefined) found.push(paired);
    }
  }
  return found;
}

/** The one that this line of the text, from 1, belongs to; the first where it stands before all of them. */
export function mentionedAt(text: string, line: number): Mentioned | undefined {
  let start = 0;
  for (let n = 1; n < line && start !== -1; n++) start = text.indexOf("\n", start) + 1 || -1;
  const found = mentionedFiles(text);
  return (start === -1 ? found.at(-1) : found.findLast(({ at }) => at <= start)) ?? found[0];
}

/** Without its line end; a "\r" stays. */
function lineAt(text: string, at: number): string {
  const end = text.indexOf("\n", at);
  return text.slice(at, end === -1 ? undefined : end);
}

function headed(op: Mentioned["op"], rest: string, at: number): Mentioned {
  const [path = rest, toPath] = op === "move" ? rest.split(" -> ").map((each) => each.trim()) : [rest];
  return { op, path, ...(toPath !== undefined && toPath !== "" && { toPath }), at };
}

function movedTo({ path, at }: Mentioned, toPath: string): Mentioned {
  return { op: "move", path, toPath, at };
}

/** Without the timestamp that may follow, and git's prefix. */
function sideOf(line: string): string {
  return line.slice(4).split("\t")[0]!.trim();
}

function pair(from: string, to: string, at: number): Mentioned | undefined {
  const path = (to === NOTHING ? from : to).replace(/^[ab]\//, "");
  if (path === "" || path === NOTHING) return undefined;
  return { op: from === NOTHING ? "add" : to === NOTHING ? "delete" : "update", path, at };
}
