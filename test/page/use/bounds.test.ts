// Where answers of the page end: pages of versions, long texts, many files, what is no longer kept, and where a stream goes on.
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { memoryWorkspace } from "../../support/workspace.ts";
import { browserAt, enter, events, openPage } from "../support.ts";

const waived = { proof: { by: "waived" } } as const;
const MANY = 205;

it("the versions of a file are told in pages, each of them once", async () => {
  const workspace = memoryWorkspace({ "a.txt": "0\n", "b.txt": "b\n" });
  const agent = workspace.session({ agent: "codex" });
  for (let n = 1; n <= MANY; n++) await agent.write("a.txt", `${n}\n`, waived);
  const inside = await enter(await openPage(workspace));
  const first = await inside.json("file", { w: "work", path: "a.txt" });
  const rest = await inside.json("file", { w: "work", path: "a.txt", before: first.before });
  const seqs = [...first.versions, ...rest.versions].map(({ seq }: { seq: number }) => seq);
  expect(seqs).toEqual(Array.from({ length: MANY }, (_, n) => MANY - n));
  expect([first.versions.length, rest.before]).toEqual([200, undefined]);
});

it("the timeline has so many entries a page, at most and at least, and its pages leave nothing out", async () => {
  const workspace = memoryWorkspace({});
  for (let n = 0; n < 501; n++)
    await workspace.backend.record({ session: "s", tool: "t", outcome: "refused", changes: [], error: "busy" });
  const inside = await enter(await openPage(workspace));
  const page = async (limit: number, before?: string) => {
    const answer = await inside.json("timeline", { limit, ...(before !== undefined && { before }) });
    return { seqs: answer.entries.map(({ seq }: { seq: number }) => seq), before: answer.before };
  };
  expect((await page(0)).seqs).toEqual([501]);
  const first = await page(100_000);
  expect(first.seqs).toHaveLength(500);
  expect((await page(100_000, first.before)).seqs).toEqual([1]);
});

it("versions of another file are not to be had by comparing, on neither side", async () => {
  const workspace = memoryWorkspace({ "a.txt": "a\n", "b.txt": "b\n" });
  const inside = await enter(await openPage(workspace));
  const [own, other] = await Promise.all(
    ["a.txt", "b.txt"].map(async (path) => (await inside.json("file", { w: "work", path })).now.sha),
  );
  const status = async (from: string, to: string) =>
    (await inside.get(`/page/api/compare?w=work&path=a.txt&from=${from}&to=${to}`)).status;
  expect(await status("none", own)).toBe(200);
  expect([await status(other, own), await status(own, other), await status("none", other)]).toEqual([404, 404, 404]);
});

it("a long version is cut, and says so", async () => {
  const workspace = memoryWorkspace({});
  const agent = workspace.session({ agent: "codex" });
  for (const [path, length] of [
    ["long.txt", 2 ** 21 + 1],
    ["whole.txt", 2 ** 21],
  ] as const)
    await agent.create(path, "x".repeat(length));
  const inside = await enter(await openPage(workspace));
  const version = async (path: string) => {
    const { now } = await inside.json("file", { w: "work", path });
    return inside.json("version", { w: "work", path, sha: now.sha });
  };
  const [long, whole] = [await version("long.txt"), await version("whole.txt")];
  expect([long.text.length, long.truncated]).toEqual([2 ** 21, true]);
  expect([whole.text.length, whole.truncated]).toEqual([2 ** 21, false]);
});

it("a sum of which a version is no longer kept says so, and shows no file as if it had been made", async () => {
  const workspace = memoryWorkspace({ "a.txt": "a\n", "b.txt": "b\n" });
  const agent = workspace.session({ agent: "codex" });
  const { files } = await agent.write("a.txt", "new\n", waived);
  const made = await agent.create("made.txt", "made\n");
  await agent.delete("b.txt", waived);
  await workspace.backend.forget([files[0]!.before!, made.files[0]!.after!]);
  const inside = await enter(await openPage(workspace));
  const { files: sum } = await inside.json("net", { w: "work", agent: "codex" });
  expect(sum.map(({ path, diff }: { path: string; diff: { left?: string } }) => [path, diff.left])).toEqual([
    ["a.txt", "not kept"],
    ["b.txt", undefined],
    ["made.txt", "not kept"],
  ]);
});

