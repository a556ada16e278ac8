// Chooses the directories that are served and the configuration file that speaks for them.
import { lstatSync } from "node:fs";
import { basename, dirname, join, parse } from "node:path";
import { stateHome } from "../../backends/disk/home.ts";
import { contains, realPlace, wayTo } from "../../backends/disk/paths/owner-path.ts";
import { Refusal } from "../../core/failure.ts";
import type { PolicyInput } from "../../kernel/policy/policy.ts";
import { protectionBelow } from "../../workspaces/places.ts";
import type { Terminal } from "../options/command.ts";
import type { ConfigFile } from "./config-file.ts";
import {
  type DatabaseRoot,
  databaseRoot,
  type Fleet,
  fleetIn,
  isDatabaseUrl,
  noneNamed,
  workspaceOf,
} from "./database.ts";
import { listIn, textIn } from "./environment.ts";
import { absolute, CONFIG_NAME, knownHome, realDirectory } from "./paths.ts";

export interface ChosenRoot {
  readonly name: string;
  /** Of a directory; of a workspace in a database its address, as it may be shown. */
  readonly path: string;
  readonly database?: WorkspaceInDatabase;
  /** Absolute, with the links that were written; `path` when not given. */
  readonly written?: string;
  /** Links on the way to it, as it was written. */
  readonly links?: readonly string[];
  readonly readOnly?: boolean;
  /** Its own policy, and where in the file that stands. */
  readonly policy?: { readonly policy: PolicyInput; readonly at: readonly (string | number)[] };
}

/** One workspace of a database. */
export type WorkspaceInDatabase = DatabaseRoot & { readonly workspace: string };

export interface RootFlags {
  readonly roots?: readonly string[] | undefined;
  readonly config?: string | undefined;
  /** No root need be named: a client may name some later. */
  readonly mayBeNone?: boolean | undefined;
}

export interface Chosen {
  readonly file: ConfigFile | undefined;
  readonly chosen: readonly ChosenRoot[];
  /** The roots were named: in the command, the environment or the file. */
  readonly named: boolean;
  /** Why there is no root, where there may be none. */
  readonly none?: Refusal;
  /** In place of roots: a database with many workspaces. */
  readonly fleet?: Fleet;
}

export async function chooseRoots({ cwd, env }: Around, flags: RootFlags): Promise<Chosen> {
  const wanted = flags.roots !== undefined && flags.roots.length > 0 ? flags.roots : listIn(env, "STET_ROOT");
  const file = await configFileFor({ cwd, env }, flags, wanted);
  const fleet = fleetIn(file, env);
  if (fleet !== undefined && wanted === undefined)
    return { file, named: true, chosen: [], none: noneNamed(fleet), fleet };
  if (fleet !== undefined) {
    const chosen = wanted!.map((each): Unnamed => {
      if (isDatabaseUrl(each)) return inDatabase(each, cwd, env);
      const database = workspaceOf(fleet, each);
      return { path: database.shown, database };
    });
    return { file, named: true, chosen: distinct(chosen) };
  }
  const inFile = file === undefined ? [] : distinct(rootsIn(file, env), file);
  if (wanted !== undefined) {
    const chosen = wanted.map((each) => rootNamed(each, inFile, { cwd, env }));
    return { file, named: true, chosen: distinct(chosen) };
  }
  if (inFile.length > 0) return { file, named: true, chosen: inFile };
  try {
    return { file, named: false, chosen: distinct([{ path: defaultRoot(cwd, env) }]) };
  } catch (error) {
    if (flags.mayBeNone !== true || !(error instanceof Refusal)) throw error;
    return { file, named: false, chosen: [], none: error };
  }
}

type Around = Pick<Terminal, "cwd" | "env">;

/** By its address, its name in the file, or its path. */
function rootNamed(text: string, inFile: readonly ChosenRoot[], { cwd, env }: Around): Unnamed {
  if (isDatabaseUrl(text)) {
    const given = inDatabase(text, cwd, env);
    return { ...inFile.find(({ path }) => path === given.path), ...given };
  }
  const called = inFile.find(({ name }) => name === text);
  if (called !== undefined) return called;
  const written = absolute(cwd, text, env);
  const real = realDirectory(written);
  const known: Unnamed = inFile.find(({ path }) => path === real) ?? { path: real };
  return { ...known, written, links: [...(known.links ?? []), ...wayTo(written).replaceable] };
}

/** The reader is loaded only where there is a file: it brings a parser and a schema along. */
async function configFileFor(
  { cwd, env }: Around,
  { config }: RootFlags,
  wanted: readonly string[] | undefined,
): Promise<ConfigFile | undefined> {
  const given = config ?? textIn(env, "STET_CONFIG");
  const path = given === undefined ? configInRoots(cwd, env, wanted) : absolute(cwd, given, env);
  if (path === undefined) return undefined;
  const { readConfigFile } = await import("./config-file.ts");
  return readConfigFile(path, { named: given !== undefined });
}

/** The file that lies in the one root that is served; it speaks for that root alone. */
function configInRoots(cwd: string, env: Terminal["env"], wanted: readonly string[] = [cwd]): string | undefined {
  const roots = wanted.filter((root) => !isDatabaseUrl(root)).map((root) => absolute(cwd, root, env));
  const [own] = roots.map((root) => join(root, CONFIG_NAME)).filter(isThere);
  if (own === undefined || wanted.length === 1) return own;
  throw new Refusal("invalid_input", `${own} speaks for one root, and ${wanted.length} are to be served.`, {
    next: "Name all roots in one configuration file and start with --config FILE, or serve each by itself.",
  });
}

