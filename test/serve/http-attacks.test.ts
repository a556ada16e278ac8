// The HTTP cases of the shared catalogue of attacks, against the server as it listens.
import { existsSync, readFileSync } from "node:fs";
import type { HttpServing } from "stet/serve";
import { describe, expect, it } from "vitest";
import { HEADERS_2025, INITIALIZE, openSocket, send, sendBytes, serveWaiting } from "./http-support.ts";

interface Attack {
  readonly id: string;
  readonly title: string;
  readonly op: string;
  readonly args: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly session?: string;
    readonly bytes?: number;
    readonly bytesPerSecond?: number;
    readonly sessions?: number;
  };
  readonly expected: number;
}

const CATALOGUE = new URL("../../../shared/data/attacks.json", import.meta.url);
const attacks: readonly Attack[] = existsSync(CATALOGUE)
  ? (JSON.parse(readFileSync(CATALOGUE, "utf8")) as { cases: Attack[] }).cases.filter(({ op }) => op === "http")
  : [];

const TOKENS = ["one", "other"].map((name) => ({ name, token: `${name}-0123456789abcdef` }));
const OWN = { authorization: `Bearer ${TOKENS[0]!.token}` };
const OTHERS = { authorization: `Bearer ${TOKENS[1]!.token}` };

describe("attacks.json over HTTP", () => {
  it.skipIf(attacks.length > 0)("is not here: ../shared/data/attacks.json", (context) =>
    context.skip("catalogue absent"),
  );

  for (const attack of attacks)
    it(`${attack.id} ${attack.title}`, async () => {
      const limits = { headersMs: 300, requestMs: 500, sessions: 20 };
      const { serving } = await serveWaiting({ tokens: TOKENS, limits });
      expect(await statusOf(serving, attack.args)).toBe(attack.expected);
      expect((await send(serving, { headers: OWN })).status).toBe(200);
    });
});

async function statusOf(serving: HttpServing, { headers, session, bytes, bytesPerSecond, sessions }: Attack["args"]) {
  if (headers !== undefined) return (await send(serving, { headers: { ...OWN, ...headers } })).status;
  if (session === "other") return inSessionOfAnother(serving);
  if (bytes !== undefined) return statusIn(await sendBytes(serving, `${head(serving, bytes)}{`));
  if (bytesPerSecond !== undefined) return dripping(serving);
  if (sessions !== undefined) return opening(serving, sessions);
  throw new Error("nobody knows this attack");
}

async function inSessionOfAnother(serving: HttpServing): Promise<number> {
  const opened = await send(serving, { headers: { ...HEADERS_2025, ...OTHERS }, body: INITIALIZE });
  const headers = { ...HEADERS_2025, ...OWN, "mcp-session-id": opened.headers["mcp-session-id"] };
  return (await send(serving, { headers, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' })).status;
}

async function dripping(serving: HttpServing): Promise<number> {
  const { socket, received } = openSocket(serving);
  socket.write(head(serving, 1000));
  const drip = setInterval(() => socket.write(" "), 10);
  const text = await received;
  clearInterval(drip);
  return statusIn(text);
}

/** The first status that is not "opened", of so many. */
async function opening(serving: HttpServing, most: number): Promise<number> {
  for (let count = 0; count < most; count++) {
    const { status } = await send(serving, { headers: { ...HEADERS_2025, ...OWN }, body: INITIALIZE });
    if (status !== 200) return status;
  }
  return 200;
}

function head({ port }: HttpServing, length: number): string {
  return [
    "POST /mcp HTTP/1.1",
    `Host: 127.0.0.1:${port}`,
    `Authorization: ${OWN.authorization}`,
    "Content-Type: application/json",
    `Content-Length: ${length}`,
    "",
    "",
  ].join("\r\n");
}

function statusIn(text: string): number {
  return Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1]);
}
