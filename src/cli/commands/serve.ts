// stet serve: serves workspaces over HTTP, and prints the address, the token and an entry for a client.
import { existsSync } from "node:fs";
import { Refusal } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import { isOpenToOthers, readTokens } from "../../serve/http/access/tokens.ts";
import type { HttpOptions, HttpServing } from "../../serve/http/options.ts";
import type { Settings } from "../config/settings.ts";
import { TOKEN_VARIABLE } from "../install/clients.ts";
import { OBSERVED_OPTIONS, type Observed, observed } from "../open/observed.ts";
import { type OpenedAll, openAll, SERVING_OPTIONS, settingsFor, surfaceOf, tellNotes } from "../open/workspaces.ts";
import { type Command, flag, type Given, type Terminal, value } from "../options/command.ts";
import { defined } from "../options/given.ts";
import { untilEnded } from "../options/person.ts";
import { columns, paint } from "../terminal/print.ts";
import { safeJson } from "../terminal/safe.ts";
import { stetVersion } from "../version.ts";
import { pageFor } from "./ui.ts";

export const serve: Command = {
  name: "serve",
  summary: "Serve a workspace to MCP clients over HTTP",
  usage:
    "serve [ROOT…] [--port N] [--host ADDRESS] [--token-file FILE] [--surface NAMES] [--read-only] [--structured] [--no-page]",
  options: {
    port: value(
      "N",
      "the port; 0 takes any free one (4100 by default; without a token of yours a free one when that is taken)",
      "p",
    ),
    host: value("ADDRESS", "the address (127.0.0.1 by default); one that others can reach needs a token of yours"),
    "token-file": value(
      "FILE",
      'a file with one token a line, or "name token"; without it a random one is printed once',
    ),
    "no-page": flag("without the page at /, where people review what agents did"),
    ...OBSERVED_OPTIONS,
    ...SERVING_OPTIONS,
    json: flag("print one line of JSON when ready"),
  },
  examples: [
    "stet serve",
    "stet serve ~/project --port 4200 --read-only",
    `${TOKEN_VARIABLE}=$(openssl rand -hex 32) stet serve`,
  ],
  async run(terminal, given) {
    const settings = await settingsFor(terminal, given);
    const { fleet } = settings;
    const seen = observed(terminal, given, settings.http);
    const { serving, about, rows, more } = await (fleet === undefined
      ? serveRoots(terminal, given, settings, seen)
      : serveFleet(terminal, given, settings, fleet, seen));
    const { url, host, port } = serving;
    seen.log("ready", { url, database: fleet?.shown });
    if (given.json) terminal.out(`${safeJson({ url, host, port, ...about, pid: process.pid })}\n`);
    else {
      const table = columns([["  address", url], ...rows]);
      terminal.out(`${paint(terminal, "bold", "stet is ready.")}\n${table}${more}\nCtrl-C ends it.\n`);
    }
    await untilEnded(terminal);
    seen.log("ending", {});
    await serving.close();
    seen.log("ended", {});
    return 0;
  },
};

/** A server at work, and what is said of it. */
interface Ready {
  readonly serving: HttpServing;
  readonly about: object;
  readonly rows: readonly (readonly string[])[];
  /** Behind the rows, with an empty line before. */
  readonly more: string;
}

