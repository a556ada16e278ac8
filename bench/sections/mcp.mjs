// The MCP server beside the reference filesystem server: start, calls per second, search, memory, many clients.
import { printed } from "./printed.mjs";
import { section } from "./section.mjs";

await section(async (quick) =>
  printed("mcp.mjs", quick ? ["--quick", "--rounds", "3", "--calls", "300", "--files", "2000"] : ["--rounds", "7"]),
);
