// A real search that takes long, over both transports and protocols: its client hears how far it is, and a cancelled one has its process ended.
import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type ServeOptions, serveOverHttp } from "stet/serve";
import { surfaceNamed } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { HEAVY } from "../support/processes.ts";
import { directoryWith, workspaceIn } from "../support/workspace.ts";
import { connect, INFO, modernClient } from "./clients.ts";
import { closing } from "./http-support.ts";

const PROTOCOLS = [
  ["2025-11-25", () => new Client(INFO)],
  ["2026-07-28", modernClient],
] as const;

const TRANSPORTS = [
  ["a connection", (client: Client, options: ServeOptions) => connect(client, options) as Promise<Client>],
  ["HTTP", connectOverHttp],
] as const;

const LETTERS = Buffer.from("ab ");
const TEXT = unevenText();

/** Of two such classes each way to match must be kept in mind, so this takes a minute for the text below. */
const SLOW = { query: String.raw`\w[ab ]{1,300}\w[ab ]{1,300}\d`, mode: "regex" };

/** In heavy runs each transport is asked in each protocol. */
const BOTH = PROTOCOLS.flatMap((protocol) =>
  TRANSPORTS.map(([name, connected]) => [name, protocol[0], connected, protocol[1]] as const),
);
const ASKED = HEAVY ? BOTH : [BOTH[0]!, BOTH[3]!];

describe("a search that takes long", () => {
  it.each(ASKED)(
    "over %s, protocol %s, tells of a running search, and ends its process when it is cancelled",
    async (_transport, _protocol, connected, make) => {
      const client = await connected(make(), serving());
      expect(childProcesses()).toBe(0);
      const giveUp = new AbortController();
      let heard: (update: unknown) => void = () => {};
      const progress = new Promise((resolve) => {
        heard = resolve;
      });
      const search = client.callTool(
        { name: "search_files", arguments: SLOW },
        { signal: giveUp.signal, onprogress: (update) => heard(update) },
      );
      const ended = search.catch(() => "cancelled");
      const update = await Promise.race([progress, search]);
      expect(update).toMatchObject({ progress: expect.any(Number), message: expect.stringContaining("match") });
      // the first word comes after a quarter of a second, on a busy machine before its process has begun
      await untilProcesses(1);
      // its memory stays small: it is not ended for that, and the rest not left to JavaScript
      await pause(300);
      expect(childProcesses()).toBe(1);

      giveUp.abort();
      expect(await ended).toBe("cancelled");
      // the search itself would go on for several times as long
      await untilProcesses(0);
      const quick = { query: "no such text", mode: "text" };
      const after = await client.callTool({ name: "search_files", arguments: quick });
      expect(after.content).toMatchObject([{ text: expect.stringMatching(/^0 matches of "no such text"/) }]);
    },
  );
});

async function connectOverHttp(client: Client, options: ServeOptions): Promise<Client> {
  const { url, token } = closing(await serveOverHttp(options));
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return closing(client);
}

async function untilProcesses(wanted: number): Promise<void> {
  for (let tries = 0; childProcesses() !== wanted && tries < 300; tries++) await pause(10);
  expect(childProcesses()).toBe(wanted);
}

/** Those of this process that have not ended. */
function childProcesses(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === "ProcessWrap").length;
}

function serving(): ServeOptions {
  const workspace = workspaceIn(directoryWith({ "long.txt": TEXT }));
  return { surface: surfaceNamed("workspace"), served: [{ name: "w", workspace }], version: "1" };
}

/** 3 MB of a, b and space without a pattern that a search could learn. */
function unevenText(): Buffer {
  const text = Buffer.alloc(3_000_000);
  let block = createHash("sha512").update("seed").digest();
  for (let at = 0; at < text.length; at++) {
    if (at % 64 === 0) block = createHash("sha512").update(block).digest();
    text[at] = at % 2000 === 1999 ? 10 : LETTERS[block[at % 64]! % 3]!;
  }
  return text;
}
