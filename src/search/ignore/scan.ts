// Which .gitignore files a search goes by, read here and handed to ripgrep: left to itself it would open whatever has that name.
import { readdirSync, type Stats } from "node:fs";
import { setImmediate as otherWork } from "node:timers/promises";
import type { Backend, Path } from "../../core/backend.ts";
import type { Deadline } from "../../core/deadline.ts";
import { childOf } from "../../core/paths.ts";
import { look, momentBefore } from "../ripgrep/unmoved.ts";
import type { Scope } from "../scope.ts";
import { IGNORE_FILE, ignoreFileOf, type Rules, verdictOn, withRulesOf } from "./gitignore.ts";
import { asFromRoot } from "./lines.ts";

const BATCH = 256;
/** Of places where searches start. */
const MOST_STARTS = 16;
/** Too much to look through every time, and nothing in there is ignored by files of its own. */
export const PASSED_OVER: ReadonlySet<string> = new Set([".git", ".stet"]);

/** A directory as it was when it was last listed; its ctime tells whether names came or went since. */
interface Known {
  readonly ctimeMs: number;
  readonly ino: number;
  readonly directories: readonly string[];
  readonly links: readonly string[];
  readonly hasRules: boolean;
  ruled?: Ruled;
}

/** What follows from the rules above it and its own file. */
interface Ruled {
  readonly above: Rules | undefined;
  readonly file: string;
  readonly rules: Rules | undefined;
  readonly entered: readonly string[];
}

interface Memory {
  readonly directories: Map<string, Known>;
  /** The text that the last search from a place went by. */
  readonly texts: Map<string, string>;
}

const memories = new WeakMap<Backend, Memory>();

/** As of the last search like this one; it may hold no longer. */
export function lastRulesOf(scope: Scope): string | undefined {
  return memoryOf(scope).texts.get(startOf(scope));
}

/** The rules that count now, as the lines of one .gitignore in the root. */
export async function rulesNow(scope: Scope, directory: string, deadline: Deadline): Promise<string> {
  const { directories, texts } = memoryOf(scope);
  let above: Rules | undefined;
  for (const dir of dirsAbove(scope.at.path)) {
    const known = listed(directories, directory, dir);
    if (known === undefined) continue;
    const at = lookAtRules(directory, dir, known);
    above = (settledFor(known, at, above) ?? (await ruled(scope, dir, known, at, above, deadline))).rules;
  }
  const lines = chainOf(above).flatMap(fromRoot);
  const ahead: { readonly dir: Path; readonly above: Rules | undefined; readonly depth: number }[] = [
    { dir: scope.at.path, above, depth: 0 },
  ];
  const gone = new Set(scope.at.path === "" ? directories.keys() : []);
  let count = 0;
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (++count % BATCH === 0) await otherWork();
    deadline.check();
    const { dir } = next;
    gone.delete(dir);
    const known = listed(directories, directory, dir);
    if (known === undefined) continue;
    const at = lookAtRules(directory, dir, known);
    const { rules, entered } =
      settledFor(known, at, next.above) ?? (await ruled(scope, dir, known, at, next.above, deadline));
    if (rules !== next.above && rules !== undefined) lines.push(...fromRoot(rules));
    const depth = next.depth + 1;
    if (depth >= scope.maxDepth) continue;
    for (const name of entered)
      if (!PASSED_OVER.has(name)) ahead.push({ dir: childOf(dir, name), above: rules, depth });
  }
  if (scope.maxDepth === Number.POSITIVE_INFINITY) for (const dir of gone) directories.delete(dir);
  const text = lines.map((line) => `${line}\n`).join("");
  remember(texts, startOf(scope), text);
  return text;
}

export interface Inside {
  /** Names of all directories, or of those that are not ignored where the rules are known. */
  readonly directories: readonly string[];
  /** Names of all links. */
  readonly links: readonly string[];
  readonly ruled: boolean;
  readonly rules: Rules | undefined;
}

/** The directories and links in one, as `rulesNow` just found them where the search goes by rules. */
export function directoriesIn(scope: Scope, root: string, dir: Path): Inside {
  const { directories } = memoryOf(scope);
  const known = (scope.gitignore ? directories.get(dir) : undefined) ?? listed(directories, root, dir);
  const ruled = scope.gitignore ? known?.ruled : undefined;
  const { directories: all = [], links = [] } = known ?? {};
  if (ruled !== undefined) return { directories: ruled.entered, links, ruled: true, rules: ruled.rules };
  return { directories: all, links, ruled: !scope.gitignore, rules: undefined };
}

