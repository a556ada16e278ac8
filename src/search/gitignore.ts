// The .gitignore files of a workspace, from its root down to a directory: the deepest one with an opinion decides.
import ignore, { type Ignore } from "ignore";
import type { Backend, Path } from "../backends/backend.ts";
import { isPassedOver } from "./endings.ts";

export const IGNORE_FILE = ".gitignore";

export interface Rules {
  readonly dir: string;
  readonly own: Ignore;
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
export async function withRulesOf(backend: Backend, dir: Path, above: Rules | undefined): Promise<Rules | undefined> {
  const text = await textOf(backend, (dir === "" ? IGNORE_FILE : `${dir}/${IGNORE_FILE}`) as Path);
  if (!/^[^#\r\n]/m.test(text)) return above;
  return { dir, own: ignore({ ignorecase: false, allowRelativePaths: true }).add(text), above };
}

/** The rules of all the directories above `dir`. */
export async function rulesAbove(backend: Backend, dir: Path): Promise<Rules | undefined> {
  if (dir === "") return;
  const parents = dir.split("/").map((_, depth, names) => names.slice(0, depth).join("/") as Path);
  let rules: Rules | undefined;
  for (const parent of parents) rules = await withRulesOf(backend, parent, rules);
  return rules;
}

/** What was let in although this level ignores it, by a deeper file or by name, is no longer this level's business. */
function verdictOfLevel({ dir, own }: Rules, path: string, directory: boolean): Verdict {
  const relative = dir === "" ? path : path.slice(dir.length + 1);
  const { ignored, unignored } = own.test(directory ? `${relative}/` : relative);
  if (!ignored) return unignored ? "unignored" : undefined;
  const parent = relative.slice(0, relative.lastIndexOf("/") + 1);
  return parent !== "" && own.test(parent).ignored ? undefined : "ignored";
}

async function textOf(backend: Backend, path: Path): Promise<string> {
  try {
    const version = await backend.read(path, { maxBytes: MOST_BYTES });
    return version === null
      ? ""
      : Buffer.concat(version.parts)
          .toString()
          .replace(/^\uFEFF/, "");
  } catch (error) {
    if (isPassedOver(error)) return "";
    throw error;
  }
}

const MOST_BYTES = 1024 * 1024;
