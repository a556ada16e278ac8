// Walks a tree through the backend, in the order of names: .gitignore, hidden names and links as the scope says.
import { setImmediate as otherWork } from "node:timers/promises";
import type { Kind, Listed, Path } from "../../core/backend.ts";
import type { Deadline } from "../../core/deadline.ts";
import { otherWorkNowAndThen } from "../../core/other-work.ts";
import { childOf } from "../../core/paths.ts";
import { isPassedOver } from "../endings.ts";
import type { FoundFile } from "../find.ts";
import { IGNORE_FILE, type Rules, rulesAbove, verdictOn, withRulesOf } from "../ignore/gitignore.ts";
import { comparePaths } from "../order.ts";
import type { Scope } from "../scope.ts";

interface Entry extends Listed {
  /** Where it really is; another path than its own only below a link that was followed. */
  readonly real: Path;
}

interface Level {
  readonly entries: readonly Entry[];
  next: number;
  readonly rules: Rules | undefined;
  /** Where the directories on the way really are, to notice a link that leads back up. */
  readonly real: readonly Path[];
}

/** Files, directories and, where the scope has them, links below the root, or the root itself when it is a file. */
export async function* walk(scope: Scope, deadline: Deadline): AsyncGenerator<FoundFile, void, undefined> {
  const { at } = scope;
  deadline.check();
  if (at.kind === "file") {
    yield at;
    return;
  }
  const above = scope.gitignore ? await rulesAbove(scope, at.path) : undefined;
  yield* walkBelow(scope, at.path, above, 0, deadline);
}

/** The same below `start`, which lies so many levels below the root; `above` are the rules without its own. */
export async function* walkBelow(
  scope: Scope,
  start: Path,
  above: Rules | undefined,
  depth: number,
  deadline: Deadline,
): AsyncGenerator<FoundFile, void, undefined> {
  if (depth >= scope.maxDepth) return;
  const nowAndThen = otherWorkNowAndThen();
  const stack: Level[] = [await enter(scope, start, above, [start])];
  for (let level = stack.at(-1); level !== undefined; level = stack.at(-1)) {
    const listed = level.entries[level.next++];
    if (listed === undefined) {
      stack.pop();
      continue;
    }
    const entry = listed.kind === "link" ? await followed(scope, listed, level) : listed;
    if (entry === null || !WALKED.has(entry.kind)) continue;
    await nowAndThen();
    deadline.check();
    if (!goesOn(scope, entry, level.rules)) continue;
    yield entry;
    if (entry.kind !== "directory" || depth + stack.length >= scope.maxDepth) continue;
    await otherWork();
    const below = await enterIfPossible(scope, entry.path, level.rules, [...level.real, entry.real]);
    if (below !== null) stack.push(below);
  }
}

async function enter(scope: Scope, dir: Path, above: Rules | undefined, real: readonly Path[]): Promise<Level> {
  const { backend } = scope.session.workspace;
  const entries: Entry[] = [];
  for await (const entry of backend.list(real.at(-1)!)) {
    entries.push({ ...entry, path: childOf(dir, entry.name), real: entry.path });
  }
  entries.sort((a, b) => comparePaths(a.name, b.name));
  const hasRules = scope.gitignore && entries.some(({ name }) => name === IGNORE_FILE);
  return { entries, next: 0, rules: hasRules ? await withRulesOf(scope, dir, above) : above, real };
}

/** A directory that cannot be listed, or that has gone, is passed over as an empty one. */
async function enterIfPossible(...args: Parameters<typeof enter>): Promise<Level | null> {
  try {
    return await enter(...args);
  } catch (error) {
    if (isPassedOver(error)) return null;
    throw error;
  }
}

export function goesOn(
  scope: Scope,
  { path, real, name, kind }: Pick<Entry, "path" | "real" | "name" | "kind">,
  rules: Rules | undefined,
): boolean {
  const directory = kind === "directory";
  const verdict = verdictOn(rules, path, directory);
  if (verdict === "ignored") return false;
  if (name.startsWith(".") && !scope.hidden && verdict !== "unignored") return false;
  if (real !== path && !scope.session.workspace.policy.allows(real, "search")) return false;
  return !(directory && scope.prunes(path));
}

const WALKED: ReadonlySet<Kind> = new Set<Kind>(["file", "directory", "link"]);

/** What a link leads to, under its own name, if it stays in the workspace; itself, or null, where links are not followed. */
async function followed(scope: Scope, link: Entry, level: Level): Promise<Entry | null> {
  if (!scope.followLinks) return scope.links ? link : null;
  try {
    const { path: real, kind, size, mtimeMs } = await scope.session.workspace.backend.resolve(link.real);
    const upwards = real === "" || level.real.some((dir) => dir === real || dir.startsWith(`${real}/`));
    if (kind === "directory" && upwards) return null;
    return { name: link.name, path: link.path, kind, size, mtimeMs, real };
  } catch (error) {
    if (isPassedOver(error)) return null;
    throw error;
  }
}
