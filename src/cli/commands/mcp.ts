// stet mcp: serves workspaces over stdin and stdout, for clients that start their servers themselves.
import { setTimeout as pause } from "node:timers/promises";
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
    await allRead(process.stdout, terminal.signal);
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

/** A client may take its time to read the last answers; once it wants the process to end, only as long as it does read. */
async function allRead(output: NodeJS.WriteStream, ending: AbortSignal): Promise<void> {
  while (output.writableLength > 0) {
    const before = ending.aborted ? unreadIn(output) : undefined;
    await pause(PATIENCE_MS);
    if (unreadIn(output) === before) process.exit();
  }
}

/** The stream counts a write until all of it is done; how far it has got only the handle knows. */
function unreadIn(output: NodeJS.WriteStream & { readonly _handle?: { readonly writeQueueSize?: number } }): string {
  return `${output.writableLength} ${output._handle?.writeQueueSize}`;
}

const PATIENCE_MS = 500;
