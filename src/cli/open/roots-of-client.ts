// Workspaces for the directories that an MCP client has open; for a client that names none, where stet was started.
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { contains } from "../../backends/disk/paths/owner-path.ts";
import { Refusal } from "../../core/failure.ts";
import type { RootsOpener } from "../../serve/workspaces/client-roots.ts";
import type { NamedWorkspace } from "../../serve/workspaces/named.ts";
import { realDirectory } from "../config/paths.ts";
import { isTooWide, numbered, protectionOf } from "../config/roots.ts";
import { type Flags, type RootSettings, type Settings, settingsOf } from "../config/settings.ts";
import type { Terminal } from "../options/command.ts";
import { safeText } from "../terminal/safe.ts";
import { openRoot, tellNotes } from "./workspaces.ts";

/** `atStart`: as it is for the directory that stet was started in. */
export function rootsOfClient(terminal: Terminal, flags: Flags, atStart: Settings): RootsOpener {
  /** By path and spelling. Kept to the end: what was read there counts again when the client comes back to it. */
  const opened = new Map<string, NamedWorkspace>();
  /** By path. A name never means another directory later: calls that name it may be under way. */
  const names = new Map<string, string>();
  let hasNamed = false;

  const open = async (root: RootSettings, settings: Settings): Promise<NamedWorkspace> => {
    const key = JSON.stringify([root.path, root.written]);
    const known = opened.get(key);
    if (known !== undefined) return known;
    const name = names.get(root.path) ?? numbered(root.name, new Set(names.values()));
    names.set(root.path, name);
    const served = { name, workspace: openRoot(root, settings) };
    opened.set(key, served);
    tellNotes(terminal, served.workspace.notOpened);
    return served;
  };

  return {
    async open(uris) {
      try {
        const given = (uris ?? []).filter((uri) => /^file:/i.test(uri));
        if (given.length === 0 && hasNamed) throw noneLeft();
        if (given.length === 0) return [await open(whereStarted(atStart), atStart)];
        hasNamed = true;
        const places = usable(terminal, given);
        const all = await Promise.all(
          places.map((place) => settingsOf(terminal, { ...flags, roots: [place.written] })),
        );
        return await Promise.all(all.map((settings) => open(settings.roots[0], settings)));
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

function whereStarted({ roots: [root], none }: Settings): RootSettings {
  if (none === undefined) return root;
  const why = `Nothing is served. The client named no directory. ${none.failure.message}`;
  throw new Refusal("invalid_input", why, { next: NEXT });
}

const NEXT =
  "Tell the user to start the client in a project, or to name the directory: stet install --client NAME --root DIR.";

/** Another directory than those that the client had open is not what it means now. */
function noneLeft(): Refusal {
  const why = "Nothing is served. The client had directories open, and now names none on this machine.";
  return new Refusal("invalid_input", why, {
    next: "Tell the user to open the project in the client again, or to name the directory: stet install --client NAME --root DIR.",
  });
}

/** A directory that the client named, as it wrote it and with links resolved. */
interface Place {
  readonly written: string;
  readonly real: string;
}

/** Existing directories, each once, none in another, and none that is too wide or protected. */
function usable(terminal: Terminal, given: readonly string[]): readonly Place[] {
  const whys: string[] = [];
  const all = given.flatMap((uri) => directoryAt(uri, terminal.env, whys));
  const each = all.filter(({ real }, at) => all.findIndex((other) => other.real === real) === at);
  const places = each.filter(({ real }) => {
    const outer = each.find((other) => other.real !== real && contains(other.real, real));
    if (outer !== undefined) whys.push(`${real} lies in ${outer.real} and is served as a part of it.`);
    return outer === undefined;
  });
  if (places.length > 0) {
    for (const why of whys) tell(terminal, why);
    return places;
  }
  throw new Refusal("invalid_input", `Nothing is served of what the client named. ${whys.join(" ")}`, { next: NEXT });
}

function directoryAt(uri: string, env: Terminal["env"], whys: string[]): readonly Place[] {
  try {
    const written = resolve(fileURLToPath(uri));
    const real = realDirectory(written);
    const why = isTooWide(real, env)
      ? `${real} is a whole disk, a whole home directory or lies above it.`
      : protectionOf(real, env);
    if (why === undefined) return [{ written, real }];
    whys.push(why);
  } catch (error) {
    whys.push(error instanceof Refusal ? error.message : `${uri} is no path here.`);
  }
  return [];
}

function tell(terminal: Terminal, words: string): void {
  terminal.err(`stet: ${safeText(words.trim())}\n`);
}