it("a preview of many files shows the first, and says how many more there are", async () => {
  const workspace = memoryWorkspace({});
  const agent = workspace.session({ agent: "codex" });
  for (let n = 0; n < MANY; n++) await agent.create(`f${n}`, "x\n");
  const inside = await enter(await openPage(workspace));
  const { count, files, warnings } = await inside.tell("preview", { w: "work", agent: "codex" });
  expect([count, files.length, warnings]).toEqual([MANY, 200, ["Not shown: 5 more."]]);
});

it("a preview counts what changes: not a file that is as it was", async () => {
  const workspace = memoryWorkspace({ "a.txt": "a\n", "b.txt": "b\n" });
  const agent = workspace.session({ agent: "codex" });
  for (const content of ["b\n", "a\n"]) await agent.write("a.txt", content, waived);
  const inside = await enter(await openPage(workspace));
  expect(await inside.tell("preview", { w: "work", agent: "codex" })).toMatchObject({ count: 0, files: [] });
  await agent.write("b.txt", "c\n", waived);
  const more = await inside.tell("preview", { w: "work", agent: "codex" });
  expect(more).toMatchObject({ count: 1, files: [{ path: "b.txt" }] });
});

it("of many deleted files the page lists the first, and says that there are more", async () => {
  const workspace = memoryWorkspace(Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`f${n}`, "x\n"])));
  const agent = workspace.session({ agent: "codex" });
  const inside = await enter(await openPage(workspace));
  const trash = async () => {
    const { items, more } = await inside.json("trash", { w: "work" });
    return [items.length, more];
  };
  for (let n = 0; n < 500; n++) await agent.delete(`f${n}`, waived);
  expect(await trash()).toEqual([500, false]);
  await agent.delete("f500", waived);
  expect(await trash()).toEqual([500, true]);
});

it("a stream goes on behind the last event that was heard, whatever the address says", async () => {
  const workspace = memoryWorkspace({});
  const agent = workspace.session({ agent: "codex" });
  const inside = await enter(await openPage(workspace));
  const { after } = await inside.json("timeline");
  const create = async () => {
    for (const path of ["1", "2", "3"]) await agent.create(path, "x");
  };
  const told = await events(inside, "/page/api/events", 3, create);
  const second = told.find(({ data }) => data.line?.seq === 2)!;
  const address = `/page/api/events?after=${encodeURIComponent(after)}`;
  const next = await events(inside, address, 2, async () => {}, { "last-event-id": second.id! });
  expect([next[0]!.event, next[1]!.data.line.seq]).toEqual(["ready", 3]);
});

it("what was missed is missed once: from there on a stream goes on", async () => {
  const workspace = memoryWorkspace({});
  const agent = workspace.session({ agent: "codex" });
  await agent.create("1", "x");
  const inside = await enter(await openPage(workspace));
  const far = encodeURIComponent(JSON.stringify({ work: 99 }));
  const [missed] = await events(inside, `/page/api/events?after=${far}`, 1, async () => {});
  expect(missed!.event).toBe("missed");
  await agent.create("2", "x");
  const resumed = (count: number) =>
    events(inside, "/page/api/events", count, async () => {}, { "last-event-id": missed!.id! });
  expect((await resumed(1))[0]!.event).toBe("ready");
  expect((await resumed(2))[1]!.data.line.seq).toBe(2);
});

it("an answer is packed only for a reader who can unpack it", async () => {
  const workspace = memoryWorkspace({});
  const agent = workspace.session({ agent: "codex" });
  for (let n = 0; n < 20; n++) await agent.create(`a-file-with-a-long-name-${n}`, "x");
  const page = await openPage(workspace);
  const { cookie, key } = await enter(page);
  const answer = (given: Record<string, string>) =>
    new Promise<readonly [string | undefined, string]>((resolve) => {
      const headers = { cookie, "x-stet-page": key, ...given };
      request({ port: page.port, host: "127.0.0.1", path: "/page/api/timeline", headers }, async (response) =>
        resolve([response.headers["content-encoding"], await text(response)]),
      ).end();
    });
  for (const given of [{}, { "accept-encoding": "identity" }] as Record<string, string>[]) {
    const [encoding, body] = await answer(given);
    expect([encoding, JSON.parse(body).entries.length]).toEqual([undefined, 20]);
  }
  expect((await answer({ "accept-encoding": "br, gzip" }))[0]).toBe("gzip");
});

it("a secret longer than any token is not looked at", async () => {
  const page = await openPage(memoryWorkspace({}));
  const login = async (secret: unknown) => (await browserAt(page.url, "").post("/page/login", { secret })).status;
  expect([await login("x".repeat(16_384)), await login("x".repeat(16_385)), await login(""), await login(1)]).toEqual([
    403, 400, 400, 400,
  ]);
});