/** Also a link that leads nowhere: where there is one, a configuration is meant to hold. */
function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

type Unnamed = Omit<ChosenRoot, "name"> & {
  readonly name?: string;
  /** Among the roots of the file. */
  readonly index?: number;
};

/** None when the file names none: then it speaks for whatever is served. */
function rootsIn(file: ConfigFile, env: Terminal["env"]): Unnamed[] {
  const home = dirname(file.path);
  return (file.config.roots ?? []).map((root, index): Unnamed => {
    const { path: given, name, readOnly, policy } = typeof root === "string" ? { path: root } : root;
    const own = policy && { policy: policy as PolicyInput, at: ["roots", index, "policy"] };
    const common = { index, name, readOnly, policy: own };
    try {
      if (isDatabaseUrl(given)) return { ...inDatabase(given, home, env), ...common };
      const written = absolute(home, given, env);
      return { path: realDirectory(written), written, links: wayTo(written).replaceable, ...common };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { message, suggestedAction } = error.failure;
      const next = isDatabaseUrl(given) ? ` ${suggestedAction}` : "";
      throw file.refuse(["roots", index], `roots[${index}]: ${`${message}${next}`.replace(/\.$/, "")}`);
    }
  });
}

/** `home`: what a directory for copies is relative to. */
function inDatabase(text: string, home: string, env: Terminal["env"]): Unnamed & { readonly path: string } {
  const { workspace, mirror, ...place } = databaseRoot(text);
  if (workspace === undefined)
    throw new Refusal("invalid_input", `${place.shown} is a database, and names no workspace in it.`, {
      next: `Write the name behind it: ${place.shown}/NAME`,
    });
  const copies = mirror === undefined ? undefined : absolute(home, mirror, env);
  return { path: place.shown, database: { ...place, workspace, mirror: copies } };
}

/** A client may start stet anywhere, and without a named root the whole disk or a whole home directory is never meant. */
export function defaultRoot(cwd: string, env: Terminal["env"], option = "--root"): string {
  const real = realDirectory(cwd);
  const next = `Name the directory, as in: ${option} /path/to/project`;
  if (isTooWide(real, env))
    throw new Refusal("invalid_input", `No root was named, and ${real} as a whole is hardly meant.`, { next });
  const why = protectionOf(real, env);
  if (why !== undefined) throw new Refusal("invalid_input", `No root was named, and ${why}`, { next });
  return real;
}

/** Why it is nothing to serve unless the owner names it: with it as the root, the rule that protects it would not hold. */
export function protectionOf(real: string, env: Terminal["env"]): string | undefined {
  const state = stateHome(env);
  if (state !== undefined && contains(realPlace(state), real)) return `${real} is where stet keeps the histories.`;
  const by = protectionBelow(parse(real).root, real);
  return by && `${real} is, or lies in, a protected place (${by.rule}): ${by.reason}.`;
}

/** The whole disk, a whole home directory, or what lies above it. */
export function isTooWide(real: string, env: Terminal["env"]): boolean {
  const home = knownHome(env);
  return real === parse(real).root || (home !== undefined && contains(real, realPlace(home)));
}

/** Each with a name of its own; refuses roots that are the same or lie in each other: they would share files but not their locks and history. */
function distinct(roots: readonly Unnamed[], file?: ConfigFile): ChosenRoot[] {
  for (const [at, a] of roots.entries()) {
    for (const b of roots.slice(at + 1)) {
      const words = a.path === b.path ? `${a.path} is given twice` : nestingOf(a, b);
      if (words === undefined) continue;
      const next = "Serve the outer one only, or separate directories.";
      throw refuseRoot(b, [], `roots must be separate: ${words}`, next, file);
    }
  }
  const taken = new Set<string>();
  for (const root of roots) {
    const { name } = root;
    if (name !== undefined && taken.has(name))
      throw refuseRoot(root, ["name"], `two roots are named ${name}`, "Rename one.", file);
    if (name !== undefined) taken.add(name);
  }
  return roots.map(({ index: _index, ...root }) => ({ ...root, name: root.name ?? nameFor(root.path, taken) }));
}

/** At its place in the file, where it stands in one. */
function refuseRoot({ index }: Unnamed, at: readonly string[], what: string, next: string, file?: ConfigFile): Refusal {
  if (file !== undefined && index !== undefined)
    return file.refuse(["roots", index, ...at], `${[`roots[${index}]`, ...at].join(".")}: ${what}`);
  return new Refusal("invalid_input", `${what[0]!.toUpperCase()}${what.slice(1)}.`, { next });
}

function nestingOf(one: Unnamed, other: Unnamed): string | undefined {
  if (one.database !== undefined || other.database !== undefined) return undefined;
  if (contains(one.path, other.path)) return `${other.path} lies in ${one.path}`;
  return contains(other.path, one.path) ? `${one.path} lies in ${other.path}` : undefined;
}

/** The name of its directory, as far as a name may have its characters. */
function nameFor(path: string, taken: Set<string>): string {
  const base =
    basename(path)
      .replaceAll(/[^\w.-]+/g, "-")
      .replace(/^[^A-Za-z0-9]+/, "") || "root";
  const name = numbered(base, taken);
  taken.add(name);
  return name;
}

/** With a number behind it where the name is another's. */
export function numbered(base: string, taken: ReadonlySet<string>): string {
  let name = base;
  for (let count = 2; taken.has(name); count++) name = `${base}-${count}`;
  return name;
}
