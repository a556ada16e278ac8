// Finds the default rule that protects a directory by the names that lead to it: with it as a root they would be gone.
import { relative, sep } from "node:path";
import { contains } from "../backends/disk/paths/owner-path.ts";
import { type Decision, definePolicy, type Policy } from "../kernel/policy/policy.ts";

/** Undefined where nothing does, and for `above` itself. */
export function protectionBelow(above: string, place: string): Decision | undefined {
  if (place === above || !contains(above, place)) return undefined;
  defaults ??= definePolicy();
  const said = defaults.explain(withoutWorktrees(relative(above, place).split(sep)).join("/"), "create");
  return said.allowed ? undefined : said;
}

let defaults: Policy | undefined;

/** Agents keep whole copies of projects in a directory of that name below their settings: what counts is what follows. */
function withoutWorktrees(names: readonly string[]): readonly string[] {
  const at = names.lastIndexOf("worktrees", names.length - 2);
  return at > 0 && AGENTS.has(names[at - 1]!) ? names.slice(at + 1) : names;
}

const AGENTS: ReadonlySet<string> = new Set([".codex", ".claude", ".cursor", ".gemini", ".opencode"]);
