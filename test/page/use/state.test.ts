/// <reference lib="dom" />
// What the page's script keeps and sends, against a real server, without a browser around it.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { keepKey, keyNow } from "../../../src/page/key.ts";
import { newsOf } from "../../../src/page/state/news.ts";
import { mark } from "../../../src/page/state/review.ts";
import { said } from "../../../src/page/state/said.ts";
import { asking, closeAsking, previewOf } from "../../../src/page/state/takeback.ts";
import { eventsOf } from "../../../src/page/stream.ts";
import type { EntryLine } from "../../../src/page/wire.ts";
import { memoryWorkspace } from "../../support/workspace.ts";
import { type Browser, browserAt, closing, enter, openPage } from "../support.ts";

const real = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = real;
});

/** Requests of the script go to the server, with what a browser would add. */
function actAs({ cookie, key }: Browser, url: string, before: (body: string) => unknown = () => undefined): void {
  globalThis.fetch = async (address, init = {}) => {
    if (!String(address).startsWith("/")) return real(address, init);
    await before(String(init.body));
    return real(url + address, { ...init, headers: { ...init.headers, cookie, origin: url, "x-stet-page": key } });
  };
}

it("more entries than one note holds are marked, in parts", async () => {
  const workspace = memoryWorkspace({});
  for (let n = 0; n < 10_001; n++)
    await workspace.backend.record({ session: "s", tool: "t", outcome: "refused", changes: [], error: "busy" });
  const page = await openPage(workspace);
  const inside = await enter(page);
  actAs(inside, page.url);
  const seqs = Array.from({ length: 10_001 }, (_, n) => n + 1);
  await mark("work", seqs, true);
  expect(said.value).toEqual({ text: expect.stringContaining("marked as reviewed"), bad: false });
  expect((await inside.json("timeline", { unreviewed: 1 })).entries).toEqual([]);
});

it("an entry is told in one sentence: who, what, which file, and why not", () => {
  const line = { w: "w", seq: 9, at: "", session: "s", tool: "edit_file", reviewed: false, files: 1 } as const;
  const told = (more: Partial<EntryLine>): string =>
    newsOf({ ...line, outcome: "applied", agent: "ada", paths: ["v\u202e.txt"], ...more });
  expect(told({})).toBe("ada changed v\\u{202e}.txt.");
  expect(told({ outcome: "refused", error: "stale_file" })).toBe("ada was refused: v\\u{202e}.txt, stale file.");
  expect(told({ outcome: "external" })).toBe("Another program changed v\\u{202e}.txt.");
  expect(told({ of: [7, 1, 2, 3, 4, 5, 6, 9], files: 4 })).toBe("ada took back 1–7, 9: 4 files.");
  expect(told({ of: [3], part: true })).toBe("ada took back a part of 3: v\\u{202e}.txt.");
  expect(told({ of: [3], restored: true })).toBe("ada brought back v\\u{202e}.txt.");
});

it("a refusal that comes late does not take the place of what was asked for since", async () => {
  const workspace = memoryWorkspace({ "a.txt": "a\n" });
  await workspace.session({ agent: "codex" }).write("a.txt", "b\n", { proof: { by: "waived" } });
  const page = await openPage(workspace);
  const inside = await enter(page);
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  actAs(inside, page.url, (body) => (body.includes("99") ? held : undefined));
  const late = previewOf("entry 99", { w: "work", entry: 99 });
  closeAsking();
  await previewOf("entry 1", { w: "work", entry: 1 });
  release();
  await late;
  expect(asking.value).toMatchObject({ title: "entry 1", preview: { count: 1 } });
  expect(said.value.bad).toBe(true);
});

it("nor does a preview that comes late", async () => {
  const workspace = memoryWorkspace({ "a.txt": "a\n" });
  const agent = workspace.session({ agent: "codex" });
  for (const content of ["b\n", "c\n"]) await agent.write("a.txt", content, { proof: { by: "waived" } });
  const page = await openPage(workspace);
  const inside = await enter(page);
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  actAs(inside, page.url, (body) => (body.includes("codex") ? held : undefined));
  const late = previewOf("everything of codex", { w: "work", agent: "codex" });
  await previewOf("entry 2", { w: "work", entry: 2 });
  release();
  await late;
  expect(asking.value).toMatchObject({ title: "entry 2", preview: { undone: [2] } });
  closeAsking();
});

it("where the browser keeps nothing, the page keeps its key, and lets it go when it leaves", () => {
  const kept = Object.getOwnPropertyDescriptor(globalThis, "localStorage");
  const full = {
    getItem: () => null,
    removeItem: () => {},
    setItem() {
      throw new Error("There is no room left.");
    },
  };
  try {
    for (const storage of [undefined, full]) {
      Object.defineProperty(globalThis, "localStorage", { value: storage, configurable: true });
      keepKey("key");
      expect(keyNow()).toBe("key");
      keepKey(undefined);
      expect(keyNow()).toBe("none");
    }
  } finally {
    if (kept === undefined) Reflect.deleteProperty(globalThis, "localStorage");
    else Object.defineProperty(globalThis, "localStorage", kept);
  }
});

it("events are heard whole, however the bytes of a stream come in", async () => {
  const parts = [": \n\nid: 1\nevent: en", 'try\ndata: {"a":"b: c"}\n', "\nevent: ready\ndata: {}\n\nevent: cut\nda"];
  const server = createServer(async (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const part of parts) {
      response.write(part);
      await sleep(50);
    }
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing({ close: async () => server.close() });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  actAs(browserAt(url, ""), url);
  const heard: unknown[] = [];
  for await (const told of eventsOf("events", {}, new AbortController().signal)) heard.push(told);
  expect(heard).toEqual([
    { event: "entry", data: '{"a":"b: c"}', id: "1" },
    { event: "ready", data: "{}" },
  ]);
});
