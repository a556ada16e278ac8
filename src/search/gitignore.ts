// The .gitignore files from the root of a workspace down to a directory: the deepest one with an opinion decides.
import ignore, { type Ignore } from "ignore";
import type { Path } from "../core/backend.ts";
import { childOf } from "../core/paths.ts";
import { isSkipped } from "./call.ts";
import type { Scope } from "./scope.ts";

export const IGNORE_FILE = ".gitignore";

/** The rules of one directory, linked to those above it. */
export interface Rules {
  readonly dir: string;
  readonly lines: readonly string[];
  readonly own: Ignore;
  /** Microseconds to compare one path at worst, with the rules above. */
  readonly cost: number;
  readonly above: Rules | undefined;
}

type Verdict = "ignored" | "unignored" | undefined;

export function verdictOn(rules: Rules | undefined, path: string, directory: boolean): Verdict {
  for (let level = rules; level !== undefined; level = level.above) {
    const verdict = verdictOfLevel(level, path, directory);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

/** A path in an ignored directory was let in by a deeper file, or named by the caller: this level no longer decides. */
function verdictOfLevel({ dir, own }: Rules, path: string, directory: boolean): Verdict {
  const relative = dir === "" ? path : path.slice(dir.length + 1);
  const { ignored, unignored } = own.test(directory ? `${relative}/` : relative);
  if (!ignored) return unignored ? "unignored" : undefined;
  const parent = relative.slice(0, relative.lastIndexOf("/") + 1);
  return parent !== "" && own.test(parent).ignored ? undefined : "ignored";
}

/** The rules in `dir`: its own file, if there is one, on top of those above. */
export async function withRulesOf(scope: Scope, dir: Path, above: Rules | undefined): Promise<Rules | undefined> {
  const path = childOf(dir, IGNORE_FILE);
  const text = await textOf(scope, path);
  const spent = above?.cost ?? 0;
  const { lines, cost, skipped } = affordableLines(text, spent);
  if (skipped > 0)
    scope.note(`Of the rules of ${path}, ${skipped} are not used: they are too long or too many to go by.`);
  if (lines.length === 0) return above;
  const own = ignore({ ignorecase: false, allowRelativePaths: true }).add([...lines]);
  return { dir, lines, own, cost: spent + cost, above };
}

/** The rules of all directories above `dir`. */
export async function rulesAbove(scope: Scope, dir: Path): Promise<Rules | undefined> {
  if (dir === "") return undefined;
  let rules: Rules | undefined;
  for (const [depth] of dir.split("/").entries()) {
    rules = await withRulesOf(scope, dir.split("/").slice(0, depth).join("/") as Path, rules);
  }
  return rules;
}

/** All rules as the lines of one .gitignore in the root. */
export function linesFromRoot(rules: Rules | undefined): string[] {
  if (rules === undefined) return [];
  return [...linesFromRoot(rules.above), ...rules.lines.map((line) => lineFromRoot(rules.dir, line))];
}

function lineFromRoot(dir: string, line: string): string {
  if (dir === "") return line;
  const [, not = "", pattern = ""] = /^(!?)(.*)$/s.exec(line) ?? [];
  const isAnchored = /\/(?!\s*$)/.test(pattern);
  // No rule can hold a line break: any character stands for it.
  const literal = dir.replaceAll(/[\\*?[\]{},!]/g, "\\$&").replaceAll(/[\r\n]/g, "?");
  return `${not}/${literal}/${isAnchored ? "" : "**/"}${pattern.replace(/^\//, "")}`;
}

const MAX_BYTES = 256 * 1024;
/** For all files that one path is compared with. Most projects need a thousandth of it. */
const MAX_COST = 20_000;
const MAX_RULE_LENGTH = 1000;

/** The lines that can be compared with every path without stalling the process. */
function affordableLines(text: string, spent: number) {
  const lines: string[] = [];
  let cost = 0;
  let skipped = 0;
  for (const line of text.replace(/^\uFEFF/, "").split(/\r?\n/)) {
    if (/^#|^[\s/!]*$/.test(line)) continue;
    // Several "**" can share the names of a deep path in very many ways, and matching tries them all.
    const more = 20 ** (line.split("**").length - 1) + line.length / 100;
    if (line.length > MAX_RULE_LENGTH || spent + cost + more > MAX_COST) skipped++;
    else {
      lines.push(line);
      cost += more;
    }
  }
  return { lines, cost, skipped };
}

/** Reads through the backend, which opens no pipe or device. Links are not followed: git does not follow them either. */
async function textOf({ session, note }: Scope, path: Path): Promise<string> {
  const { backend } = session.workspace;
  try {
    const { kind, size } = await backend.resolve(path, { link: true });
    if (kind === "absent") return "";
    if (kind !== "file") note(`${path} is not a regular file, so it ignores nothing.`);
    else if (size > MAX_BYTES) note(`${path} has more than ${MAX_BYTES} bytes, so it ignores nothing.`);
    else return Buffer.concat((await backend.read(path, { maxBytes: MAX_BYTES }))?.parts ?? []).toString();
    return "";
  } catch (error) {
    if (!isSkipped(error)) throw error;
    if (error.kind === "journal_damaged") note(`${path} ignores nothing: ${error.failure.message}`);
    return "";
  }
}
