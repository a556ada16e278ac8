// The settings of one run: flags, then the environment, then the configuration file, then defaults.
import { stateHome } from "../../backends/disk/home.ts";
import { type Way, wayTo } from "../../backends/disk/paths/owner-path.ts";
import { Refusal } from "../../core/failure.ts";
import type { Limits } from "../../core/limits.ts";
import { definePolicy, type PolicyInput } from "../../kernel/policy/policy.ts";
import type { WorkspaceOptions } from "../../kernel/workspace.ts";
import type { Results } from "../../serve/workspaces/named.ts";
import type { FilesSwitches } from "../../surfaces/load.ts";
import { denyPlaces, outsideOf } from "../../workspaces/places.ts";
import type { Terminal } from "../options/command.ts";
import { defined, UsageError } from "../options/given.ts";
import type { ConfigFile } from "./config-file.ts";
import type { Fleet } from "./database.ts";
import { databaseRoot, isDatabaseUrl, PASSWORD_SEEN } from "./database.ts";
import { booleanIn, bytesIn, choiceIn, textIn, unknownVariables } from "./environment.ts";
import { type HttpFlags, type HttpSettings, httpSettings } from "./http.ts";
import { type ChosenRoot, chooseRoots, type WorkspaceInDatabase } from "./roots.ts";
import type { Config } from "./schema.ts";

export interface Flags extends HttpFlags {
  readonly roots?: readonly string[] | undefined;
  readonly config?: string | undefined;
  readonly surface?: string | undefined;
  readonly readOnly?: boolean | undefined;
  readonly structured?: boolean | undefined;
  /** No root need be named: a client may name some later. `roots` may then be empty. */
  readonly mayBeNone?: boolean | undefined;
}

export interface RootSettings {
  readonly name: string;
  /** Absolute, links resolved; of a workspace in a database its address, as it may be shown. */
  readonly path: string;
  readonly database?: WorkspaceInDatabase;
  /** The same with the links that were written, where there are any: agents will write them too. */
  readonly written?: string;
  readonly policy: PolicyInput;
  /** What its policy lists outside: not opened, or opened without these places. */
  readonly further: false | { readonly closed: readonly string[] };
}

export interface Settings {
  readonly configFile: string | undefined;
  readonly surface: string;
  /** What is wrong with the surface, said where it was chosen: on the command line, in the environment, in the file. */
  refuseSurface(refusal: Refusal): Error;
  readonly roots: readonly [RootSettings, ...RootSettings[]];
  /** The roots were named, so that no client does. */
  readonly rootsAreNamed: boolean;
  /** Why there is no root. */
  readonly none?: Refusal;
  /** In place of roots, which are none then: a database with many workspaces, all under this policy. */
  readonly fleet?: Fleet & { readonly policy: PolicyInput };
  /** The same for all roots. */
  readonly workspace: Omit<WorkspaceOptions, "policy"> & {
    readonly durability?: "full" | "fast";
    /** Where the histories of all roots lie. */
    readonly stateDir?: string;
  };
  readonly http: HttpSettings;
  /** Of the surface files. */
  readonly files: FilesSwitches;
  /** The usual where not given. */
  readonly maxMessageBytes?: number;
  readonly results: Results;
  /** What the owner should know although nothing is wrong enough to stop. */
  readonly notes: readonly string[];
}

const DEFAULT_SURFACE = "workspace";
const RESULTS: readonly Results[] = ["text", "structured"];

