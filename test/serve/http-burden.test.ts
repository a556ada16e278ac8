// What one caller can burden the server with: deep or long bodies, streams that name too much, calls that end late.
import { serveOverHttp } from "stet/serve";
import { surfaceNamed } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { directoryWith, workspaceIn } from "../support/workspace.ts";
import { closing, HEADERS_2025, modern, send, serveWaiting } from "./http-support.ts";

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
