// Directories with ripgrep's help: those that hold a file follow from the files; only the others have to be walked.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as otherWork } from "node:timers/promises";
import type { Path } from "../backends/backend.ts";
import type { Deadline } from "../kernel/deadline.ts";
import { Refusal } from "../kernel/failure.ts";
import { type Rules, rulesAbove, withRulesOf } from "./gitignore.ts";
import type { Ripgrep } from "./ripgrep.ts";
import type { Scope } from "./scope.ts";
import { goesOn, walkBelow } from "./walk.ts";

const BATCH = 256;

/** `files` are all those that a search of the scope goes through, whether they are in its answer or not. */
export async function directoriesOf(
  { directory }: Ripgrep,
  scope: Scope,
  files: readonly Path[],
  deadline: Deadline,
): Promise<Path[]> {
  const start = scope.at.path;
  const known = holdersOf(files, start);
  const found = [...known].filter((path) => path !== start);
  const rulesOf = rulesByDirectory(scope);
  for (const [n, parent] of [...known].entries()) {
    if (n % BATCH === BATCH - 1) {
      await otherWork();
      deadline.check();
    }
    const depth = depthOf(parent, start);
    if (depth >= scope.maxDepth) continue;
    for (const name of directoriesIn(join(directory, parent))) {
      const path = (parent === "" ? name : `${parent}/${name}`) as Path;
      if (known.has(path)) continue;
      const rules = await rulesOf(parent);
      if (!goesOn(scope, { path, real: path, name, kind: "directory" }, rules) || !(await isThere(scope, path)))
        continue;
      found.push(path);
      for await (const entry of walkBelow(scope, path, rules, depth + 1, deadline)) {
        if (entry.kind === "directory") found.push(entry.path);
      }
    }
  }
  return found;
}

/** Every directory above a file, up to where the search starts, which is one of them. */
function holdersOf(files: readonly Path[], start: Path): Set<Path> {
  const holders = new Set<Path>([start]);
  for (const file of files) {
    for (let slash = file.lastIndexOf("/"); slash > start.length; slash = file.lastIndexOf("/", slash - 1)) {
      const holder = file.slice(0, slash) as Path;
      if (holders.has(holder)) break;
      holders.add(holder);
    }
  }
  return holders;
}

function rulesByDirectory(scope: Scope): (dir: Path) => Promise<Rules | undefined> {
  const known = new Map<Path, Promise<Rules | undefined>>();
  return (dir) => {
    if (!scope.gitignore) return Promise.resolve(undefined);
    const rules = known.get(dir) ?? rulesAbove(scope, dir).then((above) => withRulesOf(scope, dir, above));
    known.set(dir, rules);
    return rules;
  };
}

function directoriesIn(place: string): string[] {
  try {
    const entries = readdirSync(place, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  } catch {
    return [];
  }
}

/** Names alone are not believed: the backend knows whether the path leads there, and stays inside. */
async function isThere({ session }: Scope, path: Path): Promise<boolean> {
  try {
    const at = await session.workspace.backend.resolve(path, { link: true });
    return at.kind === "directory" && at.path === path;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

function depthOf(path: string, start: string): number {
  if (path === start) return 0;
  return path.slice(start === "" ? 0 : start.length + 1).split("/").length;
}
