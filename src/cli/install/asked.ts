// Reads the options of stet install: which client and file, and the entry that belongs there.
import { join } from "node:path";
import { contains, realPlace } from "../../backends/disk/paths/owner-path.ts";
import { Refusal } from "../../core/failure.ts";
import { databaseRoot, isDatabaseUrl } from "../config/database.ts";
import { absolute, homeOf, realDirectory } from "../config/paths.ts";
import { defaultRoot } from "../config/roots.ts";
import type { Given, Terminal } from "../options/command.ts";
import { choiceOf, textOf, UsageError } from "../options/given.ts";
import { installed } from "../version.ts";
import { CLIENT_NAMES, CLIENTS, type Client, type Start } from "./clients.ts";
import type { Merge } from "./merge.ts";

export interface Asked extends Merge {
  readonly client: Client;
  /** How the client starts stet; undefined where it connects to a server that runs. */
  readonly start: Start | undefined;
  /** What stet itself is given then. */
  readonly args: readonly string[];
  /** Where a client would start it. */
  readonly project: string;
}

export function askedFor(terminal: Terminal, given: Given): Asked {
  const { cwd, env } = terminal;
  const client = clientNamed(textOf(given, "client"));
  const isShared = isForProject(textOf(given, "scope"), client);
  const http = textOf(given, "http");
  refuseWhatIsNotKept(given, isShared, http !== undefined);
  const project = isShared ? defaultRoot(cwd, env, "stet install --scope project") : realDirectory(cwd);
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
  const args = http === undefined ? argumentsFor(terminal, given, client, isShared) : [];
  const start = http === undefined ? startOf(args, isShared || given.values.npx === true) : undefined;
  const entry = start === undefined ? client.remote?.(urlOf(http!)) : (client.local?.(start) ?? { ...start });
  if (entry === undefined)
    throw new Refusal("unsupported", `${client.title} takes no URL with a token from its configuration file.`, {
      next: "Leave out --http, so that the client starts stet itself.",
    });
  const { format, key, projectFile } = client;
  const file = isShared ? join(project, projectFile!) : client.userFile(place);
  if (isShared) refuseElsewhere(file, project);
  return { file, format, key, name, entry, client, start, args, project };
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

/** A link that came with a project would have another file of the owner's changed. */
function refuseElsewhere(file: string, root: string): void {
  if (contains(root, realPlace(file))) return;
  throw new Refusal("outside_workspace", `${file} leads out of the project, to ${realPlace(file)}.`, {
    path: file,
    next: "Look at the link on the way there and remove it if you did not make it.",
  });
}

/** In a file that others use too, no path of this machine stands: the project is a variable, or where the client starts. */
function argumentsFor(terminal: Terminal, given: Given, client: Client, isShared: boolean): readonly string[] {
  const { title, opensProjects, projectVariable } = client;
  const roots = ((given.values.root ?? []) as readonly string[]).map((root) => rootNamed(root, terminal));
  if (!isShared && roots.length === 0 && opensProjects !== true)
    throw new UsageError(
      `${title} starts servers in no project: say which directory to serve.`,
      `As in: stet install --client ${textOf(given, "client")} --root /path/to/project`,
    );
  const path = (text: string): string => absolute(terminal.cwd, text, terminal.env);
  const option = (name: string, written = (text: string): string => text): readonly string[] => {
    const text = textOf(given, name);
    return text === undefined ? [] : [`--${name}`, written(text)];
  };
  return [
    "mcp",
    ...(isShared && projectVariable !== undefined ? [projectVariable] : roots),
    ...option("surface"),
    ...(given.values["read-only"] === true ? ["--read-only"] : []),
    ...option("config", path),
    ...option("state", path),
  ];
}

/** What a file for others cannot name; and what a running server got when it was started, which no entry could hold it to. */
function refuseWhatIsNotKept({ values }: Given, isShared: boolean, runs: boolean): void {
  const running = runs ? ["surface", "read-only", "config", "state", "npx", "root"] : [];
  const ofThisMachine = isShared ? ["root", "config", "state"] : [];
  const option = [...running, ...ofThisMachine].find((name) => values[name] !== undefined);
  if (option === undefined) return;
  throw runs
    ? new UsageError(
        `--${option} means nothing with --http: the server is running already.`,
        "Leave it out here, and give it to stet serve.",
      )
    : new UsageError(
        `A file for others cannot have --${option}: it is about this machine.`,
        "Leave it out, or use --scope user.",
      );
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