function memoryOf({ session }: Scope): Memory {
  const { backend } = session.workspace;
  const memory = memories.get(backend) ?? { directories: new Map(), texts: new Map() };
  memories.set(backend, memory);
  return memory;
}

function dirsAbove(path: Path): Path[] {
  return path === "" ? [] : path.split("/").map((_, depth, names) => names.slice(0, depth).join("/") as Path);
}

function startOf({ at, maxDepth }: Scope): string {
  return `${maxDepth} ${at.path}`;
}

function remember(texts: Map<string, string>, start: string, text: string): void {
  texts.delete(start);
  texts.set(start, text);
  const [oldest] = texts.keys();
  if (texts.size > MOST_STARTS && oldest !== undefined) texts.delete(oldest);
}

/** Names alone: what is read goes through the backend, and what a name leads to is nothing that is followed here. */
function listed(directories: Map<string, Known>, root: string, dir: Path): Known | undefined {
  const place = placeOf(root, dir);
  const before = momentBefore();
  const stat = look(place);
  const known = directories.get(dir);
  if (stat?.isDirectory() !== true) {
    directories.delete(dir);
    return;
  }
  if (known?.ctimeMs === stat.ctimeMs && known.ino === stat.ino) return known;
  const fresh = { ctimeMs: stat.ctimeMs, ino: stat.ino, ...namesIn(place) };
  const same = known !== undefined && isSame(known, fresh) ? known.ruled : undefined;
  const kept: Known = same === undefined ? fresh : { ...fresh, ruled: same };
  // Touched only just now: another name may come without a later time to tell of it.
  if (stat.ctimeMs < before) directories.set(dir, kept);
  else directories.delete(dir);
  return kept;
}

function isSame(one: Known, other: Omit<Known, "ruled">): boolean {
  return one.hasRules === other.hasRules && one.directories.join("/") === other.directories.join("/");
}

function namesIn(place: string): Pick<Known, "directories" | "links" | "hasRules"> {
  try {
    const entries = readdirSync(place, { withFileTypes: true });
    return {
      directories: entries.filter((entry) => entry.isDirectory()).map(({ name }) => name),
      links: entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name),
      hasRules: entries.some(({ name }) => name === IGNORE_FILE),
    };
  } catch {
    return { directories: [], links: [], hasRules: false };
  }
}

interface Look {
  readonly before: number;
  readonly stat: Stats | undefined;
  /** Which file it is, in which state. */
  readonly file: string;
}

const NO_RULES: Look = { before: 0, stat: undefined, file: "" };

function lookAtRules(root: string, dir: Path, { hasRules }: Known): Look {
  if (!hasRules) return NO_RULES;
  const before = momentBefore();
  const stat = look(placeOf(root, ignoreFileOf(dir)));
  return { before, stat, file: stat === undefined ? "" : `${stat.ino} ${stat.ctimeMs} ${stat.size}` };
}

function settledFor({ ruled: known }: Known, { file }: Look, above: Rules | undefined): Ruled | undefined {
  return known?.file === file && known.above === above ? known : undefined;
}

async function ruled(
  scope: Scope,
  dir: Path,
  known: Known,
  { before, stat, file }: Look,
  above: Rules | undefined,
  deadline: Deadline,
): Promise<Pick<Ruled, "rules" | "entered">> {
  const rules = known.hasRules ? await withRulesOf(scope, dir, above) : above;
  const entered = known.directories.filter((name) => {
    deadline.check();
    return verdictOn(rules, childOf(dir, name), true) !== "ignored";
  });
  // One that is not used as a whole is read every time, so that it is told of every time.
  const isUsed = stat?.isFile() === true && stat.ctimeMs < before && rules !== above && rules?.whole === true;
  if (!known.hasRules || isUsed) known.ruled = { above, file, rules, entered };
  else delete known.ruled;
  return { rules, entered };
}

function chainOf(rules: Rules | undefined): Rules[] {
  return rules === undefined ? [] : [...chainOf(rules.above), rules];
}

function fromRoot({ dir, lines }: Rules): string[] {
  return lines.map((line) => asFromRoot(dir, line));
}

/** `join` takes longer than to look. The way to the root may itself be a link. */
function placeOf(root: string, path: string): string {
  return `${root}/${path === "" ? "." : path}`;
}
