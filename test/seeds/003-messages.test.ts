// Seed 003: "No explicit hard cap for write/edit sizes in store mode", over MCP, with the clients of the SDK.
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, describe, expect, it } from "vitest";
import { runCli } from "../../src/cli/run.ts";
import { MOST_MESSAGE_BYTES } from "../../src/serve/message-bytes.ts";
import { terminalIn } from "../support/cli.ts";
import { HEAVY } from "../support/processes.ts";
import { tempDir } from "../support/temp.ts";

const MIB = 1024 * 1024;
/** What the page promises; less is enough to see that there is no cap of 10 MiB. */
const SIZE = HEAVY ? 32 : 11;
const INFO = { name: "a-client", version: "1.2.3" };
const MODERN = { versionNegotiation: { mode: { pin: "2026-07-28" } } } as const;
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const WAYS = [
  ["stdio, 2025", overStdio, {}],
  ["stdio, 2026", overStdio, MODERN],
  ["HTTP, 2025", overHttp, {}],
  ["HTTP, 2026", overHttp, MODERN],
] as const;

describe("- No explicit hard cap for write/edit sizes in store mode.", () => {
  it.each(WAYS)(
    "a message that is too long is refused by itself, and the store lives on: %s",
    async (_n, open, era) => {
      const client = await open(era, { STET_MAX_MESSAGE_BYTES: "100000" });
      expect(await textOf(client, write("kept", "one"))).toBe("Updated file kept");
      const long = textOf(client, write("long", "x".repeat(150_000)));
      await expect(long).rejects.toThrow(/Nothing was done: the message has more than 100000 bytes/);
      expect(await textOf(client, { command: "read", file_path: "kept" })).toBe("     1\tone");
      expect(await textOf(client, { command: "ls" })).toBe("kept");
      expect(await textOf(client, write("fits", "x".repeat(90_000)))).toBe("Updated file fits");
    },
  );

  it.each(HEAVY ? [WAYS[0], WAYS[2]] : [WAYS[0]])(
    `the default takes a text of ${SIZE} MiB: %s`,
    async (_n, open, era) => {
      const client = await open(era, {});
      const line = "a line of a text that is as long as many\n";
      const text = line.repeat(Math.ceil((SIZE * MIB) / line.length)).slice(0, SIZE * MIB);
      expect(await textOf(client, write("big", text))).toBe("Updated file big");
      const last = { command: "read", file_path: "big", offset: text.split("\n").length - 2, limit: 1 };
      expect(await textOf(client, last)).toContain("a line of a text");
      if (!HEAVY) return;
      await expect(textOf(client, write("long", "x".repeat(MOST_MESSAGE_BYTES)))).rejects.toThrow(/Nothing was done/);
      expect(await textOf(client, { command: "ls" })).toBe("big");
    },
  );
});

function write(path: string, content: string) {
  return { command: "write", file_path: path, content };
}

async function textOf(client: Client, params: object): Promise<string | undefined> {
  const { content } = await client.callTool({ name: "files", arguments: { params } });
  const [first] = content as { text?: string }[];
  return first?.text?.replace(/\nYour session is .*/, "");
}

type Era = ConstructorParameters<typeof Client>[1];

async function overStdio(era: Era, env: Readonly<Record<string, string>>): Promise<Client> {
  const program = fileURLToPath(new URL("../../dist/bin/stet.cjs", import.meta.url));
  const client = new Client(INFO, { ...era });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, "mcp", "--surface", "files", tempDir()],
      env: { STET_REGISTER: process.env.STET_REGISTER ?? "", HOME: tempDir(), ...env },
    }),
  );
  closing.push(() => client.close());
  return client;
}

async function overHttp(era: Era, env: Readonly<Record<string, string>>): Promise<Client> {
  const end = new AbortController();
  let tell = (): void => {};
  const ready = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const { terminal, said } = terminalIn({ cwd: tempDir(), env, signal: end.signal, onOut: tell });
  const ended = runCli(["serve", "--surface", "files", "--port", "0", "--json"], terminal);
  await Promise.race([ready, ended]);
  closing.push(() => {
    end.abort();
    return ended;
  });
  const { url, token } = JSON.parse(said.out);
  const client = new Client(INFO, { ...era });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  closing.push(() => client.close());
  return client;
}
