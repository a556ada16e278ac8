// An MCP server over a transport of your own.
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { openWorkspace } from "stet";
import { createServerFactory } from "stet/serve";
import { surfaceNamed } from "stet/surfaces";

const workspace = openWorkspace({ root: "/home/me/app" });
const factory = createServerFactory({
  surface: surfaceNamed("workspace"),
  served: [{ name: "project", workspace }],
  version: "1.0.0",
});

const [near, far] = InMemoryTransport.createLinkedPair(); // in place of far: a transport of yours
const server = factory.build(factory.sessions.forConnection()); // one for each connection, which is one session
await server.connect(far);

const client = new Client({ name: "my-program", version: "1.0.0" });
await client.connect(near);
const { content } = await client.callTool({ name: "read_file", arguments: { path: "hello.txt" } });
for (const part of content) if (part.type === "text") console.log(part.text.split("\n")[1]); // Hello, world!

await client.close();
await factory.close(); // waits for calls under way
await workspace.close();
