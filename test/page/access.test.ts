// Who gets in: a link that works once, a cookie for this page alone, and writes from nowhere else.
import { createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { memory } from "../../src/backends/memory/index.ts";
import type { Backend } from "../../src/core/backend.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { serveOverHttp } from "../../src/serve/http/workspaces.ts";
import { createEntrance } from "../../src/serve/page/access/entrance.ts";
import { mayChange, seesAll, visitorOf } from "../../src/serve/page/access/roles.ts";
import type { Counted } from "../../src/serve/page/options.ts";
import { openStream } from "../../src/serve/page/streams/stream.ts";
import { workspace as surface } from "../../src/surfaces/index.ts";
import { memoryWorkspace } from "../support/workspace.ts";
import { browserAt, closing, enter, openPage, pageFolder, pageFor } from "./support.ts";

it("the link works once; its secret becomes a cookie that scripts and other parts of the server do not get", async () => {
  const page = await openPage(memoryWorkspace({}));
  expect(page.link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#secret=[\w-]{43}$/);
  const outside = browserAt(page.url, "");
  const login = await outside.post("/page/login", { secret: page.secret });
  const cookie = login.headers.get("set-cookie")!;
  expect(cookie).toMatch(/^stet-page-\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/page$/);
  expect(cookie).toContain(`stet-page-${page.port}=`);
  const again = await outside.post("/page/login", { secret: page.secret });
  expect([again.status, await again.text()]).toEqual([403, expect.stringContaining("used already")]);
  const { key } = (await login.json()) as { readonly key: string };
  const own = cookie.split(";")[0]!;
  const inside = browserAt(page.url, own, key);
  expect((await inside.get("/page/api/state")).status).toBe(200);
  for (const other of ["", `${cookie.split("=")[0]}=`, `${own}x`, "stet-page-1=abc"])
    expect((await browserAt(page.url, other, key).get("/page/api/timeline")).status).toBe(401);
  for (const wrong of [undefined, "", "1", own.split("=")[1], `${key}x`]) {
    expect((await inside.get("/page/api/timeline", { "x-stet-page": wrong })).status).toBe(401);
    const act = await inside.post("/page/api/review", { w: "work", seqs: [1] }, { "x-stet-page": wrong });
    expect(act.status).toBe(wrong === undefined ? 403 : 401);
  }
  const planted = browserAt(page.url, `${own.split("=")[0]}=planted; ${own}`, key);
  expect((await planted.get("/page/api/state")).status).toBe(200);
});

it("every answer may not be kept, framed, sniffed or read by other pages, and lets only its own scripts run", async () => {
  const page = await openPage(memoryWorkspace({}));
  const inside = await enter(page);
  for (const path of ["/", "/page/app.js", "/page/api/state", "/page/api/nothing"]) {
    const { headers } = await inside.get(path, { origin: "http://evil.example" });
    const csp = headers.get("content-security-policy")!;
    for (const part of ["default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'"])
      expect(csp).toContain(part);
    expect(csp).not.toMatch(/unsafe|data:|\*/);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(headers.get("access-control-allow-origin")).toBeNull();
  }
});

it("writes need the exact origin, the page's own header and JSON; reads no other site", async () => {
  const page = await openPage(memoryWorkspace({}));
  const inside = await enter(page);
  await inside.tell("review", { w: "work", seqs: [1] });
  const body = { w: "work", entry: 1 };
  const status = async (headers: Record<string, string | undefined>): Promise<number> =>
    (await inside.post("/page/api/preview", body, headers)).status;
  expect(await status({})).toBe(404);
  for (const origin of [
    undefined,
    "null",
    "http://evil.example",
    `http://127.0.0.1:${page.port + 1}`,
    `${page.url}.evil`,
  ])
    expect(await status({ origin })).toBe(403);
  expect(await status({ "x-stet-page": undefined })).toBe(403);
  for (const type of ["text/plain", "application/json/evil", "application/json-evil", "application/jsonx", ""])
    expect(await status({ "content-type": type })).toBe(415);
  for (const type of ["Application/JSON", "application/json; charset=utf-8", "application/json ;x"])
    expect(await status({ "content-type": type })).toBe(404);
  for (const site of ["cross-site", "same-site", "none"])
    expect((await inside.get("/page/api/state", { "sec-fetch-site": site })).status).toBe(403);
  expect((await inside.get("/page/api/preview")).status).toBe(404);
  const strangeHost = await new Promise<number | undefined>((resolve) => {
    const headers = { host: `evil.example:${page.port}`, cookie: inside.cookie, "x-stet-page": inside.key };
    request({ port: page.port, path: "/page/api/state", headers }, ({ statusCode }) => resolve(statusCode)).end();
  });
  expect(strangeHost).toBe(403);
  const twoHosts = connect(page.port, "127.0.0.1");
  twoHosts.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${page.port}\r\nHost: evil.example\r\nConnection: close\r\n\r\n`);
  expect(await text(twoHosts)).toMatch(/^HTTP\/1\.1 40[03] /);
});

it("a page that may only look changes nothing", async () => {
  const workspace = memoryWorkspace({ "a.txt": "a\n" });
  await workspace.session({ agent: "codex" }).write("a.txt", "b\n", { proof: { by: "waived" } });
  const inside = await enter(await openPage(workspace, { readOnly: true }));
  expect((await inside.json("state")).mayChange).toBe(false);
  for (const act of ["preview", "undo", "restore", "review"])
    expect((await inside.post(`/page/api/${act}`, { w: "work", entry: 1, seqs: [1], id: "1" })).status).toBe(403);
  expect((await inside.json("timeline")).entries).toHaveLength(1);
});

it("a read-only policy holds for the page too", async () => {
  const workspace = memoryWorkspace({}, { policy: { readOnly: true } });
  const inside = await enter(await openPage(workspace));
  expect(await inside.json("state")).toMatchObject({ mayChange: false, workspaces: [{ readOnly: true }] });
  expect((await inside.post("/page/api/review", { w: "work", seqs: [1] })).status).toBe(403);
});

it("stet serve has the page at /, beside the tools; its tokens let in to look, at what the policy shows", async () => {
  const workspace = memoryWorkspace({ "a.txt": "a\n" }, { policy: { deniedPaths: ["secret.txt"] } });
  await workspace.backend.record({
    session: "s",
    tool: "t",
    outcome: "external",
    changes: [{ path: "secret.txt" as never, from: null, to: null }],
  });
  const served = [{ name: "work", workspace }] as const;
  const health = async function* () {
    yield { about: "disk", state: "ok", what: "of this machine" } as const;
  };
  const serving = closing(
    await serveOverHttp(
      { surface, served, version: "0.0.0" },
      {
        tokens: [{ name: "bob", token: "bob-0123456789abcdef" }],
        page: { person: "ada", assets: await pageFolder(), health },
      },
    ),
  );
  const url = serving.url.replace("/mcp", "");
  expect((await fetch(url)).headers.get("content-type")).toContain("text/html");
  expect((await fetch(serving.url)).status).toBe(401);
  const owner = await enter({ url, secret: new URL(serving.pageLink!).hash.replace("#secret=", "") });
  expect(await owner.json("state")).toMatchObject({ person: "ada", mayChange: true });
  const viewer = await enter({ url, secret: "bob-0123456789abcdef" });
  expect(await viewer.json("state")).toMatchObject({ person: "bob", mayChange: false });
  expect((await owner.json("health")).findings).toHaveLength(1);
  expect(await viewer.json("health")).toEqual({ findings: [] });
  expect((await viewer.json("entry", { w: "work", seq: 1 })).files[0].diff).toEqual({ left: "hidden by the policy" });
  expect((await viewer.get("/page/api/file?w=work&path=secret.txt")).status).toBe(403);
  const secret = { session: "s", tool: "t", outcome: "refused", changes: [], error: "old_text_not_found" } as const;
  for (const path of ["secret.txt", "open.txt"])
    await workspace.backend.record({
      ...secret,
      details: { paths: ["open.txt"], told: "The file says: a secret", files: [path] },
    });
  const told = (who: typeof owner) =>
    Promise.all([2, 3].map(async (seq) => (await who.json("entry", { w: "work", seq })).told));
  const words = "The file says: a secret";
  expect([await told(owner), await told(viewer)]).toEqual([
    [words, words],
    [undefined, words],
  ]);
  const agent = new Workspace(workspace.backend).session({ agent: "codex" });
  for (const file of ["secret.txt", "open.txt"]) {
    await agent.create(file, "x");
    await agent.delete(file, { proof: { by: "waived" } });
  }
  const trashed = async (who: typeof owner) =>
    (await who.json("trash", { w: "work" })).items.map(({ path }: { path: string }) => path).sort();
  expect([await trashed(owner), await trashed(viewer)]).toEqual([["open.txt"], ["open.txt"]]);
  expect((await viewer.post("/page/api/undo", { w: "work", entry: 1 })).status).toBe(403);
});

it("what a hidden file held is not to be had under the name of the file that was moved over it", async () => {
  const workspace = memoryWorkspace({ "a.txt": "a\n", "secret.txt": "hidden\n" });
  const owner = await enter(await openPage(workspace));
  const hidden = (await owner.json("file", { w: "work", path: "secret.txt" })).now.sha;
  await workspace.session({ agent: "codex" }).move("a.txt", "secret.txt", { proof: { by: "waived" }, overwrite: true });
  expect((await owner.get(`/page/api/version?w=work&path=secret.txt&sha=${hidden}`)).status).toBe(200);
  for (const view of ["version", "picture"])
    expect((await owner.get(`/page/api/${view}?w=work&path=a.txt&sha=${hidden}`)).status).toBe(404);
});

it("who guesses is slowed down, and on this machine keeps out no one else", async () => {
  const page = await openPage(memoryWorkspace({}));
  const outside = browserAt(page.url, "");
  const statuses: number[] = [];
  for (let n = 0; n < 24; n++) statuses.push((await outside.post("/page/login", { secret: `wrong ${n}` })).status);
  expect([statuses.slice(0, 20).every((status) => status === 403), statuses.at(-1)]).toEqual([true, 429]);
  expect((await outside.post("/page/login", { secret: page.secret })).status).toBe(200);
});

it("behind TLS the cookie is sent by TLS only, and the origin is the one that was named", async () => {
  const workspace = memoryWorkspace({});
  const served = [{ name: "work", workspace }] as const;
  const http = { allowedOrigins: ["https://stet.example"], page: { person: "ada", assets: await pageFolder() } };
  const serving = closing(await serveOverHttp({ surface, served, version: "0.0.0" }, http));
  const outside = browserAt(new URL(serving.url).origin, "");
  const secret = new URL(serving.pageLink!).hash.replace("#secret=", "");
  const login = async (origin: string) => outside.post("/page/login", { secret }, { origin });
  for (const origin of ["https://other.example", "https://stet.example:8443", "http://stet.example"])
    expect((await login(origin)).status).toBe(403);
  const answer = await login("https://stet.example");
  expect([answer.status, answer.headers.get("set-cookie")]).toEqual([200, expect.stringMatching(/; Secure$/)]);
});

it("a token is looked up for every request: its role is what it is now; it is watched no longer than it is answered", async () => {
  const workspace = closing(memoryWorkspace({}));
  await workspace.session({ agent: "codex" }).create("a.txt", "x");
  let may = true;
  let watched = 0;
  const granted = (mayChange: boolean) => ({ kind: "", agent: "bob", mayChange });
  const tokens = {
    authenticate: () => ({ name: "acme/bob", named: true, granted: granted(may) }),
    watch: () => {
      watched++;
      return () => void watched--;
    },
  };
  const { page, url } = await pageFor({ served: [{ name: "work", workspace }] }, { tokens });
  expect(page.invite()).toBeUndefined();
  const inside = await enter({ url, secret: "any" });
  const marked = async (): Promise<number> => (await inside.post("/page/api/review", { w: "work", seqs: [1] })).status;
  expect([await marked(), (await inside.json("state")).mayChange]).toEqual([200, true]);
  may = false;
  expect([await marked(), (await inside.json("state")).mayChange]).toEqual([403, false]);
  const stream = await inside.get("/page/api/events");
  expect(watched).toBe(1);
  await stream.body!.cancel();
  await expect.poll(() => watched).toBe(0);
});

it("an answer counts until it is out, or its reader is gone, also when that was before it was made", async () => {
  let unread = 0;
  let counts = 0;
  const counted: Counted = {
    spent: () => undefined,
    pay: () => undefined,
    hold: (_owner, _call, act) => act(),
    count: (_owner, bytes) => {
      counts++;
      unread += bytes;
    },
  };
  let release = (): void => {};
  let began = (): void => {};
  const gate = () =>
    new Promise<void>((resolve) => {
      release = resolve;
      began();
    });
  const workspace = memoryWorkspace({});
  const backend: Backend = {
    ...workspace.backend,
    async *log(filter) {
      if (filter?.sinceSeq === 7) await gate();
      yield* workspace.backend.log(filter);
    },
  };
  const served = [{ name: "work", workspace: new Workspace(backend) }] as const;
  const tokens = { authenticate: () => ({ name: "bob", named: true }) };
  const { url } = await pageFor({ served }, { tokens, counted });
  const inside = await enter({ url, secret: "any" });
  expect((await inside.json("state")).workspaces).toHaveLength(1);
  await expect.poll(() => [unread, counts]).toEqual([0, 2]);
  const begun = new Promise<void>((resolve) => {
    began = resolve;
  });
  const going = new AbortController();
  const asked = fetch(`${url}/page/api/entry?w=work&seq=7`, {
    headers: { cookie: inside.cookie, "x-stet-page": inside.key },
    signal: going.signal,
  });
  await begun;
  going.abort();
  await expect(asked).rejects.toThrow();
  await new Promise((resolve) => setTimeout(resolve, 100));
  release();
  expect((await inside.json("state")).workspaces).toHaveLength(1);
  await expect.poll(() => [unread, counts]).toEqual([0, 4]);
});

it("nothing is watched or followed for who went away while their token was looked up", async () => {
  const [watched, followers] = [new Set(), new Set()];
  const heldIn = (all: Set<unknown>) => () => {
    const one = {};
    all.add(one);
    return () => void all.delete(one);
  };
  let found: Promise<void> | undefined;
  let [began, letGo] = [(): void => {}, (): void => {}];
  const tokens = {
    async authenticate() {
      began();
      await found;
      return { name: "bob", named: true };
    },
    watch: heldIn(watched),
  };
  const workspace = new Workspace({ ...memory(), watch: heldIn(followers) });
  const { url, server } = await pageFor({ served: [{ name: "work", workspace }] }, { tokens });
  const { cookie, key } = await enter({ url, secret: "any" });
  const begun = new Promise<void>((resolve) => {
    began = resolve;
  });
  found = new Promise((resolve) => {
    letGo = resolve;
  });
  const gone = new Promise((resolve) => server.once("request", (_, response) => response.once("close", resolve)));
  const going = new AbortController();
  const headers = { cookie, "x-stet-page": key };
  const asked = fetch(`${url}/page/api/events`, { headers, signal: going.signal });
  await begun;
  going.abort();
  await expect(asked).rejects.toThrow();
  await gone;
  letGo();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([watched.size, followers.size]).toEqual([0, 0]);
});

it("roles of tokens are rights on the page", () => {
  const bob = { name: "acme/bob", named: true };
  const granted = { kind: "", agent: "bob" };
  expect(visitorOf(bob)).toEqual({ name: "acme/bob", role: "viewer" });
  expect(visitorOf({ ...bob, granted: { ...granted, mayChange: false } })).toEqual({ name: "bob", role: "viewer" });
  const writer = visitorOf({ ...bob, granted: { ...granted, mayChange: true } });
  expect(writer).toEqual({ name: "bob", role: "writer" });
  expect([mayChange(writer), seesAll(writer), seesAll({ name: "ada", role: "owner" })]).toEqual([true, false, true]);
});

it("a stream that is not read is ended, and does not fill the memory", async () => {
  let sent = 0;
  const server = createServer((_request, response) => {
    const stream = openStream(response, new AbortController().signal);
    for (; !response.destroyed && sent < 32; sent++) stream.send("entry", "x".repeat(2 ** 20));
    response.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const reader = connect((server.address() as AddressInfo).port, "127.0.0.1");
  reader.on("error", () => {}).write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await new Promise((resolve) => server.once("connection", (socket) => socket.once("close", resolve)));
  expect(sent).toBeLessThan(20);
  reader.destroy();
  server.close();
});

it("a cookie ends when it was not used for a day, or is left; the oldest of the same visitor make room", () => {
  let now = 0;
  const entrance = createEntrance(1, () => now);
  const ada = { visitor: { name: "ada", role: "owner" }, who: "link" } as const;
  const admit = (who: string) => {
    const { cookie, key } = entrance.admit({ ...ada, who });
    return { cookies: `stet-page-1=${cookie}`, key };
  };
  const cookie = admit("link");
  now = 24 * 3600_000;
  const inside = entrance.inside({ ...cookie, cookies: `other=1; ${cookie.cookies}` })!;
  expect(inside).toMatchObject(ada);
  now *= 2;
  expect(entrance.inside(cookie)).toMatchObject(ada);
  const many = "stet-page-1=planted; ".repeat(8) + cookie.cookies;
  expect(entrance.inside({ ...cookie, cookies: many })).toBeUndefined();
  expect(entrance.inside({ ...cookie, key: admit("link").key })).toBeUndefined();
  now = now * 2 + 1;
  expect(inside.ended.aborted).toBe(false);
  expect([entrance.inside(cookie), inside.ended.aborted]).toEqual([undefined, true]);
  now = 0;
  expect(entrance.inside(cookie)).toBeUndefined();

  const first = entrance.invite(ada.visitor);
  for (let n = 0; n < 63; n++) entrance.invite(ada.visitor);
  const last = entrance.invite(ada.visitor);
  expect([entrance.redeem(first), entrance.redeem(last)]).toEqual([undefined, ada.visitor]);

  const other = admit("other");
  const own = Array.from({ length: 33 }, () => admit("own"));
  expect([other, ...own].map((each) => entrance.inside(each) !== undefined)).toEqual([
    true,
    false,
    ...own.slice(1).map(() => true),
  ]);
  const { ended } = entrance.inside(other)!;
  entrance.leave(other);
  expect([ended.aborted, entrance.inside(other)]).toEqual([true, undefined]);
});

it("of all visits together the one used longest ago ends", () => {
  const entrance = createEntrance(1);
  const come = (n: number) => {
    const { cookie, key } = entrance.admit({ visitor: { name: "x", role: "viewer" }, who: String(n) });
    return { cookies: `stet-page-1=${cookie}`, key };
  };
  const [first, second] = [come(-1), come(-2)];
  for (let n = 0; n < 4094; n++) come(n);
  expect(entrance.inside(first)).toBeDefined();
  come(4094);
  expect([entrance.inside(first) !== undefined, entrance.inside(second)]).toEqual([true, undefined]);
});
