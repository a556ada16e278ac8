// The official clients over HTTP, old and new, on real files: they read and edit, hear of changes, and share no session.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as SdkTransportV1 } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type HttpOptions, type HttpServing, serveOverHttp } from "stet/serve";
import { surfaceNamed } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { directoryWith, workspaceIn } from "../support/workspace.ts";
import { type AnyClient, INFO, modernClient, textOf } from "./clients.ts";
import { closing } from "./http-support.ts";

type Connect = (serving: HttpServing, token?: string, info?: typeof INFO) => Promise<AnyClient>;

const V1: Connect = async (serving, token, info = INFO) => {
  const client = new ClientV1(info);
  await client.connect(new TransportV1(new URL(serving.url), withToken(serving, token)) as SdkTransportV1);
  return closing(client) as unknown as AnyClient;
};
const V2_2025: Connect = (serving, token, info = INFO) => connectV2(new ClientV2(info), serving, token);
const V2_2026: Connect = (serving, token, info) => connectV2(modernClient(info), serving, token);
const V2_AUTO: Connect = (serving, token, info = INFO) =>
  connectV2(new ClientV2(info, { versionNegotiation: { mode: "auto" } }), serving, token);

const CLIENTS: readonly (readonly [string, Connect])[] = [
  ["v1", V1],
  ["v2 of 2025", V2_2025],
  ["v2 of 2026", V2_2026],
  ["v2 that negotiates", V2_AUTO],
];

async function connectV2(client: ClientV2, serving: HttpServing, token?: string): Promise<ClientV2 & AnyClient> {
  await client.connect(new TransportV2(new URL(serving.url), withToken(serving, token)));
  return closing(client) as ClientV2 & AnyClient;
}

function withToken(serving: HttpServing, token = serving.token) {
  return { requestInit: { headers: { authorization: `Bearer ${token}` } } };
}

async function serveTracked(http: HttpOptions = {}) {
  const root = directoryWith({ "a.txt": "one\n", "b.txt": "one\n" });
  const workspace = workspaceIn(root);
  const served = { surface: surfaceNamed("tracked"), served: [{ name: "w", workspace }], version: "1" } as const;
  return { root, workspace, serving: closing(await serveOverHttp(served, http)) };
}

/** As a model would. */
function agent(client: AnyClient) {
  const call = (name: string, input: Record<string, unknown>) => client.callTool({ name, arguments: input });
  return {
    call,
    read: (path: string) => call("Read", { file_path: path }),
    edit: (path: string, old_string: string, new_string: string) =>
      call("Edit", { file_path: path, old_string, new_string }),
  };
}

describe.each(CLIENTS)("client %s", (_name, connect) => {
  it("reads and edits; a file it has not read it cannot edit", async () => {
    const { root, serving } = await serveTracked();
    const mine = agent(await connect(serving));
    expect(textOf(await mine.read("a.txt"))).toContain("one");
    const early = await mine.edit("b.txt", "one", "two");
    expect([early.isError, readFileSync(join(root, "b.txt"), "utf8")]).toEqual([true, "one\n"]);
    const edited = await mine.edit("a.txt", "one", "two");
    expect([edited.isError ?? false, readFileSync(join(root, "a.txt"), "utf8")]).toEqual([false, "two\n"]);
    expect((await mine.edit("a.txt", "two", "three")).isError ?? false).toBe(false);
  });

  it("has seen nothing of what another client with the same token has read", async () => {
    const { root, serving } = await serveTracked();
    const another = await connect(serving, undefined, { ...INFO, name: "another-client" });
    const [one, other] = [agent(await connect(serving)), agent(another)];
    await one.read("a.txt");
    await other.read("b.txt");
    const refused = await other.edit("a.txt", "one", "other's");
    expect(textOf(refused)).toMatch(/read/i);
    expect([refused.isError, readFileSync(join(root, "a.txt"), "utf8")]).toEqual([true, "one\n"]);
    expect((await one.edit("a.txt", "one", "two")).isError ?? false).toBe(false);
  });

  it("is in the journal by its own name with the token that stet made", async () => {
    const { root, workspace, serving } = await serveTracked();
    const client = await connect(serving);
    await client.callTool({ name: "Read", arguments: { file_path: "a.txt" } });
    const input = { file_path: "a.txt", old_string: "one", new_string: "two" };
    const edited = await client.callTool({ name: "Edit", arguments: input });
    expect([edited.isError ?? false, readFileSync(join(root, "a.txt"), "utf8")]).toEqual([false, "two\n"]);
    for await (const { agent } of workspace.log({ outcomes: ["applied"] })) expect(agent).toBe(INFO.name);
  });

  it("is in the journal under the name of its token, whatever it calls itself", async () => {
    const token = "alice-0123456789abcdef";
    const { workspace, serving } = await serveTracked({ tokens: [{ name: "alice", token }] });
    const alice = agent(await connect(serving, token));
    await alice.call("Write", { file_path: "new.txt", content: "hers" });
    const authors: unknown[] = [];
    for await (const entry of workspace.log({ outcomes: ["applied"] })) authors.push(entry.agent);
    expect(authors).toEqual(["alice"]);
  });
});

describe("principals of 2026", () => {
  const tokens = ["alice", "bob"].map((name) => ({ name, token: `${name}-0123456789abcdef` }));

  it("with a name are one each: everybody has seen what was read with its own token", async () => {
    const { serving } = await serveTracked({ tokens });
    const [alice, alsoAlice, bob] = await Promise.all(
      [0, 0, 1].map(async (whose) => agent(await V2_2026(serving, tokens[whose]!.token))),
    );
    await alice!.read("a.txt");
    expect((await bob!.edit("a.txt", "one", "bob's")).isError).toBe(true);
    expect((await alsoAlice!.edit("a.txt", "one", "two")).isError ?? false).toBe(false);
  });

  it("without a name are told apart by what their clients call themselves, and no other token counts for them", async () => {
    const given = [tokens[0]!, { token: "shared-0123456789abcdef" }];
    const { root, serving } = await serveTracked({ tokens: given });
    const open = async (token: string, name: string) => agent(await V2_2026(serving, token, { ...INFO, name }));
    const shared = await open(given[1]!.token, "one-client");
    await shared.read("a.txt");
    for (const stranger of [await open(given[1]!.token, "another"), await open(given[0]!.token, "one-client")]) {
      expect((await stranger.edit("a.txt", "one", "stolen")).isError).toBe(true);
      expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\n");
    }
    const again = await open(given[1]!.token, "one-client");
    expect((await again.edit("a.txt", "one", "two")).isError ?? false).toBe(false);
  });
});
