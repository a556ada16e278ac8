// stet ui: the page for workspaces whose agents run elsewhere. It follows the journal; nothing else needs to run.
import { Refusal } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import type { HttpPage } from "../../serve/http/options.ts";
import type { PageServing } from "../../serve/page/listen.ts";
import { OPEN_ABOUT, OPEN_OPTIONS, type OpenedAll, openAll } from "../open/workspaces.ts";
import type { Command, Given, Terminal } from "../options/command.ts";
import { personIn } from "../options/person.ts";
import { columns, paint } from "../terminal/print.ts";
import { safeJson } from "../terminal/safe.ts";
import { untilEnded } from "../terminal/until-ended.ts";
import { stetVersion } from "../version.ts";
import { examine } from "./doctor.ts";

export const ui: Command = {
  name: "ui",
  summary: "Show in a browser what agents did and were refused, and take it back",
  usage: "ui [ROOT…] [--port N] [--read-only]",
  options: { port: { type: "string", short: "p" }, "read-only": { type: "boolean" }, ...OPEN_OPTIONS },
  about: {
    port: "the port; 0 takes any free one (4110 unless told, or a free one when that is taken)",
    "read-only": "look only: nothing is taken back or marked",
    ...OPEN_ABOUT,
    json: "print one line of JSON when ready",
  },
  examples: ["stet ui", "stet ui ~/project ~/other", "stet ui --read-only --port 4200"],
  notes: ["It listens on this machine only. The link works once; the browser is then let in until stet ui ends."],
  async run(terminal, given) {
    const opened = await openAll(terminal, given, given.positionals);
    try {
      const serving = await listen(terminal, given, opened);
      const roots = opened.settings.roots.map(({ name, path }) => ({ name, path }));
      if (given.values.json === true) {
        const { link, url, port } = serving;
        terminal.out(`${safeJson({ page: link, url, port, roots, pid: process.pid })}\n`);
      } else terminal.out(asWords(terminal, roots, serving));
      await untilEnded(terminal);
      await serving.close();
      return 0;
    } finally {
      await opened.close();
    }
  },
};

const USUAL_PORT = 4110;

async function listen(terminal: Terminal, given: Given, { served, settings }: OpenedAll): Promise<PageServing> {
  const { servePage } = await import("../../serve/page/listen.ts");
  const options = {
    served,
    version: stetVersion(),
    onError: (error: Error) => terminal.err(`stet: ${error.stack ?? error.message}\n`),
    ...pageFor(terminal, given),
  };
  const asked = given.values.port === undefined ? undefined : settings.http.port;
  try {
    return await servePage(options, asked ?? USUAL_PORT);
  } catch (error) {
    if (asked !== undefined || !(error instanceof Refusal) || error.kind !== "busy") throw error;
    return servePage(options);
  }
}

/** What the page shows and does besides, for the person at this command line. */
export function pageFor(terminal: Terminal, given: Given): HttpPage {
  const { positionals, values } = given;
  const roots = [...((values.root as readonly string[] | undefined) ?? []), ...positionals];
  const rooted = { ...given, values: { ...values, ...(roots.length > 0 && { root: roots }) } };
  return {
    person: personIn(terminal),
    readOnly: values["read-only"] === true,
    health: () => examine(terminal, rooted),
  };
}

function asWords(
  terminal: Terminal,
  roots: readonly { readonly name: string; readonly path: string }[],
  { link }: PageServing,
): string {
  return [
    paint(terminal, "bold", "The page is ready."),
    columns([["  open", link], ...roots.map(({ path }) => ["  root", printable(path)])]),
    "",
    "The link works once; the browser is then let in until this ends. Ctrl-C ends it.",
    "",
  ].join("\n");
}
