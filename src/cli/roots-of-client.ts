// Workspaces for the directories that an MCP client has open; for a client that names none, where stet was started.
import { fileURLToPath } from "node:url";
import { contains } from "../backends/disk/way.ts";
import { Refusal } from "../kernel/failure.ts";
import type { Workspace } from "../kernel/workspace.ts";
import type { RootsOpener } from "../serve/client-roots.ts";
import type { Served } from "../serve/served.ts";
import type { Terminal } from "./command.ts";
import { realDirectory } from "./config/paths.ts";
import { isTooWide, namesFor } from "./config/roots.ts";
import { type Flags, type RootSettings, type Settings, settingsOf } from "./config/settings.ts";
import { safeText } from "./history/safe.ts";
import { openRoot, tellUnusedState } from "./open.ts";

/** `atStart`: as it is for the directory that stet was started in. */
export function rootsOfClient(terminal: Terminal, flags: Flags, atStart: Settings): RootsOpener {
  /** By path. Kept to the end: what was read there counts again when the client comes back to it. */
  const opened = new Map<string, { readonly workspace: Workspace; served: Served }>();

  const open = async (name: string, root: RootSettings, settings: Settings): Promise<Served> => {
    const known = opened.get(root.path);
    if (known !== undefined) {
      if (known.served.name !== name) known.served = { ...known.served, name };
      return known.served;
    }
    const workspace = openRoot(root, settings);
    const served = { name, workspace };
    opened.set(root.path, { workspace, served });
    await tellUnusedState(terminal, workspace);
    return served;
  };

  return {
    async open(uris) {
      try {
        const paths = uris === undefined ? undefined : usable(terminal, uris);
        if (paths === undefined) return [await open(...whereStarted(atStart))];
        const all = await Promise.all(paths.map((path) => settingsOf(terminal, { ...flags, roots: [path] })));
        refuseShared(all);
        const names = all.length === 1 ? [all[0]!.roots[0].name] : namesFor(paths);
        return await Promise.all(all.map((settings, n) => open(names[n]!, settings.roots[0], settings)));
      } catch (error) {
        if (error instanceof Refusal) tell(terminal, error.message);
        throw error;
      }
    },
    async close() {
      await Promise.all([...opened.values()].map(({ workspace }) => workspace.close()));
    },
  };
}

function whereStarted(settings: Settings): [string, RootSettings, Settings] {
  const [root] = settings.roots;
  if (settings.none === undefined) return [root.name, root, settings];
  throw new Refusal(
    "invalid_input",
    `Nothing is served. The client named no directory. ${settings.none.failure.message}`,
    { next: NEXT },
  );
}

const NEXT =
  "Tell the user to start the client in a project, or to name the directory: stet install --client NAME --root DIR.";

/** Existing directories, each once, none in another, and none that is nobody's project. Undefined: no directory of this machine is named. */
function usable(terminal: Terminal, uris: readonly string[]): readonly string[] | undefined {
  const given = uris.filter((uri) => /^file:/i.test(uri));
  const whys: string[] = [];
  const real = [...new Set(given.flatMap((uri) => directoryAt(uri, terminal.env, whys)))];
  const paths = real.filter((path) => {
    const outer = real.find((other) => other !== path && contains(other, path));
    if (outer !== undefined) whys.push(`${path} lies in ${outer} and is served as a part of it.`);
    return outer === undefined;
  });
  if (given.length === 0) return undefined;
  if (paths.length > 0) {
    for (const why of whys) tell(terminal, why);
    return paths;
  }
  throw new Refusal("invalid_input", `Nothing is served of what the client named. ${whys.join(" ")}`, { next: NEXT });
}

function directoryAt(uri: string, env: Terminal["env"], whys: string[]): readonly string[] {
  try {
    const path = realDirectory(fileURLToPath(uri));
    if (!isTooWide(path, env)) return [path];
    whys.push(`${path} is a whole disk, a whole home directory or lies above it.`);
  } catch (error) {
    whys.push(error instanceof Refusal ? error.message : `${uri} is no path here.`);
  }
  return [];
}

/** Two histories in one place would be one that is damaged. */
function refuseShared(all: readonly Settings[]): void {
  const states = all.flatMap(({ roots: [{ stateDir }] }) => (stateDir === undefined ? [] : [stateDir]));
  if (new Set(states).size === states.length) return;
  throw new Refusal("invalid_input", "Two of the directories that the client named have the same state directory.", {
    next: "Tell the user to leave out STET_STATE_DIR, or to give each root its own.",
  });
}

function tell(terminal: Terminal, words: string): void {
  terminal.err(`stet: ${safeText(words.trim())}\n`);
}
