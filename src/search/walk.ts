// Walks a tree in the order of names and yields what the scope accepts: by directory where there is one, else by the backend.
import { type Dirent, lstatSync, readdirSync } from "node:fs";
import type { Kind, Path } from "../core/backend.ts";
import type { Deadline } from "../core/deadline.ts";
import { childOf } from "../core/paths.ts";
import { yieldEvery } from "../core/yield-every.ts";
import { refuse } from "../words/index.ts";
import { isCrowded, isSkipped } from "./call.ts";
import { comparePaths } from "./engine.ts";
import { IGNORE_FILE, type Rules, rulesAbove, verdictOn, withRulesOf } from "./gitignore.ts";
import type { Scope } from "./scope.ts";

export interface Walked {
  readonly path: Path;
  readonly kind: Kind;
  /** Absent where only names were listed: see `withStats`. */
  readonly size?: number;
  readonly mtimeMs?: number;
}

interface Entry extends Walked {
  readonly name: string;
  /** Where it really is; differs from `path` only below a followed link. */
  readonly real: Path;
}

interface Level {
  readonly entries: readonly Entry[];
  next: number;
  readonly rules: Rules | undefined;
  /** The real directories on the way, to notice a link that leads back up. */
  readonly real: readonly Path[];
}

const BATCH = 256;

/** Entries below the root, or the root itself when it is a file, some at a time. */
export async function* walk(
  scope: Scope,
  directory: string | undefined,
  deadline: Deadline,
): AsyncGenerator<readonly Walked[], void, undefined> {
  const { at } = scope;
  deadline.check();
  if (at.kind === "file") {
    if (scope.accepts(at.path)) yield [at];
    return;
  }
  if (scope.maxDepth < 1) return;
  const above = scope.gitignore ? await rulesAbove(scope, at.path) : undefined;
  const yieldNow = yieldEvery();
  const stack: Level[] = [await enter(scope, directory, at.path, above, [at.path])];
  let batch: Walked[] = [];
  for (let level = stack.at(-1); level !== undefined; level = stack.at(-1)) {
    const listed = level.entries[level.next++];
    if (listed === undefined) {
      stack.pop();
      continue;
    }
    const entry = listed.kind === "link" ? await followed(scope, listed, level) : listed;
    if (entry === undefined || entry.kind === "absent" || entry.kind === "other") continue;
    const isDirectory = entry.kind === "directory";
    const isAccepted = scope.accepts(entry.path);
    if ((!isDirectory && !isAccepted) || !isVisible(scope, entry, level.rules)) continue;
    if (isAccepted) batch.push(entry);
    if (batch.length >= BATCH) {
      yield batch;
      batch = [];
    }
    if (!isDirectory || stack.length >= scope.maxDepth || scope.prunes(entry.path)) continue;
    await yieldNow();
    deadline.check();
    const below = await enterIfPossible(scope, directory, entry.path, level.rules, [...level.real, entry.real]);
    if (below !== undefined) stack.push(below);
  }
  if (batch.length > 0) yield batch;
}

/** Entries with their sizes and times, without those that are gone. */
export function withStats(directory: string | undefined, entries: readonly Walked[]): Required<Walked>[] {
  return entries.flatMap(({ path, kind, size, mtimeMs }) => {
    if (size !== undefined && mtimeMs !== undefined) return [{ path, kind, size, mtimeMs }];
    const stat = lstatSync(`${directory}/${path}`, { throwIfNoEntry: false });
    return stat === undefined ? [] : [{ path, kind, size: kind === "file" ? stat.size : 0, mtimeMs: stat.mtimeMs }];
  });
}

async function enter(
  scope: Scope,
  directory: string | undefined,
  dir: Path,
  above: Rules | undefined,
  real: readonly Path[],
): Promise<Level> {
  const entries = directory === undefined ? await listedByBackend(scope, dir, real.at(-1)!) : listedIn(directory, dir);
  entries.sort((a, b) => comparePaths(a.name, b.name));
  const hasRules = scope.gitignore && entries.some(({ name }) => name === IGNORE_FILE);
  return { entries, next: 0, rules: hasRules ? await withRulesOf(scope, dir, above) : above, real };
}

/** A directory that is gone or cannot be listed is skipped. */
async function enterIfPossible(...args: Parameters<typeof enter>): Promise<Level | undefined> {
  try {
    return await enter(...args);
  } catch (error) {
    if (isSkipped(error)) return undefined;
    throw error;
  }
}

async function listedByBackend({ session }: Scope, dir: Path, real: Path): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of session.workspace.backend.list(real)) {
    entries.push({ ...entry, path: childOf(dir, entry.name), real: entry.path });
  }
  return entries;
}

/** Names and kinds alone: a stat of every entry would take longer than all the rest. */
function listedIn(directory: string, dir: Path): Entry[] {
  try {
    // The root may be entered by a link, and is followed with "/." only.
    const found = readdirSync(`${directory}/${dir === "" ? "." : dir}`, { withFileTypes: true });
    return found.map((entry) => {
      const path = childOf(dir, entry.name);
      return { name: entry.name, path, real: path, kind: kindOf(entry, `${directory}/${path}`) };
    });
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (isCrowded(code)) throw refuse("search_machine_busy", { code }, error);
    return [];
  }
}

function kindOf(entry: Dirent, place: string): Kind {
  // A name that is not UTF-8 is listed with U+FFFD, and no path leads to it.
  if (entry.name.includes("\uFFFD") && lstatSync(place, { throwIfNoEntry: false }) === undefined) return "absent";
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "link" : "other";
}

function isVisible(scope: Scope, { path, real, name, kind }: Entry, rules: Rules | undefined): boolean {
  const verdict = verdictOn(rules, path, kind === "directory");
  if (verdict === "ignored") return false;
  if (name.startsWith(".") && !scope.hidden && verdict !== "unignored") return false;
  return real === path || scope.session.workspace.policy.allows(real, "search");
}

/** A link's target under the link's name, if it stays in the workspace; the link itself where links are listed. */
async function followed(scope: Scope, link: Entry, level: Level): Promise<Entry | undefined> {
  if (!scope.followLinks) return scope.links ? link : undefined;
  try {
    const { path: real, kind, size, mtimeMs } = await scope.session.workspace.backend.resolve(link.real);
    const isLoop = real === "" || level.real.some((dir) => dir === real || dir.startsWith(`${real}/`));
    if (kind === "directory" && isLoop) return undefined;
    return { name: link.name, path: link.path, kind, size, mtimeMs, real };
  } catch (error) {
    if (isSkipped(error)) return undefined;
    throw error;
  }
}
