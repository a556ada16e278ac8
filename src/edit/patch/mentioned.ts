// The files that a patch speaks of, as far as it can be read: also of one that is no patch, to tell what it was about.

export interface Mentioned {
  readonly op: "add" | "update" | "delete" | "move";
  readonly path: string;
  readonly toPath?: string;
  /** Of the patch, from 1. */
  readonly line: number;
}

const HEADER = /^\*\*\* (Add|Update|Delete|Move) File:\s*(\S.*?)\s*$/;
const MOVE_TO = /^\*\*\* Move to:\s*(\S.*?)\s*$/;
const OPS = { Add: "add", Update: "update", Delete: "delete", Move: "move" } as const;
const NOTHING = "/dev/null";

export function mentionedFiles(text: string): Mentioned[] {
  const found: Mentioned[] = [];
  const lines = text.split(/\r?\n/);
  for (const [n, line] of lines.entries()) {
    const [, verb, rest = ""] = HEADER.exec(line) ?? [];
    const [, moveTo] = MOVE_TO.exec(line) ?? [];
    const last = found.at(-1);
    if (verb !== undefined) found.push(headed(OPS[verb as keyof typeof OPS], rest, n + 1));
    else if (moveTo !== undefined && last?.op === "update") found[found.length - 1] = movedTo(last, moveTo);
    else if (line.startsWith("--- ") && lines[n + 1]?.startsWith("+++ ")) {
      const paired = pair(sideOf(line), sideOf(lines[n + 1]!), n + 1);
      if (paired !== undefined) found.push(paired);
    }
  }
  return found;
}

/** The one that this line of the patch belongs to; the first where it stands before all of them. */
export function mentionedAt(found: readonly Mentioned[], line: number): Mentioned | undefined {
  return found.findLast((each) => each.line <= line) ?? found[0];
}

function headed(op: Mentioned["op"], rest: string, line: number): Mentioned {
  const [path = rest, toPath] = op === "move" ? rest.split(" -> ").map((each) => each.trim()) : [rest];
  return { op, path, ...(toPath !== undefined && toPath !== "" && { toPath }), line };
}

function movedTo({ path, line }: Mentioned, toPath: string): Mentioned {
  return { op: "move", path, toPath, line };
}

/** Without the timestamp that may follow, and git's prefix. */
function sideOf(line: string): string {
  return line.slice(4).split("\t")[0]!.trim();
}

function pair(from: string, to: string, line: number): Mentioned | undefined {
  const path = (to === NOTHING ? from : to).replace(/^[ab]\//, "");
  if (path === "" || path === NOTHING) return undefined;
  return { op: from === NOTHING ? "add" : to === NOTHING ? "delete" : "update", path, line };
}
