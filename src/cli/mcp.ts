// stet mcp: serves workspaces over stdin and stdout, for clients that start their servers themselves.
import { setTimeout as pause } from "node:timers/promises";
import type { Command } from "./command.ts";
import { OPEN_ABOUT, OPEN_OPTIONS, openAll, SURFACE_ABOUT, SURFACE_OPTIONS } from "./open.ts";
import { stetVersion } from "./version.ts";

export const mcp: Command = {
  name: "mcp",
  summary: "Serve a workspace to an MCP client over stdio",
  usage: "mcp [ROOT…] [--surface NAMES] [--read-only] [--config FILE]",
  options: { ...OPEN_OPTIONS, ...SURFACE_OPTIONS },
  about: { ...OPEN_ABOUT, ...SURFACE_ABOUT },
  examples: ["stet mcp", "stet mcp ~/project --surface anchors", "stet mcp ~/a ~/b --read-only"],
  async run(terminal, given) {
    const [{ surface, served }, { serveOnStdio }] = await Promise.all([
      openAll(terminal, given, given.positionals),
      import("../serve/stdio.ts"),
    ]);
    const serving = serveOnStdio({ surface, served, version: stetVersion() });
    terminal.signal.addEventListener("abort", () => void serving.close());
    await serving.closed;
    await read(process.stdout);
    return 0;
  },
};

/** What the client has not read by now would keep the process alive for as long as it does not. */
async function read(output: NodeJS.WriteStream): Promise<void> {
  for (let unread = output.writableLength; unread > 0; unread = output.writableLength) {
    await pause(PATIENCE_MS);
    if (output.writableLength >= unread) process.exit(0);
  }
}

const PATIENCE_MS = 1000;
