// Subscriptions: whoever asked hears of a change, whether it came through stet or from outside, and nobody else does.
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { openWorkspace } from "../../src/index.ts";
import type { ServeOptions } from "../../src/serve/served/served.ts";
import type { StdioOptions } from "../../src/serve/stdio/stdio.ts";
import { surfaceNamed } from "../../src/surfaces/index.ts";
import { directoryWith, memoryWorkspace } from "../support/workspace.ts";
import { type AnyClient, connect, INFO, modernClient } from "./clients.ts";

interface Subscriber {
  readonly client: AnyClient;
  readonly heard: string[];
  subscribe(...uris: string[]): Promise<void>;
  unsubscribe(...uris: string[]): Promise<void>;
}

type Subscribing = (options: ServeOptions, extra?: StdioOptions) => Promise<Subscriber>;

const SUBSCRIBERS: readonly (readonly [string, Subscribing])[] = [
  ["v1 client", v1],
  ["v2 client, 2025-11-25", v2],
  ["v2 client, 2026-07-28", modern],
];

describe.each(SUBSCRIBERS)("%s", (_name, subscriberOf) => {
  it("hears of changes from outside and through stet, until it unsubscribes", async () => {
    const { root, options } = onDisk({ "a.txt": "one\n", "b.txt": "b\n", "secret.txt": "s\n" });
    const { client, heard, subscribe, unsubscribe } = await subscriberOf(options);
    await subscribe("stet:///a.txt", "stet:///new.txt");

    writeFileSync(join(root, "b.txt"), "not subscribed\n");
    writeFileSync(join(root, "a.txt"), "from outside\n");
    await until(() => heard.includes("stet:///a.txt"));

    heard.length = 0;
    const write = (path: string, content: string) =>
      client.callTool({ name: "create_file", arguments: { path, content } });
    await write("new.txt", "created through stet\n");
    await until(() => heard.includes("stet:///new.txt"));
    expect(heard).not.toContain("stet:///b.txt");

    heard.length = 0;
    await unsubscribe("stet:///a.txt", "stet:///new.txt");
    await subscribe("stet:///b.txt");
    writeFileSync(join(root, "a.txt"), "nobody listens\n");
    rmSync(join(root, "b.txt"));
    await until(() => heard.includes("stet:///b.txt"));
    expect(heard.filter((uri) => uri !== "stet:///b.txt")).toEqual([]);
  });

  it("hears of a file replaced by rename, and under the URI it asked for", async () => {
    const { root, options } = onDisk({ "dir/a b.txt": "one\n" });
    const { heard, subscribe } = await subscriberOf(options);
    await subscribe("stet:///dir%2Fa%20b.txt");
    writeFileSync(join(root, "dir/tmp"), "two\n");
    renameSync(join(root, "dir/tmp"), join(root, "dir/a b.txt"));
    await until(() => heard.length > 0);
    expect(new Set(heard)).toEqual(new Set(["stet:///dir%2Fa%20b.txt"]));
  });

  it("hears of changes where no file system can tell", async () => {
    const workspace = memoryWorkspace({ "a.txt": "one\n" });
    const options = { surface: surfaceNamed("workspace"), served: [{ name: "w", workspace }], version: "1" } as const;
    const { heard, subscribe } = await subscriberOf(options, { watches: { everyMs: 20 } });
    await subscribe("stet:///b.txt");
    const other = await connect(new ClientV2(INFO), options);
    await other.callTool({ name: "create_file", arguments: { path: "b.txt", content: "x" } });
    await until(() => heard.length > 0);
    expect(heard).toEqual(["stet:///b.txt"]);
  });
});

