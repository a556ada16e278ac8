// From flags and configuration to open workspaces: what every command that touches files begins with.
import { Refusal, reworded } from "../../core/failure.ts";
import type { Limits } from "../../core/limits.ts";
import type { PolicyInput } from "../../kernel/policy/policy.ts";
import type { Workspace } from "../../kernel/workspace.ts";
import type { NamedWorkspace } from "../../serve/workspaces/named.ts";
import { loadSurface } from "../../surfaces/load.ts";
import type { Surface } from "../../surfaces/tool.ts";
import { openWorkspace } from "../../workspaces/open.ts";
import type { WorkspaceInDatabase } from "../config/roots.ts";
import { type Flags, type RootSettings, type Settings, settingsOf } from "../config/settings.ts";
import { flag, type Given, type Terminal, value } from "../options/command.ts";
import { textOf } from "../options/given.ts";
import { safeText } from "../terminal/safe.ts";

/** Options of every command that opens workspaces. Commands that take roots as arguments leave out `root`. */
export const OPEN_OPTIONS = {
  root: {
    ...value(
      "DIR",
      "the workspace: a directory, a root's name in the configuration, or postgres://… (default: the current directory)",
      "r",
    ),
    multiple: true,
  },
  config: value("FILE", "the configuration file (default: stet.config.json in the root)", "c"),
  state: value("DIR", "where the histories of all roots lie (default: STET_STATE, else ~/.local/state/stet)"),
};

export const SURFACE_OPTIONS = {
  surface: value(
    "NAMES",
    "workspace, tracked, compact, files, anchors or filesystem, or several joined by commas (default: workspace)",
    "s",
  ),
  "read-only": flag("deny every change"),
};

/** Of commands that serve tools over MCP, or show what would be served. */
export const SERVING_OPTIONS = {
  ...OPEN_OPTIONS,
  ...SURFACE_OPTIONS,
  structured: flag(
    "results also as data after an output schema, for programs; some clients then show their model only that",
  ),
};

/** All workspaces and the surface, for commands that serve them. */
export interface OpenedAll {
  readonly surface: Surface;
  readonly served: readonly [NamedWorkspace, ...NamedWorkspace[]];
  readonly settings: Settings;
  close(): Promise<void>;
}

interface OneOptions {
  /** Where the owner sets none. */
  readonly limits?: Partial<Limits>;
  /** A workspace that is not in the database is made. */
  readonly make?: boolean;
}

/** Opens the one workspace that a command looks at, until its work is done. */
export async function withWorkspace(
  terminal: Terminal,
  given: Given,
  work: (workspace: Workspace, opened: { readonly settings: Settings }) => Promise<number>,
  { limits, make = false }: OneOptions = {},
): Promise<number> {
  const settings = await settingsOf(terminal, flagsOf(given));
  tellNotes(terminal, settings.notes);
  const ours = { ...settings.workspace, limits: { ...limits, ...settings.workspace.limits } };
  const workspace = await openAnyRoot(onlyRoot(settings), { ...settings, workspace: ours }, make);
  try {
    return await work(workspace, { settings });
  } catch (error) {
    throw error instanceof Refusal && error.kind === "journal_damaged" ? reworded(error, { next: RUN_VERIFY }) : error;
  } finally {
    await workspace.close();
  }
}

export const RUN_VERIFY = "Run stet verify to see everything that is wrong before changing anything.";

export function onlyRoot({ roots, none }: Settings): RootSettings {
  if (roots[0] === undefined && none !== undefined) throw none;
  const [root, ...others] = roots;
  if (others.length === 0) return root;
  const names = roots.map(({ name }) => name);
  throw new Refusal("invalid_input", `There are several workspaces here: ${names.join(", ")}.`, {
    next: `Say which one with --root NAME, as in --root ${names[0]}.`,
    details: { roots: names },
  });
}

/** Of commands whose arguments are roots. */
export function settingsFor(terminal: Terminal, given: Given): Promise<Settings> {
  return settingsOf(terminal, flagsOf(given, given.positionals));
}

export async function openAll(terminal: Terminal, settings: Settings, make = true): Promise<OpenedAll> {
  if (settings.fleet !== undefined) throw settings.none;
  const surface = await surfaceOf(settings);
  tellNotes(terminal, settings.notes);
  const served: NamedWorkspace[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(served.map(({ workspace }) => workspace.close()));
  };
  try {
    for (const root of settings.roots)
      served.push({ name: root.name, workspace: await openAnyRoot(root, settings, make) });
    for (const { workspace } of served) tellNotes(terminal, workspace.notOpened);
  } catch (error) {
    await close();
    throw error;
  }
  return { surface, served: served as unknown as OpenedAll["served"], settings, close };
}

/** Refused where it was chosen. */
export async function surfaceOf({ surface, files, refuseSurface }: Settings): Promise<Surface> {
  try {
    return await loadSurface(surface, files);
  } catch (error) {
    throw error instanceof Refusal ? refuseSurface(error) : error;
  }
}

export function tellNotes(terminal: Terminal, notes: readonly string[]): void {
  for (const note of notes) terminal.err(`stet: ${safeText(note)}\n`);
}

/** `roots`: positionals that name roots, besides those of --root. */
export function flagsOf(given: Given, roots: readonly string[] = []): Flags {
  const { values } = given;
  return {
    roots: [...((values.root as readonly string[] | undefined) ?? []), ...roots],
    config: textOf(given, "config"),
    surface: textOf(given, "surface"),
    readOnly: values["read-only"] === true ? true : undefined,
    structured: values.structured === true ? true : undefined,
    host: textOf(given, "host"),
    port: textOf(given, "port"),
    tokenFile: textOf(given, "token-file"),
  };
}

/** A directory, or a workspace in a database, which is made if it may be. */
async function openAnyRoot(root: RootSettings, settings: Settings, make: boolean): Promise<Workspace> {
  return root.database === undefined
    ? openRoot(root, settings)
    : openInDatabase(root.database, root.policy, settings.workspace, make);
}

export async function openInDatabase(
  { url: database, tenant, workspace, mirror }: WorkspaceInDatabase,
  policy: PolicyInput,
  { durability: _durability, stateDir: _stateDir, ...options }: Settings["workspace"],
  make: boolean,
): Promise<Workspace> {
  const { postgres } = await import("../../backends/postgres/index.ts");
  const waitMs = options.limits?.lockMs;
  const backend = await postgres({ database, tenant, workspace, make, mirror, waitMs }).catch((error) => {
    // not where the database said so: then it is the database, or its host, that is not there
    const isMissing = error instanceof Refusal && error.kind === "not_found" && error.cause === undefined;
    throw isMissing && !make ? reworded(error, { next: MADE_BY }) : error;
  });
  try {
    return openWorkspace({ ...options, backend, policy });
  } catch (error) {
    await backend.close();
    throw error;
  }
}

const MADE_BY = "Check the name. One that is not there is made by stet call, stet mcp and stet serve.";

/** A directory. */
export function openRoot({ path, written = path, policy, further }: RootSettings, { workspace }: Settings): Workspace {
  const opened = openWorkspace({ ...workspace, root: written, policy, further });
  if (opened.backend.directory === path) return opened;
  void opened.close();
  throw new Refusal("invalid_input", `The root ${written} led to ${path} a moment ago, and leads elsewhere now.`, {
    next: "Start stet again.",
  });
}
