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
import { choiceOf, textOf, UsageError } from "../options/given.ts";
import { installed } from "../version.ts";
import { CLIENT_NAMES, CLIENTS, type Client, fileOf, type Start } from "./clients.ts";
import type { Merge } from "./merge.ts";

export interface Asked extends Merge {
  readonly client: Client;
  /** How the client starts stet; undefined where it connects to a server that runs. */
  readonly start: Start | undefined;
  /** What stet itself is given then. */
  readonly args: readonly string[];
  /** Where a client would start it. */
  readonly project: string;
  /** What remains for the owner. */
  readonly leftToDo: string;
}

interface Setting {
  readonly client: Client;
  readonly isShared: boolean;
  readonly project: string;
  /** To serve whatever project is open. */
  readonly roots: readonly string[];
}

export async function askedFor(terminal: Terminal, given: Given): Promise<Asked> {
  const { env } = terminal;
  const client = clientNamed(textOf(given, "client"));
  const isShared = isForProject(textOf(given, "scope"), client);
  const http = textOf(given, "http");
  if (http !== undefined) refuseWhatIsNotKept(given);
  const roots = ((given.values.root ?? []) as readonly string[]).map((root) => rootNamed(root, terminal));
  const setting = { client, isShared, project: projectOf(terminal, given, client, isShared), roots };
  const place = {
    get home() {
      return homeOf(env);
    },
    platform: process.platform,
    env,
  };
  const name = textOf(given, "name") ?? "stet";
  if (!/^[A-Za-z][\w-]{0,63}$/.test(name))
    throw new UsageError("--name may have letters, digits, _ and -, and begins with a letter.");
  const args = http === undefined ? await argumentsFor(terminal, given, setting) : [];
  const start = http === undefined ? startOf(args, isShared || given.values.npx === true) : undefined;
  const entry = start === undefined ? client.remote?.(urlOf(http!)) : (client.local?.(start) ?? { ...start });
  if (entry === undefined)
    throw new Refusal("unsupported", `${client.title} takes no URL with a token from its configuration file.`, {
      next: "Leave out --http, so that the client starts stet itself.",
    });
  const file = fileOf(client, place, isShared ? setting.project : undefined);
  if (isShared) refuseElsewhere(file, setting.project);
  const { format, key, afterwards, afterwardsInProject = afterwards } = client;
  const leftToDo = isShared ? afterwardsInProject : afterwards;
  return { file, format, key, name, entry, client, start, args, project: setting.project, leftToDo };
}

/** `byName`: for files that others use too. So it is also where npx started this one: it may clear its cache. */
function startOf(args: readonly string[], byName: boolean): Start {
  const { directory, version, program } = installed();
  // Absolute on both counts: desktop clients have another PATH than the shell that node was found with.
  if (!byName && !/[\\/]_npx[\\/]/.test(directory)) return { command: process.execPath, args: [program, ...args] };
  const call = ["-y", `stet@${version}`, ...args];
  return process.platform === "win32"
    ? { command: "cmd", args: ["/c", "npx", ...call] }
    : { command: "npx", args: call };
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

/** The directory whose file it is; for all projects there is none to name. */
function projectOf({ cwd, env }: Terminal, { positionals }: Given, client: Client, isShared: boolean): string {
  const [project, ...others] = positionals;
  if (project === undefined)
    return isShared ? defaultRoot(cwd, env, "stet install --scope project") : realDirectory(cwd);
  if (others.length > 0) throw new UsageError("A project's file lies in one project.", "Name one directory.");
  if (isShared) return realDirectory(absolute(cwd, project, env));
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

/** In a file that others use too, no path of this machine stands: the project is a variable, or where the client starts. */
async function argumentsFor(terminal: Terminal, given: Given, setting: Setting): Promise<readonly string[]> {
  const { client, isShared, project, roots } = setting;
  const surface = textOf(given, "surface");
  const config = pathOf(terminal, given, "config");
  const state = pathOf(terminal, given, "state");
  if (isShared && roots.length > 0) throw notForOthers("a root");
  if (isShared && state !== undefined) throw notForOthers("a state directory");
  if (isShared && config !== undefined && !contains(project, realPlace(config))) throw notForOthers(config);
  if (!isShared && roots.length === 0 && client.opensProjects !== true)
    throw new UsageError(
      `${client.title} starts servers in no project: say which directory to serve.`,
      `As in: stet install --client ${textOf(given, "client")} --root /path/to/project`,
    );
  await refuseWhatCannotStart(terminal, given, setting, config);
  const variable = client.projectVariable === undefined ? [] : [client.projectVariable];
  const shared = (path: string) => [...variable, ...relative(project, realPlace(path)).split(sep)].join("/");
  return [
    "mcp",
    ...(isShared ? variable : roots),
    ...(surface === undefined ? [] : ["--surface", surface]),
    ...(given.values["read-only"] === true ? ["--read-only"] : []),
    ...(config === undefined ? [] : ["--config", isShared ? shared(config) : config]),
    ...(state === undefined ? [] : ["--state", state]),
  ];
}

function pathOf({ cwd, env }: Terminal, given: Given, option: string): string | undefined {
  const path = textOf(given, option);
  return path === undefined ? undefined : absolute(cwd, path, env);
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
async function refuseWhatCannotStart(
  { env: { HOME, USERPROFILE } }: Terminal,
  given: Given,
  { roots, project, isShared }: Setting,
  config: string | undefined,
): Promise<void> {
  // The client starts it elsewhere, and without the variables of this shell.
  const around = { cwd: parse(project).root, env: { HOME, USERPROFILE } };
  const flags = { ...flagsOf(given), roots: isShared ? [project] : roots, mayBeNone: true, config };
  await surfaceOf(await settingsOf(around, flags));
}

function clientNamed(name: string | undefined): Client {
  if (name === undefined) throw new UsageError("Say which client with --client.", `One of ${CLIENT_NAMES.join(", ")}.`);
  return CLIENTS[choiceOf(name, CLIENT_NAMES, `stet knows no client ${JSON.stringify(name)}.`)]!;
}

function isForProject(scope: string | undefined, { title, projectFile }: Client): boolean {
  if (scope === undefined || scope === "user") return false;
  if (scope !== "project") throw new UsageError(`--scope is user or project, not ${JSON.stringify(scope)}.`);
  if (projectFile !== undefined) return true;
  throw new UsageError(`${title} has no configuration in projects.`, "Use --scope user.");
}

function urlOf(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new UsageError(`--http needs a URL, not ${JSON.stringify(text)}.`, "As in http://127.0.0.1:4100/mcp");
}
