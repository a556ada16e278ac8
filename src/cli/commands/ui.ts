// stet ui: the page for workspaces whose agents run elsewhere. It follows the journal; nothing else needs to run.
import { printable } from "../../core/printable.ts";
import type { PageServing } from "../../page/server/serve.ts";
import type { HttpPage } from "../../serve/http/page.ts";
import { OPEN_OPTIONS, type OpenedAll, openAll, settingsFor } from "../open/workspaces.ts";
import { type Command, flag, type Given, type Terminal, value } from "../options/command.ts";
import { personIn, untilEnded } from "../options/person.ts";
import { columns, paint } from "../terminal/print.ts";
import { safeJson } from "../terminal/safe.ts";
import { stetVersion } from "../version.ts";
import { examine } from "./doctor.ts";

export const ui: Command = {
  name: "ui",
  summary: "Show in a browser what agents did and were refused, and take it back",
  usage: "ui [ROOT…] [--port N] [--read-only]",
  options: {
    port: value("N", "the port (a random free one by default)", "p"),
    "read-only": flag("look only: nothing is taken back or marked"),
    ...OPEN_OPTIONS,
    json: flag("print one line of JSON when ready"),
  },
  examples: ["stet ui", "stet ui ~/project ~/other", "stet ui --read-only"],
  notes: ["It listens on this machine only. The link works once; the browser is then let in until stet ui ends."],
  async run(terminal, given) {
    const opened = await openAll(terminal, await settingsFor(terminal, given), false);
    try {
      const serving = await listen(terminal, given, opened);
      const roots = opened.settings.roots.map(({ name, path }) => ({ name, path }));
      const { link, url, port } = serving;
      const rows = [["  open", link], ...roots.map(({ path }) => ["  root", printable(path)])];
      if (given.json) terminal.out(`${safeJson({ page: link, url, port, roots, pid: process.pid })}\n`);
      else terminal.out(`${paint(terminal, "bold", "The page is ready.")}\n${columns(rows)}\n${ONCE}`);
      await untilEnded(terminal);
      await serving.close();
      return 0;
    } finally {
      await opened.close();
    }
  },
};

async function listen(terminal: Terminal, given: Given, { served, settings }: OpenedAll): Promise<PageServing> {
  const { servePage } = await import("../../page/server/serve.ts");
  const options = {
    served,
    version: stetVersion(),
    onError: (error: Error) => terminal.err(`stet: ${error.stack ?? error.message}\n`),
    ...pageFor(terminal, given),
  };
  // Without a port the system picks one by chance: a program that had it before, and was opened in the same browser, could
  // have left a service worker there.
  return servePage(options, given.values.port === undefined ? 0 : settings.http.port);
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

const ONCE = "The link works once; the browser is then let in until this ends. Ctrl-C ends it.\n";
