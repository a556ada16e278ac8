// From flags and configuration to open workspaces: what every command that touches files begins with.
import { Refusal, reworded } from "../../core/failure.ts";
import type { Limits } from "../../core/limits.ts";
import type { Workspace } from "../../kernel/workspace.ts";
import type { NamedWorkspace } from "../../serve/workspaces/named.ts";
import { loadSurface } from "../../surfaces/load.ts";
import type { Surface } from "../../surfaces/tool.ts";
import { openWorkspace } from "../../workspaces/open.ts";
import { type Flags, type RootSettings, type Settings, settingsOf } from "../config/settings.ts";
import { type Command, flag, type Given, type Terminal, value } from "../options/command.ts";
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
    "workspace, tracked, compact, files or anchors, or several joined by commas (default: workspace)",
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

/** One workspace, for commands that look at one. */
export interface OpenedOne {
  readonly name: string;
  readonly workspace: Workspace;
  readonly settings: Settings;
  close(): Promise<void>;
}

/** All workspaces and the surface, for commands that serve them. */
export interface OpenedAll {
  readonly surface: Surface;
  readonly served: readonly [NamedWorkspace, ...NamedWorkspace[]];
  readonly settings: Settings;
  close(): Promise<void>;
}

export interface OneOptions {
  /** Where the owner sets none. */
  readonly limits?: Partial<Limits>;
  /** A workspace that is not in the database is made. */
  readonly make?: boolean;
}

export async function openOne(
  terminal: Terminal,
  given: Given,
  { limits = {}, make = false }: OneOptions = {},
): Promise<OpenedOne> {
  const settings = await settingsOf(terminal, flagsOf(given));
  tellNotes(terminal, settings);
  const root = onlyRoot(settings);
  const ours = { ...settings.workspace, limits: { ...limits, ...settings.workspace.limits } };
  const workspace = await openAnyRoot(root, { ...settings, workspace: ours }, make);
  return { name: root.name, workspace, settings, close: () => workspace.close() };
}

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

export function tellNotOpened(terminal: Terminal, { notOpened }: Workspace): void {
  for (const note of notOpened) terminal.err(`stet: ${safeText(note)}\n`);
}

/** `roots`: positionals that name roots; they take the place of --root. */
export async function openAll(
  terminal: Terminal,
  given: Given,
  roots?: readonly string[],
  make = true,
): Promise<OpenedAll> {
  return openServed(terminal, await settingsOf(terminal, flagsOf(given, roots)), make);
}

export async function openServed(terminal: Terminal, settings: Settings, make = true): Promise<OpenedAll> {
  if (settings.fleet !== undefined && settings.none !== undefined) throw settings.none;
  const surface = await surfaceOf(settings);
  tellNotes(terminal, settings);
  const served: NamedWorkspace[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(served.map(({ workspace }) => workspace.close()));
  };
  try {
    for (const root of settings.roots)
      served.push({ name: root.name, workspace: await openAnyRoot(root, settings, make) });
    for (const { workspace } of served) tellNotOpened(terminal, workspace);
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

export function tellNotes(terminal: Terminal, { notes }: Settings): void {
  for (const note of notes) terminal.err(`stet: ${safeText(note)}\n`);
}

export function flagsOf({ values }: Given, roots?: readonly string[]): Flags {
  const text = (name: string): string | undefined => (typeof values[name] === "string" ? values[name] : undefined);
  return {
    roots: [...((values.root as readonly string[] | undefined) ?? []), ...(roots ?? [])],
    config: text("config"),
    surface: text("surface"),
    readOnly: values["read-only"] === true ? true : undefined,
    structured: values.structured === true ? true : undefined,
    host: text("host"),
    port: text("port"),
    tokenFile: text("token-file"),
  };
}

/** A directory, or a workspace in a database, which is made if it may be. */
async function openAnyRoot(root: RootSettings, settings: Settings, make: boolean): Promise<Workspace> {
  if (root.database === undefined) return openRoot(root, settings);
  const { openInDatabase } = await import("./in-database.ts");
  return openInDatabase(root.database, root.policy, settings, make);
}

/** A directory. */
export function openRoot({ path, written = path, policy, further }: RootSettings, { workspace }: Settings): Workspace {
  const opened = openWorkspace({ ...workspace, root: written, policy, further });
  if (opened.backend.directory === path) return opened;
  void opened.close();
  throw new Refusal("invalid_input", `The root ${written} led to ${path} a moment ago, and leads elsewhere now.`, {
    next: "Start stet again.",
  });
}

export async function withWorkspace(
  terminal: Terminal,
  given: Given,
  work: (workspace: OpenedOne["workspace"], opened: OpenedOne) => ReturnType<Command["run"]>,
  how: OneOptions = {},
): ReturnType<Command["run"]> {
  const opened = await openOne(terminal, given, how);
  try {
    return await work(opened.workspace, opened);
  } catch (error) {
    throw error instanceof Refusal && error.kind === "journal_damaged" ? reworded(error, { next: RUN_VERIFY }) : error;
  } finally {
    await opened.close();
  }
}

export const RUN_VERIFY = "Run stet verify to see everything that is wrong before changing anything.";
