// stet mcp: serves workspaces over stdin and stdout, for clients that start their servers themselves.
import { setTimeout as pause } from "node:timers/promises";
import type { Command } from "./command.ts";
import {
  OPEN_ABOUT,
  OPEN_OPTIONS,
  openAll,
  RESULTS_ABOUT,
  RESULTS_OPTIONS,
  SURFACE_ABOUT,
  SURFACE_OPTIONS,
} from "./open.ts";
import { stetVersion } from "./version.ts";

export const mcp: Command = {
  name: "mcp",
  summary: "Serve a workspace to an MCP client over stdio",
  usage: "mcp [ROOT…] [--surface NAMES] [--read-only] [--structured] [--config FILE]",
  options: { ...OPEN_OPTIONS, ...SURFACE_OPTIONS, ...RESULTS_OPTIONS },
  about: { ...OPEN_ABOUT, ...SURFACE_ABOUT, ...RESULTS_ABOUT },
  examples: ["stet mcp", "stet mcp ~/project --surface anchors", "stet mcp ~/a ~/b --read-only"],
  async run(terminal, given) {
    const [{ surface, served, settings }, { serveOnStdio }] = await Promise.all([
      openAll(terminal, given, given.positionals),
      import("../serve/stdio.ts"),
    ]);
    const serving = serveOnStdio({ surface, served, version: stetVersion(), results: settings.results });
    terminal.signal.addEventListener("abort", () => void serving.close());
    await serving.closed;
    await allRead(process.stdout, terminal.signal);
    return 0;
  },
};

/** A client may take its time to read the last answers; once it wants the process to end, only as long as it does read. */
async function allRead(output: NodeJS.WriteStream, told: AbortSignal): Promise<void> {
  while (output.writableLength > 0) {
    const before = told.aborted ? unreadIn(output) : undefined;
    await pause(PATIENCE_MS);
    if (unreadIn(output) === before) process.exit();
  }
}

/** The stream counts a write until all of it is done; how far it has got only the handle knows. */
function unreadIn(output: NodeJS.WriteStream & { readonly _handle?: { readonly writeQueueSize?: number } }): string {
  return `${output.writableLength} ${output._handle?.writeQueueSize}`;
}

const PATIENCE_MS = 500;
