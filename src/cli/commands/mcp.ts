// stet mcp: serves workspaces over stdin and stdout, for clients that start their servers themselves.
import type { ServeOptions } from "../../serve/workspaces/named.ts";
import { settingsOf } from "../config/settings.ts";
import { rootsOfClient } from "../open/roots-of-client.ts";
import { flagsOf, openAll, SERVING_OPTIONS, surfaceOf, tellNotes } from "../open/workspaces.ts";
import type { Command } from "../options/command.ts";
import { stetVersion } from "../version.ts";

export const mcp: Command = {
  name: "mcp",
  summary: "Serve a workspace to an MCP client over stdio",
  usage: "mcp [ROOT…] [--surface NAMES] [--read-only] [--structured] [--config FILE]",
  options: { ...SERVING_OPTIONS },
  notes: ["Without a root it serves what the client has open, else the current directory; never a whole home or disk."],
  examples: ["stet mcp", "stet mcp ~/project --surface anchors", "stet mcp ~/a ~/b --read-only"],
  async run(terminal, given) {
    const flags = { ...flagsOf(given, given.positionals), mayBeNone: true };
    const [settings, { serveOnStdio }] = await Promise.all([
      settingsOf(terminal, flags),
      import("../../serve/stdio/stdio.ts"),
    ]);
    const common = { version: stetVersion(), results: settings.results };
    const { maxMessageBytes } = settings;
    const limit = maxMessageBytes === undefined ? {} : { maxMessageBytes };
    const serving = await (settings.rootsAreNamed ? serveNamed() : serveForClient());
    terminal.signal.addEventListener("abort", () => void serving.close());
    await serving.closed;
    return 0;

    async function serveNamed() {
      const { surface, served } = await openAll(terminal, settings);
      return serveOnStdio({ surface, served, ...common }, limit);
    }

    async function serveForClient() {
      const surface = await surfaceOf(settings);
      tellNotes(terminal, settings.notes);
      const roots = rootsOfClient(terminal, flags, settings);
      return serveOnStdio({ surface, served: NONE_YET, ...common }, { ...limit, roots });
    }
  },
};

const NONE_YET = [] as unknown as ServeOptions["served"];
