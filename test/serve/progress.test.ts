// Long calls: progress for whoever asked for it, and an end when nobody waits any more.
import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { Refusal } from "stet";
import { type ServeOptions, serveOnStdio } from "stet/serve";
import { defineTool } from "stet/surfaces";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { memoryWorkspace } from "../support/workspace.ts";
import { connect, INFO, modernClient } from "./clients.ts";

const started: (() => void)[] = [];
const ended: string[] = [];

beforeEach(() => {
  started.length = 0;
  ended.length = 0;
});

describe.each([
  ["2025-11-25", () => new Client(INFO)],
  ["2026-07-28", modernClient],
] as const)("protocol %s", (_version, make) => {
  it("tells the progress of a call that asked for it", async () => {
    const client = await connect(make(), serving());
    const heard: unknown[] = [];
    const onprogress = (update: unknown) => void heard.push(update);
    await (client as Client).callTool({ name: "count", arguments: { to: 3 } }, { onprogress });
    expect(heard).toEqual([
      { progress: 1, total: 3, message: "counted 1" },
      { progress: 2, total: 3, message: "counted 2" },
      { progress: 3, total: 3, message: "counted 3" },
    ]);
    await client.callTool({ name: "count", arguments: { to: 3 } });
    expect(heard).toHaveLength(3);
  });

  it("cancels a call, and goes on", async () => {
    const client = await connect(make(), serving());
    const giveUp = new AbortController();
    const begun = new Promise<void>((resolve) => started.push(resolve));
    const waiting = (client as Client).callTool({ name: "wait", arguments: {} }, { signal: giveUp.signal });
    await begun;
    giveUp.abort();
    await expect(waiting).rejects.toThrow();
    await client.callTool({ name: "count", arguments: { to: 5 } });
    expect(ended).toEqual(["cancelled"]);
  });

  it("cancels what is under way when the client goes, and waits for it before it closes the workspaces", async () => {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const { closed } = serveOnStdio(serving(), { transport: far });
    const client = make();
    await client.connect(near);
    const begun = new Promise<void>((resolve) => started.push(resolve));
    const waiting = client.callTool({ name: "wait", arguments: {} });
    await begun;
    await Promise.all([client.close(), expect(waiting).rejects.toThrow()]);
    await closed;
    expect(ended).toEqual(["cancelled", "closed"]);
  });
});

function serving(): ServeOptions {
  const workspace = memoryWorkspace({});
  const close = workspace.close.bind(workspace);
  workspace.close = async () => {
    ended.push("closed");
    await close();
  };
  return {
    surface: { name: "slow", title: "Slow", guidance: "", tools: [COUNT, WAIT] },
    served: [{ name: "w", workspace }],
    version: "1",
  };
}

const COUNT = defineTool({
  name: "count",
  title: "Count",
  description: "Counts",
  effect: "read",
  actions: ["read"],
  input: z.object({ to: z.int() }),
  output: z.object({ to: z.int() }),
  refused: "Nothing was counted.",
  async run({ call }, { to }) {
    for (let done = 1; done <= to; done++) {
      call.progress?.({ done, total: to, message: `counted ${done}` });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return { to };
  },
  text: ({ to }) => `Counted to ${to}.`,
});

const WAIT = defineTool({
  name: "wait",
  title: "Wait",
  description: "Waits until it is cancelled",
  effect: "read",
  actions: ["read"],
  input: z.object({}),
  output: z.object({}),
  refused: "Nothing was awaited.",
  run: ({ call }) =>
    new Promise<never>((_resolve, reject) => {
      call.deadline?.settle();
      call.signal?.addEventListener("abort", () => {
        // As a commit that has begun: it comes to its end, and is waited for.
        setTimeout(() => {
          ended.push("cancelled");
          reject(new Refusal("cancelled", "Cancelled."));
        }, 10);
      });
      started.shift()?.();
    }),
  text: () => "",
});
