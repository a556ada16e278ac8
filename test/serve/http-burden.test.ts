// What one caller can burden the server with: deep or long bodies, streams that name too much, calls that end late.
import { serveOverHttp } from "stet/serve";
import { defineTool, surfaceNamed, z } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { directoryWith, memoryWorkspace, workspaceIn } from "../support/workspace.ts";
import { closing, HEADERS_2025, INITIALIZE, modern, send, serveWaiting } from "./http-support.ts";

describe("a body", () => {
  it("that is nested deeply, or a long batch, is refused before it is looked into", async () => {
    const errors: Error[] = [];
    const { serving } = await serveWaiting({ onError: (error) => errors.push(error) });
    const deep = (depth: number) => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    const status = async (body: string) => (await send(serving, { headers: HEADERS_2025, body })).status;
    expect((await send(serving, { body: deep(500_000) })).text).toContain("nested deeper than 100");
    expect((await send(serving, { body: deep(99) })).text).not.toContain("nested");
    expect((await send(serving, { body: `[${"0,".repeat(100_001)}0]` })).text).toContain("more than 100000 values");
    const quoted = modern("tools/call", { name: "echo", arguments: { text: `${"[".repeat(500)}\\"` } });
    expect((await send(serving, quoted)).status).toBe(200);
    const notice = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}';
    expect(await status(`[${Array(101).fill(notice).join()}]`)).toBe(400);
    expect(errors).toEqual([]);
  });

  it("costs as much as it has messages, of whatever kind", async () => {
    const { serving } = await serveWaiting({ limits: { burst: 20, callsPerSecond: 0.01 } });
    const post = async (message: object) =>
      (await send(serving, { headers: HEADERS_2025, body: JSON.stringify(Array(12).fill(message)) })).status;
    expect(await post({ jsonrpc: "2.0", method: "notifications/initialized" })).toBe(400);
    expect(await post({ jsonrpc: "2.0", id: 1, result: {} })).toBe(429);
  });
});

describe("a call that takes too long", () => {
  const slow = defineTool({
    name: "slow",
    title: "Slow",
    description: "Ends when it is cancelled.",
    effect: "read",
    actions: ["read"],
    input: z.object({}),
    output: z.object({}),
    refused: "Nothing was done.",
    async run({ call: { signal, progress } }) {
      progress?.({ done: 1, message: "begun" });
      await new Promise<void>((resolve) => signal!.addEventListener("abort", () => resolve()));
      return {};
    },
    text: () => "",
  });
  const surface = { name: "slow", title: "Slow", guidance: "", tools: [slow] };
  const served = [{ name: "w", workspace: memoryWorkspace({}) }] as const;
  const serveSlow = async () =>
    closing(await serveOverHttp({ surface, served: [...served], version: "1" }, { limits: { callMs: 100 } }));

  it("gets its answer also when its stream has begun", async () => {
    const serving = await serveSlow();
    const call = modern("tools/call", { name: "slow", arguments: {} }, 7);
    const body = call.body.replace('"_meta":{', '"_meta":{"progressToken":1,');
    const { status, text } = await send(serving, { ...call, body });
    expect([status, text]).toEqual([200, expect.stringContaining("notifications/progress")]);
    const last = JSON.parse(text.slice(text.lastIndexOf("data: ") + 6)) as object;
    expect(last).toMatchObject({ id: 7, error: { code: -32001 } });
  });

  it("is answered alone: what was finished in its batch is not answered twice", async () => {
    const serving = await serveSlow();
    const opened = await send(serving, { headers: HEADERS_2025, body: INITIALIZE.replace("2025-11-25", "2025-03-26") });
    const headers = { "mcp-protocol-version": "2025-03-26", "mcp-method": undefined };
    const batch = [
      { jsonrpc: "2.0", id: 1, method: "ping" },
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "slow", arguments: {} } },
    ];
    const { text } = await send(serving, {
      headers: { ...headers, "mcp-session-id": opened.headers["mcp-session-id"] },
      body: JSON.stringify(batch),
    });
    const answers = [...text.matchAll(/^data: (.+)$/gm)].map(
      ([, data]) => JSON.parse(data!) as { id: number; error?: object },
    );
    expect(answers.map(({ id, error }) => [id, error !== undefined]).sort()).toEqual([
      [1, false],
      [2, true],
    ]);
  });
});

it("a refusal quotes no more of what was sent than a part", async () => {
  const workspace = workspaceIn(directoryWith({}));
  const options = { surface: surfaceNamed("tracked"), served: [{ name: "w", workspace }], version: "1" } as const;
  const serving = closing(await serveOverHttp(options));
  const long = "k".repeat(1_000_000);
  for (const args of [{ [long]: 1 }, { file_path: long }, { file_path: "a", session: long }]) {
    const { status, text } = await send(serving, modern("tools/call", { name: "Read", arguments: args }));
    expect(status).toBe(200);
    expect(text).toContain("isError");
    expect(text.length).toBeLessThan(100_000);
  }
});
