// stet install: prints what a client needs to know about stet, or puts it into the client's configuration.
import { parse, relative, sep } from "node:path";
import { contains, realPlace } from "../../backends/disk/way.ts";
import { Refusal } from "../../kernel/failure.ts";
import type { Command, Given, Terminal } from "../command.ts";
import { absolute, homeOf, realDirectory } from "../config/paths.ts";
import { defaultRoot } from "../config/roots.ts";
import { settingsOf } from "../config/settings.ts";
import { safeEscapes, safeLine } from "../history/safe.ts";
import { flagsOf, surfaceOf } from "../open.ts";
import { readOwnerFile, replaceOwnerFile, writeNewFile } from "../owner-file.ts";
import { paint, printJson } from "../print.ts";
import { nearest, UsageError } from "../usage.ts";
import { CLIENTS, type Client, type Place } from "./clients.ts";
import { type Entry, localEntry, TOKEN_VARIABLE } from "./entry.ts";
import type { Merge, Merged } from "./merge.ts";

const NAMES = Object.keys(CLIENTS);

export const install: Command = {
  name: "install",
  summary: "Show what to put into a client's configuration, or put it there",
  usage: "install [ROOT…] --client NAME [--write] [--scope user|project] [--npx] [--http URL]",
  options: {
    client: { type: "string" },
    write: { type: "boolean" },
    force: { type: "boolean" },
    scope: { type: "string" },
    name: { type: "string" },
    npx: { type: "boolean" },
    http: { type: "string" },
    surface: { type: "string", short: "s" },
    "read-only": { type: "boolean" },
    config: { type: "string", short: "c" },
  },
  about: {
    client: `one of ${NAMES.join(", ")}`,
    write: "write into the client's file; a copy of it is kept beside it",
    force: "replace another entry of the same name",
    scope: "user: for all projects (usual); project: a file in the root",
    name: "what the client calls the server (stet unless told)",
    npx: "start stet by its package name instead of its place on this machine",
    http: `connect to a running stet serve; the token comes from the variable ${TOKEN_VARIABLE}`,
    surface: "the tools to offer",
    "read-only": "deny every change",
    config: "the configuration file that stet shall use",
  },
  examples: [
    "stet install --client claude-desktop ~/project",
    "stet install --client cursor --write",
    "stet install --client vscode --scope project --npx --write",
    "stet install --client claude-code --http http://127.0.0.1:4100/mcp",
  ],
  async run(terminal, given) {
    const asked = await askedFor(terminal, given);
    if (given.values.write === true) write(terminal, asked, given);
    else show(terminal, asked, given);
    return 0;
  },
};

interface Asked extends Merge {
  readonly client: Client;
  readonly merge: (text: string, merge: Merge) => Merged;
  /** What to paste where there is no such file yet. */
  readonly snippet: string;
  readonly link: string | undefined;
}