it("a 2025 client is refused what it may not read; a 2026 client hears nothing of it", async () => {
  const { root, options } = onDisk({ "a.txt": "one\n", "secret.txt": "s\n" });
  const old = await v2(options);
  await expect(old.subscribe("stet:///secret.txt")).rejects.toThrow(/policy denies/);
  await expect(old.subscribe("stet:///../x")).rejects.toThrow(/does not name a file/);
  const young = await modern(onDiskAt(root));
  await young.subscribe("stet:///secret.txt", "stet:///a.txt", "stet:///../x");
  writeFileSync(join(root, "secret.txt"), "changed\n");
  writeFileSync(join(root, "a.txt"), "changed\n");
  await until(() => young.heard.includes("stet:///a.txt"));
  expect(new Set(young.heard)).toEqual(new Set(["stet:///a.txt"]));
});

it("a link that turns to a denied file tells nothing of its changes", async () => {
  const { root, options } = onDisk({ "open.txt": "o\n", "secret.txt": "s\n" });
  symlinkSync("open.txt", join(root, "link.txt"));
  const { heard, subscribe } = await v2(options);
  await subscribe("stet:///link.txt", "stet:///open.txt");
  rmSync(join(root, "link.txt"));
  symlinkSync("secret.txt", join(root, "link.txt"));
  await until(() => heard.includes("stet:///link.txt"));
  heard.length = 0;
  writeFileSync(join(root, "secret.txt"), "changed\n");
  writeFileSync(join(root, "open.txt"), "changed\n");
  await until(() => heard.includes("stet:///open.txt"));
  expect(heard).not.toContain("stet:///link.txt");
});

it("refuses more than 200 subscriptions of a connection, and quotes no more of a URI than a part", async () => {
  const { subscribe } = await v2(onDisk({}).options);
  await subscribe(...Array.from({ length: 200 }, (_, n) => `stet:///f${n}.txt`));
  const refused = await subscribe(`stet:///${"k".repeat(1_000_000)}`).catch((error: unknown) => error);
  expect(refused).toMatchObject({ message: expect.stringContaining("200 resources already") });
  expect(JSON.stringify((refused as { data: object }).data).length).toBeLessThan(40_000);
});

async function v1(options: ServeOptions, extra?: StdioOptions): Promise<Subscriber> {
  const heard: string[] = [];
  const client = await connect(new ClientV1(INFO), options, extra);
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri));
  return byRequest(client, heard);
}

async function v2(options: ServeOptions, extra?: StdioOptions): Promise<Subscriber> {
  const heard: string[] = [];
  const client = await connect(new ClientV2(INFO), options, extra);
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
  return byRequest(client, heard);
}

function byRequest(client: (ClientV1 | ClientV2) & AnyClient, heard: string[]): Subscriber {
  return {
    client,
    heard,
    subscribe: async (...uris) => {
      for (const uri of uris) await client.subscribeResource({ uri });
    },
    unsubscribe: async (...uris) => {
      for (const uri of uris) await client.unsubscribeResource({ uri });
    },
  };
}

async function modern(options: ServeOptions, extra?: StdioOptions): Promise<Subscriber> {
  const heard: string[] = [];
  const client = await connect(modernClient(), options, extra);
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
  let stream: Awaited<ReturnType<ClientV2["listen"]>> | undefined;
  return {
    client,
    heard,
    subscribe: async (...uris) => {
      stream = await client.listen({ resourceSubscriptions: uris });
    },
    unsubscribe: async () => stream?.close(),
  };
}

function onDisk(files: Record<string, string>): { readonly root: string; readonly options: ServeOptions } {
  const root = directoryWith(files);
  mkdirSync(join(root, "empty"));
  return { root, options: onDiskAt(root) };
}

function onDiskAt(root: string): ServeOptions {
  const workspace = openWorkspace({ root, durability: "fast", policy: { deniedPaths: ["secret.txt"] } });
  return { surface: surfaceNamed("workspace"), served: [{ name: "w", workspace }], version: "1" };
}

async function until(holds: () => boolean): Promise<void> {
  for (let n = 0; n < 1000 && !holds(); n++) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(holds()).toBe(true);
}