async function serveFleet(
  terminal: Terminal,
  given: Given,
  settings: Settings,
  fleet: NonNullable<Settings["fleet"]>,
  seen: Observed,
): Promise<Ready> {
  const { http, results, workspace } = settings;
  if (http.tokens !== undefined || http.tokenFile !== undefined)
    throw new Refusal("invalid_input", "The tokens of a database are in it, and none is given otherwise.", {
      next: "Leave out tokens, tokenFile, STET_TOKEN and STET_TOKEN_FILE; make tokens with stet token create.",
    });
  const surface = await surfaceOf(settings);
  if (settings.surface.split(",").some((name) => name.trim() === "files"))
    throw new Refusal("invalid_input", "The surface files keeps its files in memory, and not in the database.", {
      next: "Choose another one with --surface.",
    });
  tellNotes(terminal, settings.notes);
  const [{ openFleet }, { serveFleetOverHttp }] = await Promise.all([
    import("../../fleet/open.ts"),
    import("../../page/server/serve.ts"),
  ]);
  const { durability: _durability, stateDir: _stateDir, ...kernel } = workspace;
  const opened = await openFleet(fleet, kernel, seen.metrics);
  const page = given.values["no-page"] === true ? undefined : { readOnly: given.values["read-only"] === true };
  try {
    const options = { surface, version: stetVersion(), results, ...opened };
    const serving = await serveFleetOverHttp(options, { ...optionsFor(settings), ...seen.http, page }, seen.factory);
    const rows = [
      ["  token", "one of the database: stet token create"],
      ["  tools", `${surface.name}${fleet.policy.readOnly === true ? ", read-only" : ""}`],
      ["  database", fleet.shown],
      ...(page === undefined ? [] : [["  page", `${new URL(serving.url).origin}/, with such a token`]]),
    ];
    return { serving, about: { surface: surface.name, database: fleet.shown }, rows, more: "" };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function serveRoots(terminal: Terminal, given: Given, settings: Settings, seen: Observed): Promise<Ready> {
  const opened = await openAll(terminal, settings);
  const { surface, served } = opened;
  const { serveOverHttp } = await import("../../page/server/serve.ts");
  const page = given.values["no-page"] === true ? undefined : pageFor(terminal, given);
  const serveOn = (port?: number): Promise<HttpServing> =>
    serveOverHttp(
      { surface, served, version: stetVersion(), results: settings.results },
      { ...optionsFor(settings), ...seen.http, page, ...(port !== undefined && { port }) },
      seen.factory,
    );
  try {
    warnOfOpenFile(terminal, settings.http.tokenFile);
    const serving = await serveOn().catch((error) => elsewhere(error, terminal, settings, serveOn));
    return { serving, ...aboutRoots(terminal, opened, serving) };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** On any port where the usual one is taken: but never with given tokens, which clients would send to the program there. */
function elsewhere(
  error: unknown,
  terminal: Terminal,
  { http: { portIsDefault, port, tokens, tokenFile } }: Settings,
  serveOn: (port: number) => Promise<HttpServing>,
): Promise<HttpServing> {
  const isTaken = error instanceof Refusal && error.kind === "busy";
  if (!isTaken || !portIsDefault || tokens !== undefined || tokenFile !== undefined) throw error;
  terminal.err(`stet: port ${port} is in use; took a free one. Name a port with --port to be sure of it.\n`);
  return serveOn(0);
}

function warnOfOpenFile(terminal: Terminal, file: string | undefined): void {
  if (file === undefined || !existsSync(file) || !isOpenToOthers(file)) return;
  terminal.err(`stet: others than its owner can read or change the token file: chmod 600 ${printable(file)}\n`);
}

function optionsFor({ http, maxMessageBytes }: Settings): HttpOptions {
  const { host, port, drainMs, allowedHosts, allowedOrigins, rateLimit } = http;
  const tokens = http.tokenFile === undefined ? http.tokens : readTokens({ file: http.tokenFile });
  const limits = defined({ bodyBytes: http.maxBodyBytes ?? maxMessageBytes, ...rateLimit });
  return defined({ host, port, drainMs, tokens, allowedHosts, allowedOrigins, limits });
}

function aboutRoots(
  terminal: Terminal,
  { surface, served, settings }: OpenedAll,
  { url, token, pageLink }: HttpServing,
): Omit<Ready, "serving"> {
  const roots = settings.roots.map(({ name, path }) => ({ name, path }));
  const header = { Authorization: `Bearer ${token ?? `\${${TOKEN_VARIABLE}}`}` };
  const client = { mcpServers: { stet: { type: "http", url, headers: header } } };
  const readOnly = served.every(({ workspace }) => workspace.policy.readOnly);
  const rows = [
    ["  token", token ?? "the one you gave"],
    ...(pageLink === undefined ? [] : [["  page", pageLink]]),
    ["  tools", `${surface.name}${readOnly ? ", read-only" : ""}`],
    ...roots.map(({ name, path }) => [roots.length === 1 ? "  root" : `  root ${name}`, printable(path)]),
    ...(settings.configFile === undefined ? [] : [["  config", printable(settings.configFile)]]),
  ];
  const tokenIs = "The token is shown only now; every client that has it can use these tools.\n";
  const linkIs = "The link to the page works once; then this browser is let in until stet ends.\n";
  const once = `${token === undefined ? "" : `\n${tokenIs}`}${pageLink === undefined ? "" : linkIs}`;
  const entry = `${paint(terminal, "bold", "For an MCP client:")}\n${JSON.stringify(client, null, 2)}\n`;
  return { about: { token, page: pageLink, surface: surface.name, roots }, rows, more: `${once}\n${entry}` };
}
