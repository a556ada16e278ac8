// Reads the options of stet install; refuses here where a server could not start from the entry.
import { parse, relative, sep } from "node:path";
import { contains, realPlace } from "../../backends/disk/paths/owner-path.ts";
import { Refusal } from "../../core/failure.ts";
import { databaseRoot, isDatabaseUrl } from "../config/database.ts";
import { absolute, homeOf, realDirectory } from "../config/paths.ts";
import { defaultRoot } from "../config/roots.ts";
import { settingsOf } from "../config/settings.ts";
import { flagsOf, surfaceOf } from "../open/workspaces.ts";
import type { Given, Terminal } from "../options/command.ts";
import { nearest, UsageError } from "../options/given.ts";
import { CLIENT_NAMES, CLIENTS, type Client, type Place } from "./clients.ts";
import { type Entry, localEntry } from "./entry.ts";
import type { Merge, Merged } from "./merge.ts";

export interface Asked extends Merge {
  readonly client: Client;
  readonly merge: (text: string, merge: Merge) => Merged;
  /** What to paste where there is no such file yet. */
  readonly snippet: string;
  readonly link: string | undefined;
  /** How stet is started or reached, before the client's own way to say so. */
  readonly what: Entry;
  /** Where a client would start it. */
  readonly project: string;
  /** What remains for the owner. */
  readonly leftToDo: string;
}

interface Setting {
  readonly client: Client;
  readonly scope: "user" | "project";
  readonly project: string;
  /** To serve whatever project is open. */
  readonly roots: readonly string[];
}

export async function askedFor(terminal: Terminal, given: Given): Promise<Asked> {
  const { values } = given;
  const { env } = terminal;
  const client = clientNamed(values.client);
  const scope = scopeOf(values.scope, client);
  if (typeof values.http === "string") refuseWhatIsNotKept(given);
  const roots = ((values.root ?? []) as readonly string[]).map((root) => rootNamed(root, terminal));
  const setting = { client, scope, project: projectOf(terminal, given, client, scope), roots };
  const place: Place = {
    get home() {
      return homeOf(env);
    },
    project: setting.project,
    platform: process.platform,
    env,
  };
  const name = nameOf(values.name);
  const what =
    typeof values.http === "string"
      ? ({ kind: "remote", url: urlOf(values.http) } as const)
      : await localFor(terminal, given, setting);
  const entry = client.entry(what);
  if (entry === undefined) {
    throw new Refusal("unsupported", `${client.title} takes no URL with a token from its configuration file.`, {
      next: "Leave out --http, so that the client starts stet itself.",
    });
  }
  const file = (scope === "project" ? client.projectFile! : client.userFile!)(place);
  if (scope === "project") refuseElsewhere(file, setting.project);
  const { merge, render } = await formatOf(client);
  const asked: Merge = { file, key: client.key, name, entry };
  return {
    ...asked,
    client,
    merge,
    snippet: render(asked),
    link: client.link?.(name, entry),
    what,
    project: setting.project,
    leftToDo: (scope === "project" ? client.afterwardsInProject : undefined) ?? client.afterwards,
  };
}

/** A directory, or a workspace in a database. */
function rootNamed(root: string, { cwd, env }: Terminal): string {
  if (!isDatabaseUrl(root)) return realDirectory(absolute(cwd, root, env));
  if (!databaseRoot(root).hasPassword) return root;
  throw new UsageError(
    "The password in the address of the database would stand in the client's file.",
    "Leave it out, and give it to the client as PGPASSWORD, or in ~/.pgpass.",
  );
}

async function localFor(terminal: Terminal, given: Given, setting: Setting): Promise<Entry> {
  const { client, scope, roots } = setting;
  if (scope === "project" && roots.length > 0) throw notForOthers("a root");
  if (scope === "user" && roots.length === 0 && client.opensProjects !== true) {
    throw new UsageError(
      `${client.title} starts servers in no project: say which directory to serve.`,
      `As in: stet install --client ${given.values.client} --root /path/to/project`,
    );
  }
  await refuseWhatCannotStart(terminal, given, setting);
  return localEntry({
    npx: scope === "project" || given.values.npx === true,
    platform: process.platform,
    args: ["mcp", ...argumentsOf(terminal, given, setting)],
  });
}

/** The directory whose file it is; for all projects there is none to name. */
function projectOf({ cwd, env }: Terminal, { positionals }: Given, client: Client, scope: Setting["scope"]): string {
  const [project, ...others] = positionals;
  if (project === undefined && scope === "project") return defaultRoot(cwd, env, "stet install --scope project");
  if (project === undefined) return realDirectory(cwd);
  if (scope === "project" && others.length === 0) return realDirectory(absolute(cwd, project, env));
  if (others.length > 0) throw new UsageError("A project's file lies in one project.", "Name one directory.");
  const instead =
    client.opensProjects === true ? `Leave it out: ${client.title} has stet serve what it has open. ` : "";
  throw new UsageError(
    "A directory that is named so is a project, and the file is for all projects.",
    `${instead}To serve ${project} whatever is open, say --root ${project}; for a file in it, --scope project.`,
  );
}

