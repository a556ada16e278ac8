// stet serve: serves workspaces over HTTP, and prints the address, the token and an entry for a client.
import { existsSync } from "node:fs";
import { Refusal } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import { isOpenToOthers, readTokens } from "../../serve/http/access/tokens.ts";
import type { HttpOptions, HttpServing } from "../../serve/http/options.ts";
import { type Settings, settingsOf } from "../config/settings.ts";
import { TOKEN_VARIABLE } from "../install/clients.ts";
import { OBSERVED_OPTIONS, observed } from "../open/observed.ts";
import { flagsOf, type OpenedAll, openServed, SERVING_OPTIONS, surfaceOf, tellNotes } from "../open/workspaces.ts";
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
    const settings = await settingsOf(terminal, flagsOf(given, given.positionals));
    if (settings.fleet !== undefined && settings.none !== undefined)
      return serveFleet(terminal, given, { ...settings, fleet: settings.fleet });
    const opened = await openServed(terminal, settings);
    let serving: HttpServing;
    try {
      serving = await listen(terminal, given, opened);
    } catch (error) {
      await opened.close();
      throw error;
    }
    if (given.json) terminal.out(`${safeJson(asData(opened, serving))}\n`);
    else terminal.out(asWords(terminal, opened, serving));
    await untilEnded(terminal);
    await serving.close();
    return 0;
  },
};

async function serveFleet(
  terminal: Terminal,
  given: Given,
  settings: Settings & { readonly fleet: NonNullable<Settings["fleet"]> },
): Promise<number> {
  const { fleet, http } = settings;
  if (http.tokens !== undefined || http.tokenFile !== undefined)
    throw new Refusal("invalid_input", "The tokens of a database are in it, and none is given otherwise.", {
      next: "Leave out tokens, tokenFile, STET_TOKEN and STET_TOKEN_FILE; make tokens with stet token create.",
    });
  const surface = await surfaceOf(settings);
  if (settings.surface.split(",").some((name) => name.trim() === "files"))
    throw new Refusal("invalid_input", "The surface files keeps its files in memory, and not in the database.", {
      next: "Choose another one with --surface.",
    });
  tellNotes(terminal, settings);
  const [{ openFleet }, { serveFleetOverHttp }] = await Promise.all([
    import("../../fleet/open.ts"),
    import("../../page/server/serve.ts"),
  ]);
  const seen = observed(terminal, given, http);
  const { durability: _durability, stateDir: _stateDir, ...kernel } = settings.workspace;
  const opened = await openFleet(fleet, kernel, seen.metrics);
  let serving: HttpServing;
  try {
    const options = { surface, version: stetVersion(), results: settings.results, ...opened };
    const page = given.values["no-page"] === true ? {} : { page: { readOnly: given.values["read-only"] === true } };
    serving = await serveFleetOverHttp(options, { ...optionsFor(settings), ...seen.http, ...page }, seen.factory);
  } catch (error) {
    await opened.close();
    throw error;
  }
  const { url, host, port } = serving;
  seen.log("ready", { url, database: fleet.shown });
  if (given.json) {
    const data = { url, host, port, surface: surface.name, database: fleet.shown, pid: process.pid };
    terminal.out(`${safeJson(data)}\n`);
  } else {
    const rows = [
      ["  address", url],
      ["  token", "one of the database: stet token create"],
      ["  tools", `${surface.name}${fleet.policy.readOnly === true ? ", read-only" : ""}`],
      ["  database", fleet.shown],
      ...(given.values["no-page"] === true ? [] : [["  page", `${new URL(url).origin}/, with such a token`]]),
    ];
    terminal.out(`${paint(terminal, "bold", "stet is ready.")}\n${columns(rows)}\nCtrl-C ends it.\n`);
  }
  await untilEnded(terminal);
  seen.log("ending", {});
  await serving.close();
  seen.log("ended", {});
  return 0;
}

/** On the port that was named, or else on the usual one, or else on any: but never on any with given tokens, which clients would send to the program on the usual port. */
async function listen(
  terminal: Terminal,
  given: Given,
  { surface, served, settings }: OpenedAll,
): Promise<HttpServing> {
  const { serveOverHttp } = await import("../../page/server/serve.ts");
  const options = { surface, served, version: stetVersion(), results: settings.results };
  warnOfOpenFile(terminal, settings.http.tokenFile);
  const seen = observed(terminal, given, settings.http);
  const http: HttpOptions = {
    ...optionsFor(settings),
    ...seen.http,
    ...(given.values["no-page"] !== true && { page: pageFor(terminal, given) }),
  };
  try {
    return await serveOverHttp(options, http, seen.factory);
  } catch (error) {
    if (
      !settings.http.portIsDefault ||
      http.tokens !== undefined ||
      !(error instanceof Refusal) ||
      error.kind !== "busy"
    )
      throw error;
    terminal.err(
      `stet: port ${settings.http.port} is in use; took a free one. Name a port with --port to be sure of it.\n`,
    );
    return serveOverHttp(options, { ...http, port: 0 }, seen.factory);
  }
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

function asData({ surface, settings }: OpenedAll, { url, host, port, token, pageLink }: HttpServing) {
  const roots = settings.roots.map(({ name, path }) => ({ name, path }));
  return { url, host, port, ...defined({ token, page: pageLink }), surface: surface.name, roots, pid: process.pid };
}

function asWords(terminal: Terminal, { surface, served, settings }: OpenedAll, serving: HttpServing): string {
  const { url, token, pageLink } = serving;
  const bold = (text: string): string => paint(terminal, "bold", text);
  const header = { Authorization: `Bearer ${token ?? `\${${TOKEN_VARIABLE}}`}` };
  const client = { mcpServers: { stet: { type: "http", url, headers: header } } };
  const readOnly = served.every(({ workspace }) => workspace.policy.readOnly);
  return [
    bold("stet is ready."),
    columns([
      ["  address", url],
      ["  token", token ?? "the one you gave"],
      ...(pageLink === undefined ? [] : [["  page", pageLink]]),
      ["  tools", `${surface.name}${readOnly ? ", read-only" : ""}`],
      ...settings.roots.map(({ name, path }) => [
        settings.roots.length === 1 ? "  root" : `  root ${name}`,
        printable(path),
      ]),
      ...(settings.configFile === undefined ? [] : [["  config", printable(settings.configFile)]]),
    ]).trimEnd(),
    ...(token === undefined ? [] : ["", "The token is shown only now; every client that has it can use these tools."]),
    ...(pageLink === undefined
      ? []
      : ["The link to the page works once; then this browser is let in until stet ends."]),
    "",
    bold("For an MCP client:"),
    JSON.stringify(client, null, 2),
    "",
    "Ctrl-C ends it.",
    "",
  ].join("\n");
}