export async function settingsOf({ cwd, env }: Pick<Terminal, "cwd" | "env">, flags: Flags): Promise<Settings> {
  const { config: configFile, mayBeNone } = flags;
  const { file, chosen, named, none, fleet } = await chooseRoots({
    cwd,
    env,
    roots: flags.roots,
    config: configFile,
    mayBeNone,
  });
  const config = file?.config ?? {};
  const maxMessageBytes = bytesIn(env, "STET_MAX_MESSAGE_BYTES") ?? config.maxMessageBytes;
  const http = httpSettings({ cwd, env, flags, file });
  const readOnly = flags.readOnly ?? booleanIn(env, "STET_READ_ONLY");
  const own = [...(file === undefined ? [] : [file.path]), ...http.files].map(wayTo);
  const toRoots = chosen.flatMap(({ links = [] }) => links);
  const policyOf = (root: Pick<ChosenRoot, "policy" | "readOnly">) => {
    const common = { policy: config.policy as PolicyInput | undefined, at: ["policy"] };
    const { policy = {}, at } = root.policy ?? common;
    return { at, policy: readOnlyOr(policy, readOnly, root.readOnly === true || config.readOnly === true) };
  };
  const policies = chosen.map(policyOf);
  const common = policyOf({});
  if (file !== undefined)
    for (const [n, each] of (fleet === undefined ? policies : [common]).entries()) {
      const root = chosen[n];
      refuseMalformed(each, root?.database === undefined ? root?.path : undefined, file);
    }
  const roots = chosen.map(({ name, path, written, database }, index): RootSettings => {
    if (database !== undefined) return { name, path, database, policy: policies[index]!.policy, further: false };
    return {
      name,
      path,
      ...(written !== undefined && written !== path && { written }),
      policy: denyPlaces(policies[index]!.policy, path, [...placesOf(own), ...toRoots]),
      // One directory has one history here, so only one of the roots opens it.
      further: index > 0 ? false : { closed: [...placesOf(own), ...chosen.map((each) => each.path)] },
    };
  });
  const unopened = roots
    .filter(({ further, database }) => further === false && database === undefined)
    .flatMap(({ policy, path }) => outsideOf(policy, path));
  return {
    configFile: file?.path,
    surface: flags.surface ?? textIn(env, "STET_SURFACE") ?? config.surface ?? DEFAULT_SURFACE,
    refuseSurface: (refusal) => surfaceRefusal(refusal, flags.surface ?? textIn(env, "STET_SURFACE"), flags, file),
    roots: roots as unknown as Settings["roots"],
    rootsAreNamed: named,
    ...(none !== undefined && { none }),
    ...(fleet !== undefined && { fleet: { ...fleet, policy: common.policy } }),
    workspace: workspaceOptions(env, config),
    http,
    files: config.files ?? {},
    ...(maxMessageBytes !== undefined && { maxMessageBytes }),
    results: flags.structured ? "structured" : (choiceIn(env, "STET_RESULTS", RESULTS) ?? config.results ?? "text"),
    notes: [
      ...(flags.roots?.some(hasPassword) ? [PASSWORD_SEEN] : []),
      ...unknownVariables(env).map((name) => `The environment variable ${name} means nothing to stet.`),
      ...unopened.map(
        ({ directory }) => `allowedPaths: ${directory} stays closed: only the first root opens what lies outside.`,
      ),
    ],
  };
}

function hasPassword(root: string): boolean {
  return isDatabaseUrl(root) && databaseRoot(root).hasPassword;
}

function surfaceRefusal(
  refusal: Refusal,
  outside: string | undefined,
  flags: Flags,
  file: ConfigFile | undefined,
): Error {
  const { message, suggestedAction = "", details } = refusal.failure;
  // The surface is right; what it reads from the environment is not.
  if (details?.variable !== undefined) return refusal;
  if (flags.surface !== undefined) return new UsageError(message, suggestedAction);
  if (outside !== undefined || file?.config.surface === undefined) return refusal;
  return file.refuse(["surface"], `surface: ${message} ${suggestedAction}`.trim());
}

function workspaceOptions(env: Terminal["env"], config: Partial<Config>): Settings["workspace"] {
  return defined({
    stateDir: stateHome(env),
    limits: config.limits as Partial<Limits> | undefined,
    strict: booleanIn(env, "STET_STRICT") ?? config.strict,
    onStale: choiceIn(env, "STET_ON_STALE", ["reject", "rebase"]) ?? config.onStale,
    durability: choiceIn(env, "STET_DURABILITY", ["full", "fast"]) ?? config.durability,
  });
}

/** Where a path leads, and everything that decides it. */
function placesOf(ways: readonly Way[]): readonly string[] {
  return ways.flatMap(({ replaceable, end }) => [...replaceable, end]);
}

/** Flags and environment decide when they speak; otherwise every place in the file that says read-only is believed. */
function readOnlyOr(policy: PolicyInput, outside: boolean | undefined, inFile: boolean): PolicyInput {
  if (outside === undefined && !inFile) return policy;
  const { readOnly, readonly, ...rest } = policy;
  return { ...rest, readOnly: outside ?? true };
}

/** The policy validates its globs and rules itself; here their place in the file is named. */
function refuseMalformed(
  { policy, at }: { readonly policy: PolicyInput; readonly at: readonly (string | number)[] },
  root: string | undefined,
  file: ConfigFile,
): void {
  try {
    definePolicy(policy, root === undefined ? {} : { root });
  } catch (error) {
    const { message, details } = (error as Partial<Refusal>).failure ?? {};
    if (!(error instanceof Refusal) || typeof details?.key !== "string") throw error;
    // "policy.deniedPaths[1]" → "deniedPaths", 1
    const key = [...details.key.matchAll(/\.([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index));
    throw file.refuse([...at, ...key], message!.replace(/\.$/, ""));
  }
}