/** A link that came with a project would have another file of the owner's changed. */
function refuseElsewhere(file: string, root: string): void {
  if (contains(root, realPlace(file))) return;
  throw new Refusal("outside_workspace", `${file} leads out of the project, to ${realPlace(file)}.`, {
    path: file,
    next: "Look at the link on the way there and remove it if you did not make it.",
  });
}

/** Loaded when needed: each brings its parser along. */
async function formatOf({ format }: Client) {
  if (format === "toml") {
    const { mergeToml, renderToml } = await import("./merge-toml.ts");
    return { merge: mergeToml, render: renderToml };
  }
  const { mergeJson, renderJson } = await import("./merge-json.ts");
  return { merge: mergeJson, render: renderJson };
}

/** In a file that others use too, no path of this machine stands: the project is a variable, or where the client starts. */
function argumentsOf(terminal: Terminal, { values }: Given, { client, scope, project, roots }: Setting): string[] {
  const variable = client.projectVariable === undefined ? [] : [client.projectVariable];
  const config = typeof values.config === "string" ? absolute(terminal.cwd, values.config, terminal.env) : undefined;
  const state = typeof values.state === "string" ? absolute(terminal.cwd, values.state, terminal.env) : undefined;
  if (state !== undefined && scope === "project") throw notForOthers("a state directory");
  const inProject = (path: string): string => {
    if (!contains(project, realPlace(path))) throw notForOthers(path);
    return [...variable, ...relative(project, realPlace(path)).split(sep)].join("/");
  };
  const isShared = scope === "project";
  return [
    ...(isShared ? variable : roots),
    ...flags(values, config !== undefined && isShared ? inProject(config) : config),
    ...(state === undefined ? [] : ["--state", state]),
  ];
}

function notForOthers(what: string): UsageError {
  return new UsageError(
    `A file for others cannot name ${what}: it is about this machine.`,
    "Leave it out, or use --scope user.",
  );
}

/** A running server got these when it was started; nothing in the client's file would hold it to them. */
function refuseWhatIsNotKept({ values }: Given): void {
  const option = ["surface", "read-only", "config", "state", "npx", "root"].find((name) => values[name] !== undefined);
  if (option === undefined) return;
  throw new UsageError(
    `--${option} means nothing with --http: the server is running already.`,
    "Leave it out here, and give it to stet serve.",
  );
}

/** A server that will not start is better refused here than by the client, which seldom says why. */
async function refuseWhatCannotStart(terminal: Terminal, given: Given, setting: Setting): Promise<void> {
  const { roots, project, scope } = setting;
  const { config, ...flags } = flagsOf(given);
  // The client starts it elsewhere, and without the variables of this shell.
  const { HOME, USERPROFILE } = terminal.env;
  const settings = await settingsOf(
    { cwd: parse(project).root, env: { HOME, USERPROFILE } },
    {
      ...flags,
      roots: scope === "project" ? [project] : roots,
      mayBeNone: true,
      config: config === undefined ? undefined : absolute(terminal.cwd, config, terminal.env),
    },
  );
  await surfaceOf(settings);
}

function flags(values: Given["values"], config: string | undefined): string[] {
  const { surface } = values;
  return [
    ...(typeof surface === "string" ? ["--surface", surface] : []),
    ...(values["read-only"] === true ? ["--read-only"] : []),
    ...(config !== undefined ? ["--config", config] : []),
  ];
}

function clientNamed(name: unknown): Client {
  if (typeof name !== "string")
    throw new UsageError("Say which client with --client.", `One of ${CLIENT_NAMES.join(", ")}.`);
  const client = Object.hasOwn(CLIENTS, name) ? CLIENTS[name] : undefined;
  if (client !== undefined) return client;
  const near = nearest(name, CLIENT_NAMES);
  throw new UsageError(
    `stet knows no client ${JSON.stringify(name)}.`,
    near === undefined ? `Use one of ${CLIENT_NAMES.join(", ")}.` : `Did you mean ${near}?`,
  );
}

function scopeOf(scope: unknown, { title, projectFile }: Client): "user" | "project" {
  if (scope === undefined || scope === "user") return "user";
  if (scope !== "project") throw new UsageError(`--scope is user or project, not ${JSON.stringify(scope)}.`);
  if (projectFile === undefined)
    throw new UsageError(`${title} has no configuration in projects.`, "Use --scope user.");
  return "project";
}

function nameOf(name: unknown): string {
  if (name === undefined) return "stet";
  if (typeof name === "string" && /^[A-Za-z][\w-]{0,63}$/.test(name)) return name;
  throw new UsageError("--name may have letters, digits, _ and -, and begins with a letter.");
}

function urlOf(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new UsageError(`--http needs a URL, not ${JSON.stringify(text)}.`, "As in http://127.0.0.1:4100/mcp");
}
