// Plain calls go past the SDK: nobody can tell, but by the time they take.
import { InMemoryTransport, type JSONRPCMessage } from "@modelcontextprotocol/server";
import { type ServeOptions, type StdioServing, serveOnStdio } from "stet/serve";
import { defineTool, surfaceNamed } from "stet/surfaces";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { memoryWorkspace } from "../support/workspace.ts";
import { INFO } from "./clients.ts";

/** What a later protocol may give a meaning to is left to the SDK. */
const TO_THE_SDK = { "io.modelcontextprotocol/unheard-of": 1 };

describe("a call past the SDK", () => {
  it.each([
    ["that reads", { name: "read_file", arguments: { path: "a.txt" } }],
    ["with a token for progress", { name: "read_file", arguments: { path: "a.txt" }, _meta: { progressToken: 7 } }],
    ["that is refused", { name: "read_file", arguments: { path: "nothing.txt" } }],
    ["with wrong arguments", { name: "read_file", arguments: { path: 7, lines: [] } }],
    ["without arguments", { name: "read_file" }],
    ["of a tool that is not there", { name: "read_fire", arguments: {} }],
  ])("%s is answered as the SDK answers it", async (_which, params: Params) => {
    const peer = await connected(servedFile());
    const direct = await peer.ask("tools/call", params);
    const usual = await peer.ask("tools/call", { ...params, _meta: { ...params._meta, ...TO_THE_SDK } });
    expect(direct).toEqual(usual);
    expect(direct.error ?? direct.result).toBeDefined();
  });

  it.each([
    ["a list as arguments", { name: "read_file", arguments: [] }],
    ["no name", { arguments: {} }],
    ["a number as name", { name: 7 }],
  ])("%s is the SDK's to refuse", async (_which, params) => {
    const peer = await connected(servedFile());
    const { error, result } = await peer.ask("tools/call", params);
    expect(error?.code).toBeLessThan(0);
    expect(result).toBeUndefined();
  });

  it("of an id that is in use is refused, and the first one goes on", async () => {
    const waiting = waitingTool();
    const peer = await connected(waiting.options);
    const wait = { id: "same", method: "tools/call", params: { name: "wait", arguments: {} } };
    peer.send(wait);
    await waiting.begun;
    peer.send(wait);
    expect((await peer.next(undefined)).error).toMatchObject({ code: -32600 });
    waiting.finish();
    expect((await peer.next("same")).result).toMatchObject({ content: [{ type: "text" }] });
  });

  it("that was cancelled is not answered", async () => {
    const waiting = waitingTool();
    const peer = await connected(waiting.options);
    peer.send({ id: 5, method: "tools/call", params: { name: "wait", arguments: {} } });
    await waiting.begun;
    peer.send({ method: "notifications/cancelled", params: { requestId: 5, reason: "enough" } });
    expect(await waiting.ended).toBe("cancelled");
    waiting.finish();
    // ends when all calls have, so that an answer would have come before it
    await Promise.all(serving.splice(0).map((each) => each.close()));
    expect(peer.heard().filter(({ id }) => id === 5)).toEqual([]);
  });
});

type Params = { readonly name: string; readonly arguments?: object; readonly _meta?: object };

interface Heard {
  readonly id?: string | number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number };
}

const serving: StdioServing[] = [];

afterEach(async () => {
  await Promise.all(serving.splice(0).map((each) => each.close()));
});

function servedFile(): ServeOptions {
  const served = { name: "w", workspace: memoryWorkspace({ "a.txt": "one\n" }) };
  return { surface: surfaceNamed("workspace"), served: [served], version: "0" };
}

/** A tool that goes on until it is told to finish, or is cancelled. */
function waitingTool() {
  let begin = () => {};
  let finish = () => {};
  let end: (how: string) => void = () => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const ended = new Promise<string>((resolve) => (end = resolve));
  const tool = defineTool({
    name: "wait",
    title: "Wait",
    description: "Waits",
    effect: "read",
    actions: ["read"],
    input: z.object({}),
    output: z.object({ waited: z.boolean() }),
    refused: "Nothing was waited for.",
    async run({ call }) {
      call.signal?.addEventListener("abort", () => end("cancelled"));
      const finished = new Promise<void>((resolve) => (finish = resolve));
      begin();
      await finished;
      return { waited: true };
    },
    text: () => "waited",
  });
  const surface = { name: "waiting", title: "Waiting", guidance: "", tools: [tool] };
  const served = { name: "w", workspace: memoryWorkspace({}) };
  return {
    options: { surface, served: [served], version: "0" } as unknown as ServeOptions,
    begun,
    ended,
    finish: () => finish(),
  };
}

async function connected(options: ServeOptions) {
  const peer = peerOf(options);
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: INFO };
  await peer.ask("initialize", params);
  peer.send({ method: "notifications/initialized" });
  return peer;
}

function peerOf(options: ServeOptions) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  serving.push(serveOnStdio(options, { transport: far, log: () => {} }));
  const heard: Heard[] = [];
  let news = () => {};
  near.onmessage = (message) => {
    heard.push(message as Heard);
    news();
  };
  void near.start();
  let lastId = 100;
  const send = (message: object) => void near.send({ jsonrpc: "2.0", ...message } as JSONRPCMessage);
  /** The first answer to this id that nobody has taken yet. */
  const next = async (id: string | number | undefined): Promise<Heard> => {
    for (;;) {
      const at = heard.findIndex((each) => each.id === id);
      if (at !== -1) {
        const { result, error } = heard.splice(at, 1)[0]!;
        return { ...(result !== undefined && { result }), ...(error !== undefined && { error }) };
      }
      await new Promise<void>((resolve) => (news = resolve));
    }
  };
  const ask = (method: string, params: object) => {
    const id = ++lastId;
    send({ id, method, params });
    return next(id);
  };
  return { send, ask, next, heard: () => heard };
}
