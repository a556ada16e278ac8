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
import { UsageError } from "../options/given.ts";
import type { ConfigFile } from "./config-file.ts";
import type { Fleet } from "./database.ts";
import { databaseRoot, isDatabaseUrl, PASSWORD_SEEN } from "./database.ts";
import { booleanIn, bytesIn, choiceIn, textIn, unknownVariables } from "./environment.ts";
import { type HttpFlags, type HttpSettings, httpSettings } from "./http.ts";
import { type ChosenRoot, chooseRoots, type RootFlags, type WorkspaceInDatabase } from "./roots.ts";
import type { Config } from "./schema.ts";

export interface Flags extends HttpFlags, RootFlags {
  readonly surface?: string | undefined;
  readonly readOnly?: boolean | undefined;
  readonly structured?: boolean | undefined;
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

export async function settingsOf(terminal: Pick<Terminal, "cwd" | "env">, flags: Flags): Promise<Settings> {
  const { env } = terminal;
  const { file, chosen, named, none, fleet } = await chooseRoots(terminal, flags);
  const config: Config = file?.config ?? {};
  const http = httpSettings(terminal, flags, file);
  const readOnly = flags.readOnly ?? booleanIn(env, "STET_READ_ONLY");
  const policyOf = (root: Pick<ChosenRoot, "policy" | "readOnly">, directory?: string): PolicyInput => {
    const { policy = {}, at } = root.policy ?? { policy: config.policy as PolicyInput | undefined, at: ["policy"] };
    const whole = readOnlyOr(policy, readOnly, root.readOnly === true || config.readOnly === true);
    if (file !== undefined) refuseMalformed(whole, at, directory, file);
    return whole;
  };
  const own = [...(file === undefined ? [] : [file.path]), ...http.files].map(wayTo).flatMap(placesOf);
  const toRoots = chosen.flatMap(({ links = [] }) => links);
  const roots = chosen.map((root, index): RootSettings => {
    const { name, path, written, database } = root;
    if (database !== undefined) return { name, path, database, policy: policyOf(root), further: false };
    // One directory has one history here, so only one of the roots opens what lies outside.
    const further = index > 0 ? false : ({ closed: [...own, ...chosen.map((each) => each.path)] } as const);
    const denied = denyPlaces(policyOf(root, path), path, [...own, ...toRoots]);
    return { name, path, written, policy: denied, further };
  });
  const unopened = roots
    .filter(({ further, database }) => further === false && database === undefined)
    .flatMap(({ policy, path }) => outsideOf(policy, path));
  const surfaceOutside = flags.surface ?? textIn(env, "STET_SURFACE");
  return {
    configFile: file?.path,
    surface: surfaceOutside ?? config.surface ?? DEFAULT_SURFACE,
    refuseSurface: (refusal) => surfaceRefusal(refusal, flags, surfaceOutside === undefined ? file : undefined),
    roots: roots as unknown as Settings["roots"],
    rootsAreNamed: named,
    none,
    fleet: fleet && { ...fleet, policy: policyOf({}) },
    workspace: {
      stateDir: stateHome(env),
      limits: config.limits as Partial<Limits> | undefined,
      strict: booleanIn(env, "STET_STRICT") ?? config.strict,
      onStale: choiceIn(env, "STET_ON_STALE", ["reject", "rebase"]) ?? config.onStale,
      durability: choiceIn(env, "STET_DURABILITY", ["full", "fast"]) ?? config.durability,
    },
    http,
    files: config.files ?? {},
    maxMessageBytes: bytesIn(env, "STET_MAX_MESSAGE_BYTES") ?? config.maxMessageBytes,
    results: flags.structured ? "structured" : (choiceIn(env, "STET_RESULTS", RESULTS) ?? config.results ?? "text"),
    notes: [
      ...(flags.roots?.some((root) => isDatabaseUrl(root) && databaseRoot(root).hasPassword) ? [PASSWORD_SEEN] : []),
      ...unknownVariables(env).map((name) => `The environment variable ${name} means nothing to stet.`),
      ...unopened.map(
        ({ directory }) => `allowedPaths: ${directory} stays closed: only the first root opens what lies outside.`,
      ),
    ],
  };
}

/** In the file, with its place; otherwise as it is, unless the surface is right and what it reads from the environment is not. */
function surfaceRefusal(refusal: Refusal, flags: Flags, file: ConfigFile | undefined): Error {
  const { message, suggestedAction = "", details } = refusal.failure;
  if (details?.variable !== undefined) return refusal;
  if (flags.surface !== undefined) return new UsageError(message, suggestedAction);
  if (file?.config.surface === undefined) return refusal;
  return file.refuse(["surface"], `surface: ${message} ${suggestedAction}`.trim());
}

/** Where a path leads, and everything that decides it. */
function placesOf({ replaceable, end }: Way): readonly string[] {
  return [...replaceable, end];
}

/** Flags and environment decide when they speak; otherwise every place in the file that says read-only is believed. */
function readOnlyOr(policy: PolicyInput, outside: boolean | undefined, inFile: boolean): PolicyInput {
  if (outside === undefined && !inFile) return policy;
  const { readOnly, readonly, ...rest } = policy;
  return { ...rest, readOnly: outside ?? true };
}

/** The policy validates its globs and rules itself; here their place in the file is named. */
function refuseMalformed(
  policy: PolicyInput,
  at: readonly (string | number)[],
  root: string | undefined,
  file: ConfigFile,
): void {
  try {
    definePolicy(policy, { root });
  } catch (error) {
    const { message, details } = (error as Partial<Refusal>).failure ?? {};
    if (!(error instanceof Refusal) || typeof details?.key !== "string") throw error;
    // "policy.deniedPaths[1]" → "deniedPaths", 1
    const key = [...details.key.matchAll(/\.([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index));
    throw file.refuse([...at, ...key], message!.replace(/\.$/, ""));
  }
}
