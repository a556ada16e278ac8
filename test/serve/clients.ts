// The official clients, of both SDK generations and both protocol eras, connected to a server in this process.
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport as TransportV1 } from "@modelcontextprotocol/sdk/shared/transport.js";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { type ServeOptions, type StdioOptions, type StdioServing, serveOnStdio } from "stet/serve";
import { afterEach } from "vitest";

export const INFO = { name: "a-client", version: "1.2.3" };

/** What the tests need of a client, the same for both generations. */
export type AnyClient = Pick<
  ClientV2,
  "listTools" | "readResource" | "listResources" | "listResourceTemplates" | "complete" | "getInstructions" | "close"
> & {
  callTool(request: { name: string; arguments?: Record<string, unknown> }): Promise<CallResult>;
};

export interface CallResult {
  readonly content: { type: string; text?: string; data?: string; mimeType?: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
  readonly _meta?: Record<string, unknown>;
}

export type Connect = (options: ServeOptions, extra?: StdioOptions) => Promise<AnyClient>;

const open: StdioServing[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((serving) => serving.close()));
});

export function modernClient(info = INFO): ClientV2 {
  return new ClientV2(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
}

export const CLIENTS: readonly (readonly [string, Connect])[] = [
  ["v1 client", (options, extra) => connect(new ClientV1(INFO), options, extra)],
  ["v2 client, 2025-11-25", (options, extra) => connect(new ClientV2(INFO), options, extra)],
  [
    "v2 client, negotiating",
    (options, extra) => connect(new ClientV2(INFO, { versionNegotiation: { mode: "auto" } }), options, extra),
  ],
  ["v2 client, 2026-07-28", (options, extra) => connect(modernClient(), options, extra)],
];

/** One of each protocol; what differs between generations is in tools.test.ts. */
export const ERAS = [CLIENTS[0]!, CLIENTS[3]!] as const;

export async function connect<C extends ClientV1 | ClientV2>(
  client: C,
  options: ServeOptions,
  extra: StdioOptions = {},
): Promise<C & AnyClient> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  open.push(serveOnStdio(options, { ...extra, transport: far }));
  await client.connect(near as unknown as TransportV1 & InMemoryTransport);
  return client as C & AnyClient;
}

export function textOf(result: CallResult): string {
  return result.content.map(({ text }) => text ?? "").join("\n");
}
