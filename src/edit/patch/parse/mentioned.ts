// The files that a patch speaks of, as far as it can be read: also of one that is no patch, to tell what it was about.

export interface Mentioned {
  readonly op: "add" | "update" | "delete" | "move";
  readonly path: string;
  readonly toPath?: string;
}

/** At the start of a line, which for a patch only a newline ends. */
const HEADERS =
  /(?<![^\n])(?:\*\*\* (?:(Add|Update|Delete|Move) File|Move to):([^\n]+)|--- ([^\n]*)\n\+\+\+ ([^\n]*))/g;
/** More than any patch may have. */
const MAX_FILES = 10_000;
const NOTHING = "/dev/null";

export function mentionedFiles(text: string): Mentioned[] {
  const found: Mentioned[] = [];
  for (const { 1: verb, 2: names = "", 3: from, 4: to = "" } of text.matchAll(HEADERS)) {
    if (found.length === MAX_FILES) break;
    const name = names.trim();
    const last = found.at(-1);
    if (from !== undefined) found.push(...pair(from, to));
    else if (verb === undefined && last?.op === "update") found.splice(-1, 1, { ...last, op: "move", toPath: name });
    else if (verb === "Move") found.push({ op: "move", ...movePaths(name) });
    else if (verb !== undefined && name !== "") found.push({ op: verb.toLowerCase() as Mentioned["op"], path: name });
  }
  return found;
}

function movePaths(names: string): Pick<Mentioned, "path" | "toPath"> {
  const [path = names, toPath] = names.split(" -> ").map((each) => each.trim());
  return toPath ? { path, toPath } : { path };
}

/** A timestamp may follow the name. */
function pair(from: string, to: string): Mentioned[] {
  const [isNew, isGone] = [from.startsWith(NOTHING), to.startsWith(NOTHING)];
  const path = (isGone ? from : to)
    .split("\t")[0]!
    .trim()
    .replace(/^[ab]\//, "");
  if (path === "" || (isNew && isGone)) return [];
  return [{ op: isNew ? "add" : isGone ? "delete" : "update", path }];
}
