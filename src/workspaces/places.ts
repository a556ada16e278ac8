// Places in and around a root: what a policy allows outside it, what is the owner's alone, what the default rules protect.
import { posix, relative, sep } from "node:path";
import { contains } from "../backends/disk/paths/owner-path.ts";
import { type Decision, definePolicy, type Policy, type PolicyInput } from "../kernel/policy/policy.ts";

/** Places that are the owner's alone, with all below them, where they lie in this root: files, states, and what decides the way there. */
export function denyPlaces(policy: PolicyInput, root: string, places: readonly string[]): PolicyInput {
  const globs = [...new Set(places)]
    .filter((place) => place !== root && contains(root, place))
    .map((place) => asGlob(relative(root, place).replaceAll(sep, "/")));
  if (globs.length === 0) return policy;
  const { deniedPaths, denied_paths, ...rest } = policy;
  return { ...rest, deniedPaths: [...(deniedPaths ?? denied_paths ?? []), ...globs] };
}

const MAX_GLOB = 512;

/** What a glob would take for more than a letter, or not take at all, becomes "any letter": it denies this file, and at most its likes. */
function asGlob(path: string): string {
  const glob = path.replaceAll(/[*?[\]{}()!~\\+@:,\0-\x1F\x7F]|^\s|\s$/g, "?");
  return glob.length > MAX_GLOB ? `**/${posix.basename(glob)}` : glob;
}

export interface Outside {
  /** Absolute, as it was written: the names before the first that is a pattern. */
  readonly directory: string;
  /** From there on. */
  readonly globs: readonly string[];
}

/** `root` is absolute. A directory in another one that is listed is a part of that. */
export function outsideOf(policy: PolicyInput | undefined, root: string): readonly Outside[] {
  const listed = policy?.allowedPaths ?? policy?.allowed_paths ?? [];
  const globs = (Array.isArray(listed) ? listed : []).filter((glob) => typeof glob === "string" && isAbsolute(glob));
  const all = globs.map((glob) => splitGlob(glob)).filter(({ directory }) => !contains(root, directory));
  const outermost = all.filter(
    ({ directory }, at) =>
      !all.some((other, n) => contains(other.directory, directory) && (other.directory !== directory || n < at)),
  );
  return outermost.map(({ directory }) => ({
    directory,
    globs: all
      .filter((each) => contains(directory, each.directory))
      .map((each) => [...namesIn(each.directory).slice(namesIn(directory).length), each.glob].join("/")),
  }));
}

/** For another root: what stands in a rule for the first one alone is left out. */
export function fromAnyRoot(globs: readonly string[] | undefined): readonly string[] {
  return (globs ?? []).filter((glob) => !isAbsolute(glob) && !WORKDIR.test(glob));
}

const WORKDIR = /^\{\{\s*workdir\s*\}\}/;

function isAbsolute(glob: string): boolean {
  return /^(?:\/|[A-Za-z]:)/.test(glob);
}

const PATTERN = /[*?[\]{}()!+@\\]/;

function splitGlob(glob: string): { readonly directory: string; readonly glob: string } {
  const names = glob.replace(/\/$/, "/**").split("/");
  const first = names.findIndex((name) => PATTERN.test(name));
  const from = first === -1 ? names.length - 1 : first;
  const directory = names.slice(0, from).join("/");
  return {
    directory: /^(?:[A-Za-z]:)?$/.test(directory) ? `${directory}/` : directory,
    glob: names.slice(from).join("/"),
  };
}

function namesIn(path: string): readonly string[] {
  return path.split("/").filter((name) => name !== "");
}

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
