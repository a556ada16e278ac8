// Who gets in: a link that works once, a cookie for this page alone, and writes from nowhere else.
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { Workspace } from "stet";
import { serveOverHttp } from "stet/serve";
import { workspace as surface } from "stet/surfaces";
import { expect, it } from "vitest";
import { HEAVY } from "../support/processes.ts";
import { memoryWorkspace } from "../support/workspace.ts";
import { browserAt, closing, enter, openPage, pageFolder } from "./support.ts";

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
  // A guess is allowed again now and then, so a slow machine may need some more.
  for (let n = 0; n < 500 && statuses.at(-1) !== 429; n++)
    statuses.push((await outside.post("/page/login", { secret: `wrong ${n}` })).status);
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

it("a page that stays open takes no turn from the calls with its token, and each visitor has their own", async () => {
  const tokens = [{ name: "bob", token: "bob-0123456789abcdef" }];
  const page = await openPage(memoryWorkspace({}), { tokens, limits: { concurrent: 1 } });
  const inside = await enter({ ...page, secret: tokens[0]!.token });
  expect(await inside.json("state")).toMatchObject({ person: "bob", mayLeave: true });
  const stream = await inside.get("/page/api/events");
  for (let n = 0; n < 3; n++) expect((await inside.get("/page/api/state")).status).toBe(200);
  await stream.body!.cancel();
});

it.runIf(HEAVY)("a stream that is not read is ended, and does not fill the memory", async () => {
  const workspace = memoryWorkspace({});
  const page = await openPage(workspace);
  const { cookie, key } = await enter(page);
  const reader = connect(page.port, "127.0.0.1");
  const head = `Host: 127.0.0.1:${page.port}\r\nCookie: ${cookie}\r\nx-stet-page: ${key}\r\n`;
  reader.on("error", () => {}).write(`GET /page/api/events?w=work HTTP/1.1\r\n${head}\r\n`);
  let isOver = false;
  reader.once("close", () => {
    isOver = true;
  });
  await once(reader, "readable");
  const details = { paths: [`${"x".repeat(200)}/`.repeat(15)] };
  const refusal = { session: "s", tool: "t", outcome: "refused", changes: [], error: "busy", details } as const;
  for (let n = 0; n < 50_000 && !isOver; n++) {
    await workspace.backend.record(refusal);
    if (n % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await expect.poll(() => reader.read() === null && isOver).toBe(true);
});
