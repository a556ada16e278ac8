// Directories and links beside what ripgrep lists, which is files only: from what the look for .gitignore files knows.
import { setImmediate as otherWork } from "node:timers/promises";
import type { Path } from "../../core/backend.ts";
import type { Deadline } from "../../core/deadline.ts";
import { childOf } from "../../core/paths.ts";
import { walkBelow } from "../fallback/walk.ts";
import { type Rules, rulesAbove, type Verdict, verdictOn, withRulesOf } from "../ignore/gitignore.ts";
import { directoriesIn, PASSED_OVER } from "../ignore/scan.ts";
import type { Scope } from "../scope.ts";
import type { Ripgrep } from "./process.ts";

const BATCH = 256;

/** Those that the scope accepts. To be called when the rules that count now have been looked for. */
export async function besideFiles({ directory }: Ripgrep, scope: Scope, deadline: Deadline): Promise<Path[]> {
  const found: Path[] = [];
  const take = (path: Path): void => void (scope.accepts(path) && found.push(path));
  const rulesOf = rulesByDirectory(scope);
  const ahead: { readonly dir: Path; readonly depth: number }[] = [{ dir: scope.at.path, depth: 0 }];
  let count = 0;
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (++count % BATCH === 0) await otherWork();
    deadline.check();
    const { dir } = next;
    const depth = next.depth + 1;
    if (depth > scope.maxDepth) continue;
    const inside = directoriesIn(scope, directory, dir);
    const rules = inside.ruled ? inside.rules : await rulesOf(dir);
    for (const name of scope.links ? inside.links : []) {
      const path = childOf(dir, name);
      if (isListed(scope, name, verdictOn(rules, path, false))) take(path);
    }
    for (const name of inside.directories) {
      const path = childOf(dir, name);
      if (!isShown(scope, path, name, rules, inside.ruled)) continue;
      take(path);
      if (!PASSED_OVER.has(name)) ahead.push({ dir: path, depth });
      else
        for await (const { kind, path: inner } of walkBelow(scope, path, rules, depth, deadline))
          if (kind !== "file") take(inner);
    }
  }
  return found;
}

function isShown(scope: Scope, path: Path, name: string, rules: Rules | undefined, ruled: boolean): boolean {
  const hidden = name.startsWith(".") && !scope.hidden;
  return (ruled && !hidden) || isListed(scope, name, verdictOn(rules, path, true));
}

function isListed(scope: Scope, name: string, verdict: Verdict): boolean {
  return name.startsWith(".") && !scope.hidden ? verdict === "unignored" : verdict !== "ignored";
}

function rulesByDirectory(scope: Scope): (dir: Path) => Promise<Rules | undefined> {
  const known = new Map<Path, Promise<Rules | undefined>>();
  return (dir) => {
    const rules = known.get(dir) ?? rulesAbove(scope, dir).then((above) => withRulesOf(scope, dir, above));
    known.set(dir, rules);
    return rules;
  };
}
