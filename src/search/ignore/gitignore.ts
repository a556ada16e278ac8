// The .gitignore files of a workspace, from its root down to a directory: the deepest one with an opinion decides.
import ignore, { type Ignore } from "ignore";
import type { Path } from "../../core/backend.ts";
import { isPassedOver } from "../endings.ts";
import type { Scope } from "../scope.ts";
import { linesIn } from "./lines.ts";

export const IGNORE_FILE = ".gitignore";

export interface Rules {
  readonly dir: string;
  readonly lines: readonly string[];
  readonly own: Ignore;
  /** Every line of the file is among them. */
  readonly whole: boolean;
  /** With those above. */
  readonly cost: number;
  readonly above: Rules | undefined;
}

export type Verdict = "ignored" | "unignored" | undefined;

export function verdictOn(rules: Rules | undefined, path: string, directory: boolean): Verdict {
  for (let level = rules; level !== undefined; level = level.above) {
    const verdict = verdictOfLevel(level, path, directory);
    if (verdict !== undefined) return verdict;
  }
  return;
}

/** The rules below `dir`, whose .gitignore, if any, comes on top of those above. */
export async function withRulesOf(scope: Scope, dir: Path, above: Rules | undefined): Promise<Rules | undefined> {
  const path = ignoreFileOf(dir);
  const text = await textOf(scope, path);
  const spent = above?.cost ?? 0;
  const { lines, cost, left } = linesIn(text, spent);
  if (left > 0) scope.note(`Of the rules of ${path}, ${left} are not used: they are too long or too many to go by.`);
  if (lines.length === 0) return above;
  const own = ignore({ ignorecase: false, allowRelativePaths: true }).add([...lines]);
  return { dir, lines, own, whole: left === 0, cost: spent + cost, above };
}

/** The rules of all the directories above `dir`. */
export async function rulesAbove(scope: Scope, dir: Path): Promise<Rules | undefined> {
  if (dir === "") return;
  const parents = dir.split("/").map((_, depth, names) => names.slice(0, depth).join("/") as Path);
  let rules: Rules | undefined;
  for (const parent of parents) rules = await withRulesOf(scope, parent, rules);
  return rules;
}

export function ignoreFileOf(dir: string): Path {
  return (dir === "" ? IGNORE_FILE : `${dir}/${IGNORE_FILE}`) as Path;
}

/** What was let in although this level ignores it, by a deeper file or by name, is no longer this level's business. */
function verdictOfLevel({ dir, own }: Rules, path: string, directory: boolean): Verdict {
  const relative = dir === "" ? path : path.slice(dir.length + 1);
  const { ignored, unignored } = own.test(directory ? `${relative}/` : relative);
  if (!ignored) return unignored ? "unignored" : undefined;
  const parent = relative.slice(0, relative.lastIndexOf("/") + 1);
  return parent !== "" && own.test(parent).ignored ? undefined : "ignored";
}

/** Through the backend, which stays inside, opens no pipe or device, and stops at the limit. Links are not followed: git does not either. */
async function textOf({ session, note }: Scope, path: Path): Promise<string> {
  const { backend } = session.workspace;
  try {
    const { kind, size } = await backend.resolve(path, { link: true });
    if (kind === "absent") return "";
    if (kind !== "file") note(`${path} is not a regular file, so it ignores nothing.`);
    else if (size > MOST_BYTES) note(`${path} has more than ${MOST_BYTES} bytes, so it ignores nothing.`);
    else return Buffer.concat((await backend.read(path, { maxBytes: MOST_BYTES }))?.parts ?? []).toString();
    return "";
  } catch (error) {
    if (isPassedOver(error)) {
      if (error.kind === "journal_damaged") note(`${path} ignores nothing: ${error.failure.message}`);
      return "";
    }
    throw error;
  }
}

const MOST_BYTES = 256 * 1024;
