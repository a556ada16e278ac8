// The review as an MCP App: offered to clients that show apps, words for all others.
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { beforeAll, expect, it } from "vitest";
import { memory } from "../../src/backends/memory/index.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { reviewChanges } from "../../src/serve/review/tool.ts";
import type { ServeOptions } from "../../src/serve/served/served.ts";
import type { Keying } from "../../src/serve/served/sessions.ts";
import { workspace as surface } from "../../src/surfaces/index.ts";
import { type AnyClient, connect, INFO, textOf } from "../serve/clients.ts";
import { memoryWorkspace } from "../support/workspace.ts";
import { pageFolder } from "./support.ts";

const APPS = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } };
const CLIENTS = [
  ["2025", () => new ClientV1(INFO, { capabilities: APPS as object })],
  [
    "2026",
    () => new ClientV2(INFO, { capabilities: APPS as object, versionNegotiation: { mode: { pin: "2026-07-28" } } }),
  ],
] as const;

beforeAll(async () => {
  await pageFolder();
});

async function connected(client: ClientV1 | ClientV2, workspace: Workspace): Promise<AnyClient> {
  return connect(client, { surface, served: [{ name: "work", workspace }], version: "0.0.0" });
}

async function changedBy(client: AnyClient): Promise<void> {
  const { content } = await client.callTool({ name: "read_file", arguments: { path: "a.txt" } });
  const [expectedSha256] = /[0-9a-f]{64}/.exec(content[0]!.text!)!;
  const edits = [{ oldText: "two", newText: "2" }];
  const done = await client.callTool({ name: "edit_file", arguments: { path: "a.txt", expectedSha256, edits } });
  expect(textOf(done)).not.toContain("rejected");
}

it.each(CLIENTS)(
  "a client of %s that shows apps has the tool; it tells the session's net change",
  async (_era, make) => {
    const workspace = memoryWorkspace({ "a.txt": "one\ntwo\n" });
    const client = await connected(make(), workspace);
    const { tools } = await client.listTools();
    const tool = tools.find(({ name }) => name === "review_changes");
    expect(tool).toMatchObject({
      annotations: { readOnlyHint: true },
      _meta: { ui: { resourceUri: "ui://stet/review" } },
    });
    expect(textOf(await client.callTool({ name: "review_changes" }))).toContain("has changed nothing");
    await changedBy(client);
    const result = await client.callTool({ name: "review_changes" });
    expect(textOf(result)).toContain("changed 1 file in 1 step");
    expect(textOf(result)).toContain("-two\n+2\n");
    expect(result.structuredContent).toMatchObject({ entries: 1, files: [{ path: "a.txt", letter: "M" }] });
    const { contents } = await client.readResource({ uri: "ui://stet/review" });
    expect(contents).toMatchObject([{ uri: "ui://stet/review", mimeType: "text/html;profile=mcp-app" }]);
  },
);

it("other clients are offered nothing new", async () => {
  const client = await connected(new ClientV1(INFO), memoryWorkspace({}));
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("review_changes");
});

it.each([
  ["shows other kinds of apps", { mimeTypes: ["text/html;profile=other"] }, false],
  ["does not say which kinds", {}, true],
])("a client that %s", async (_what, apps, isOffered) => {
  const capabilities = { extensions: { "io.modelcontextprotocol/ui": apps } } as object;
  const client = await connected(new ClientV1(INFO, { capabilities }), memoryWorkspace({}));
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names.includes("review_changes")).toBe(isOffered);
});

it("words for the model are cut where they are long, and say so", async () => {
  const workspace = memoryWorkspace({});
  await workspace.session({ id: "s" }).create("a.txt", "a long line of text\n".repeat(3000));
  const result = await reviewed(workspace);
  expect(textOf(result as never)).toHaveLength(40_000 + "\n…(cut off)".length);
  expect(textOf(result as never)).toMatch(/\n…\(cut off\)$/);
});

/** By the session "s". */
function reviewed(workspace: Workspace) {
  const caller = { sessionIn: () => workspace.session({ id: "s" }) };
  const keying = { by: "connection", callerOf: () => ({ caller }) } as unknown as Keying;
  const options = { surface, served: [{ name: "work", workspace }], version: "0.0.0" } as ServeOptions;
  return reviewChanges(options, { request: { name: "review_changes" }, agent: undefined, keying });
}

it("shows nothing of a file that the policy hides by now", async () => {
  const backend = memory();
  const before = new Workspace(backend).session({ id: "s" });
  await before.create("a.txt", "open\n\u001b[31m\u202eturned\n");
  await before.create("secret.txt", "hidden\n");
  const workspace = new Workspace(backend, { policy: { deniedPaths: ["secret.txt"] } });
  const result = await reviewed(workspace);
  expect(textOf(result as never)).toContain("+open\n");
  expect(JSON.stringify(result)).not.toContain("+hidden");
  expect(textOf(result as never)).toContain("secret.txt: hidden by the policy");
  expect(textOf(result as never)).toContain("+\\u{1b}[31m\\u{202e}turned\n");
  expect(JSON.stringify(result)).not.toMatch(/\u202e|\\u001b/);
});