async function askedFor(terminal: Terminal, given: Given): Promise<Asked> {
  const { values } = given;
  const { env } = terminal;
  const client = clientNamed(values.client);
  const scope = scopeOf(values.scope, client);
  if (typeof values.http === "string") refuseWhatIsNotKept(given, scope);
  const roots = rootsOf(terminal, given);
  if (typeof values.http !== "string") await refuseWhatCannotStart(terminal, given, roots);
  const place: Place = {
    get home() {
      return homeOf(env);
    },
    project: roots[0]!,
    platform: process.platform,
    env,
  };
  const name = nameOf(values.name);
  const what: Entry =
    typeof values.http === "string"
      ? { kind: "remote", url: urlOf(values.http) }
      : localEntry({
          npx: values.npx === true,
          platform: process.platform,
          args: ["mcp", ...argumentsOf(terminal, given, { client, scope, roots })],
        });
  const entry = client.entry(what);
  if (entry === undefined) {
    throw new Refusal("unsupported", `${client.title} takes no URL with a token from its configuration file.`, {
      next: "Leave out --http, so that the client starts stet itself.",
    });
  }
  const file = (scope === "project" ? client.projectFile! : client.userFile!)(place);
  if (scope === "project") refuseElsewhere(file, roots[0]!);
  const { merge, render } = await formatOf(client);
  const asked: Merge = { file, key: client.key, name, entry };
  return { ...asked, client, merge, snippet: render(asked), link: client.link?.(name, entry) };
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

function show(terminal: Terminal, asked: Asked, given: Given): void {
  const { client, file, name, snippet, link } = asked;
  if (given.values.json === true) {
    const { key, entry } = asked;
    printJson(terminal, { client: given.values.client, file, key, name, entry, snippet, link });
    return;
  }
  const linkLines = link === undefined ? "" : `\nOr open this link:\n\n${link}\n`;
  terminal.out(
    `${paint(terminal, "bold", `${client.title}: put this into ${safeLine(file)}`)}\n\n${safeEscapes(snippet)}${linkLines}`,
  );
  terminal.err(`\nAdd --write to have it done. ${remoteHint(asked)}\n`);
}

function write(terminal: Terminal, asked: Asked, given: Given): void {
  const { client, file, name, merge } = asked;
  const before = readOwnerFile(file);
  const { text, state, existing } = merge(before ?? "", asked);
  if (state === "differs" && given.values.force !== true) {
    throw new Refusal("already_exists", `${file} has another entry named ${name}; it was left as it is.`, {
      path: file,
      next: "Replace it with --force, or choose another --name.",
      details: { existing, wanted: asked.entry },
    });
  }
  const backup = save(file, before, state === "same" ? before : text);
  if (given.values.json === true) {
    printJson(terminal, { file, name, state, backup: backup ?? null });
    return;
  }
  const did = { added: "now has", same: "already had", differs: "now has, instead of the entry before," }[state];
  terminal.out(`${safeLine(file)} ${did} the server ${name}.\n`);
  if (backup !== undefined) terminal.out(`The file as it was: ${safeLine(backup)}\n`);
  terminal.err(`${client.afterwards} ${remoteHint(asked)}\n`);
}

function save(file: string, before: string | undefined, after: string | undefined): string | undefined {
  if (after === undefined || before === after) return undefined;
  if (before !== undefined) return replaceOwnerFile(file, before, after);
  writeNewFile(file, after);
  return undefined;
}

function remoteHint({ entry }: Asked): string {
  return "command" in entry ? "" : `The client needs ${TOKEN_VARIABLE} in its environment.`;
}

interface Setting {
  readonly client: Client;
  readonly scope: "user" | "project";
  readonly roots: readonly string[];
}

/** In a file that others use too, no path of this machine stands: the project is a variable, or where the client starts. */
function argumentsOf(terminal: Terminal, given: Given, { client, scope, roots }: Setting): string[] {
  const { values, positionals } = given;
  const variable = scope === "project" ? client.projectVariable : undefined;
  const shared = scope === "project" && values.npx === true;
  if (shared && roots.length > 1) throw notForOthers("several roots");
  const shown =
    shared || (scope === "project" && positionals.length === 0) ? [variable ?? (shared ? "" : roots[0]!)] : roots;
  const config = typeof values.config === "string" ? absolute(terminal.cwd, values.config, terminal.env) : undefined;
  const inProject = (path: string): string => {
    if (!contains(roots[0]!, realPlace(path))) throw notForOthers(path);
    return [...(variable === undefined ? [] : [variable]), ...relative(roots[0]!, realPlace(path)).split(sep)].join(
      "/",
    );
  };
  return [
    ...shown.filter((root) => root !== ""),
    ...flags(values, config !== undefined && shared ? inProject(config) : config),
  ];
}

function notForOthers(what: string): UsageError {
  return new UsageError(
    `A file for others cannot name ${what}: it is about this machine.`,
    "Name the project alone, or leave out --npx.",
  );
}

/** Whoever says nothing hardly means the whole disk or home; with a URL the directory is only where a project's file lies. */
function rootsOf({ cwd, env }: Terminal, { values, positionals }: Given): readonly string[] {
  if (positionals.length > 0) return positionals.map((root) => realDirectory(absolute(cwd, root, env)));
  if (typeof values.http === "string") return [realDirectory(cwd)];
  return [defaultRoot(cwd, env, `stet install --client ${values.client}`)];
}

/** A running server was told these when it was started; nothing in the client's file would hold it to them. */
function refuseWhatIsNotKept({ values, positionals }: Given, scope: Setting["scope"]): void {
  const option = ["surface", "read-only", "config", "npx"].find((name) => values[name] !== undefined);
  if (option !== undefined) {
    throw new UsageError(`--${option} means nothing with --http: the server is running already.`, START_THERE);
  }
  if (positionals.length > (scope === "project" ? 1 : 0)) {
    throw new UsageError("With --http the roots are those of the server that is running.", START_THERE);
  }
}

const START_THERE = "Leave it out here, and give it to stet serve.";

/** A server that will not start is better refused here than by the client, which seldom says why. */
async function refuseWhatCannotStart(terminal: Terminal, given: Given, roots: readonly string[]): Promise<void> {
  const { config } = flagsOf(given);
  // The client starts it elsewhere, and without the variables of this shell.
  const { HOME, USERPROFILE } = terminal.env;
  const settings = await settingsOf(
    { cwd: parse(roots[0]!).root, env: { HOME, USERPROFILE } },
    {
      ...flagsOf(given, roots),
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
  if (typeof name !== "string") throw new UsageError("Say which client with --client.", `One of ${NAMES.join(", ")}.`);
  const client = Object.hasOwn(CLIENTS, name) ? CLIENTS[name] : undefined;
  if (client !== undefined) return client;
  const near = nearest(name, NAMES);
  throw new UsageError(
    `stet knows no client ${JSON.stringify(name)}.`,
    near === undefined ? `Use one of ${NAMES.join(", ")}.` : `Did you mean ${near}?`,
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
