// `stet mcp` without a root, in this process: it serves what its client has open.
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { type ServeOptions, type StdioServing, serveOnStdio } from "stet/serve";
import { afterEach } from "vitest";
import { settingsOf } from "../../../src/cli/config/settings.ts";
import { rootsOfClient } from "../../../src/cli/open/roots-of-client.ts";
import { surfaceOf } from "../../../src/cli/open/workspaces.ts";
import { terminalIn } from "./cli.ts";

const serving: StdioServing[] = [];
afterEach(async () => {
  await Promise.all(serving.splice(0).map((each) => each.close()));
});

/** The client's end, and what is said on stderr. */
export async function mcpInProcess(cwd: string, env: Readonly<Record<string, string>>, surface = "tracked") {
  const { terminal, said } = terminalIn({ cwd, env });
  const flags = { roots: [], surface, mayBeNone: true };
  const settings = await settingsOf(terminal, flags);
  const options = { surface: await surfaceOf(settings), served: [] as unknown as ServeOptions["served"], version: "1" };
  const [near, far] = InMemoryTransport.createLinkedPair();
  serving.push(serveOnStdio(options, { transport: far, roots: rootsOfClient(terminal, flags, settings) }));
  return { near, said };
}
