// An MCP server over HTTP in a program, and a client of the MCP SDK that calls it.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { openWorkspace } from "stet";
import { serveOverHttp } from "stet/serve";
import { surfaceNamed } from "stet/surfaces";

const workspace = openWorkspace({ root: "/home/me/app", onStale: "rebase" });
const token = process.env.ALICE ?? "0123456789abcdef";
const serving = await serveOverHttp(
  { surface: surfaceNamed("workspace"), served: [{ name: "project", workspace }], version: "1.0.0" },
  { tokens: [{ name: "alice", token }], limits: { callsPerSecond: 50 } },
);
console.log(new URL(serving.url).pathname); // /mcp

const client = new Client({ name: "my-program", version: "1.0.0" });
const requestInit = { headers: { Authorization: `Bearer ${token}` } };
await client.connect(new StreamableHTTPClientTransport(new URL(serving.url), { requestInit }));
const { content } = await client.callTool({ name: "read_file", arguments: { path: "hello.txt" } });
for (const part of content) if (part.type === "text") console.log(part.text.split("\n")[1]); // Hello, world!

await client.close();
await serving.close(); // lets calls finish, then closes the workspace
