// The page of a fleet: let in by a token, sees what that token reaches and nothing else, and ends with it.
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type Backend, Workspace } from "stet";
import type { HttpServing } from "stet/serve";
import { afterAll, describe, expect, it } from "vitest";
import { missingPostgres } from "../../scripts/postgres.mjs";
import { startDatabaseProxy } from "../../scripts/postgres-proxy.mjs";
import { startFleet } from "../serve/fleet-support.ts";
import { send } from "../serve/http-support.ts";
import { all, textAt } from "../support/assertions.ts";
import { type Ran, stet } from "../support/cli.ts";
import { ofVisitors } from "./fleet-visitors.ts";
import { type Browser, browserAt, enter, events } from "./support.ts";

const SOON = { timeout: 30_000 };
const waived = { proof: { by: "waived" } } as const;
const LOOKS = [
  "timeline",
  "entry",
  "diff",
  "file",
  "version",
  "compare",
  "picture",
  "net",
  "trash",
  "verify",
  "events",
];

describe.skipIf(missingPostgres() !== undefined)("the page of a fleet", async () => {
  if (missingPostgres() !== undefined) return;
  const fleet = await startFleet();
  const { pool, asServer, serve, token, workspace } = fleet;
  afterAll(fleet.end);

  const policy = { deniedPaths: ["hidden.txt"] };
  const [one, other] = [
    await serve({ url: asServer, idleMs: 150 }, [], { policy }),
    await serve({}, ["--surface", "tracked"], { policy }),
  ];
  const urlOf = ({ url }: HttpServing): string => new URL(url).origin;
  const enterWith = (secret: string, server = one): Promise<Browser> => enter({ url: urlOf(server), secret });

  async function lived(tenant: string, name: string, what: string): Promise<Backend> {
    const backend = await workspace(tenant, name);
    const agent = new Workspace(backend).session({ agent: "codex", id: `session of ${tenant}` });
    await agent.create("a.txt", `${what}\n`);
    await agent.write("a.txt", `${what}, changed\n`, waived);
    await agent.create("gone.txt", `${what}\n`);
    await agent.delete("gone.txt", waived);
    await agent.create("hidden.txt", `hidden ${what}\n`);
    return backend;
  }
  const web = await lived("acme", "web", "of acme");
  const theirs = await lived("umbrella", "web", "of umbrella");
  await lived("umbrella", "lab", "of the lab");
  await lived("acme", "vault", "of the vault");
  const [first] = await all(theirs.log({ limit: 1 }));
  const [theirFile] = first!.changes;

  it("is let in by a token, never without one; the page is asked which workspace, and none is listed", async () => {
    const { token: secret } = await token({ principal: "ada", workspaces: ["w*", "vault"] });
    const outside = browserAt(urlOf(one), "");
    const refused = await outside.get("/page/api/state");
    expect([refused.status, await refused.json()]).toEqual([401, expect.objectContaining({ tokens: true })]);
    for (const wrong of ["stet_wrong", `${secret}x`, "x".repeat(16_385), ""])
      expect((await outside.post("/page/login", { secret: wrong })).ok).toBe(false);
    const login = await outside.post("/page/login", { secret });
    const cookie = login.headers.get("set-cookie")!;
    expect(cookie).toMatch(/^stet-page-\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/page$/);
    expect(cookie).not.toContain(secret);
    const { key } = (await login.json()) as { readonly key: string };
    expect((await browserAt(urlOf(one), cookie.split(";")[0]!).get("/page/api/state")).status).toBe(401);
    const inside = browserAt(urlOf(one), cookie.split(";")[0]!, key);
    expect(await inside.json("state")).toMatchObject({
      person: "ada",
      mayChange: false,
      mayLeave: true,
      workspaces: [],
      names: ["vault"],
    });
    expect(await inside.json("state", { w: "web" })).toMatchObject({
      mayChange: true,
      workspaces: [{ w: "web", root: "postgres:acme/web", head: { seq: 5 } }],
    });
    expect((await inside.get("/page/api/timeline")).status).toBe(400);
    const { entries } = await inside.json("timeline", { w: "web" });
    expect(entries.map(({ w, seq }: { w: string; seq: number }) => [w, seq])).toEqual(
      [5, 4, 3, 2, 1].map((seq) => ["web", seq]),
    );
    expect((await inside.json("health")).findings).toEqual([]);
    const solo = await enterWith((await token({ workspaces: ["web"] })).token);
    expect(await solo.json("state")).toMatchObject({ workspaces: [{ w: "web" }], names: ["web"] });
    expect((await solo.json("timeline")).entries).toHaveLength(5);
  });

  it("what agents did is shown, what the policy hides is not, and reading makes no workspace", async () => {
    const inside = await enterWith((await token({ role: "owner" })).token);
    const entry = await inside.json("entry", { w: "web", seq: 2 });
    expect(entry.files[0].diff.text).toContain("+of acme, changed");
    expect((await inside.json("entry", { w: "web", seq: 5 })).files[0].diff).toEqual({ left: "hidden by the policy" });
    expect((await inside.get("/page/api/file?w=web&path=hidden.txt")).status).toBe(403);
    const net = await inside.json("net", { w: "web", agent: "codex" });
    expect(net.files.map(({ path, diff }: { path: string; diff: object }) => [path, "left" in diff])).toEqual([
      ["a.txt", false],
      ["hidden.txt", true],
    ]);
    expect((await inside.json("trash", { w: "web" })).items).toMatchObject([{ path: "gone.txt" }]);
    const { now } = await inside.json("file", { w: "web", path: "a.txt" });
    expect((await inside.json("version", { w: "web", path: "a.txt", sha: now.sha })).text).toBe("of acme, changed\n");
    expect(await (await inside.get("/page/api/verify?w=web")).text()).toContain('"done":{"ok":true');
    expect((await inside.get("/page/api/timeline?w=new")).status).toBe(404);
    expect((await inside.post("/page/api/review", { w: "new", seqs: [1] })).status).toBe(404);
    const { rows } = await pool.query("select 1 from workspace where name = 'new'");
    expect(rows).toEqual([]);
  });

  it("with the role read it looks; with write or owner it takes back and marks, under the name of its principal", async () => {
    const mine = await lived("acme", "roles", "roles");
    const reader = await enterWith((await token({ role: "read", principal: "rea" })).token);
    expect(await reader.json("state", { w: "roles" })).toMatchObject({ person: "rea", mayChange: false });
    const acts: [string, object][] = [
      ["preview", { entry: 2 }],
      ["undo", { entry: 2 }],
      ["restore", { id: "4:gone.txt" }],
      ["review", { seqs: [1] }],
    ];
    for (const [act, body] of acts)
      expect([act, (await reader.post(`/page/api/${act}`, { w: "roles", ...body })).status]).toEqual([act, 403]);
    expect((await all(mine.log())).length).toBe(5);

    const writer = await enterWith((await token({ role: "write", principal: "wri" })).token, other);
    const preview = await writer.tell("preview", { w: "roles", entry: 2 });
    expect(preview.files[0].diff.text).toContain("-roles, changed");
    await writer.tell("undo", { w: "roles", entry: 2, preview: preview.preview });
    expect(await textAt(mine, "a.txt")).toBe("roles\n");
    const owner = await enterWith((await token({ role: "owner", principal: "own" })).token);
    const { items } = await owner.json("trash", { w: "roles" });
    await owner.tell("restore", { w: "roles", id: items[0].id });
    await owner.tell("review", { w: "roles", seqs: [1, 2] });
    const made = (await all(mine.log())).slice(5);
    expect(made.map(({ agent, tool, outcome }) => [agent, tool, outcome])).toEqual([
      ["wri", "page", "applied"],
      ["own", "page", "applied"],
      ["own", "page", "note"],
    ]);
    const { entries } = await reader.json("timeline", { w: "roles", unreviewed: "1" });
    expect(entries.map(({ seq }: { seq: number }) => seq)).toEqual([7, 6, 5, 4, 3]);
    expect((await writer.post("/page/api/preview", { w: "roles", entry: 5 })).status).toBe(403);
  });

  it("what the policy lets agents take back, but not read, is previewed without what is in it", async () => {
    const strict = await serve({}, [], { policy: { allowedActions: ["write", "undo"] } });
    const backend = await workspace("acme", "unread");
    const agent = new Workspace(backend).session({ agent: "codex" });
    await agent.create("unread.txt", "one\nsecret\n");
    await agent.write("unread.txt", "one\nsecret 2\n", waived);
    await agent.write("unread.txt", "one\nsecret 3\n", waived);
    const inside = await enterWith((await token()).token, strict);
    const told = [
      await inside.tell("preview", { w: "unread", entry: 3 }),
      await inside.tell("preview", { w: "unread", entry: 2, merge: true }),
      await inside.json("entry", { w: "unread", seq: 3 }),
    ];
    expect(JSON.stringify(told)).not.toContain("secret");
    expect(told[1]).toMatchObject({ kind: "merge_conflict", path: "unread.txt" });
  });

  it("what another tenant has is answered by every route like what is not there, to the letter", async () => {
    const mallory = { tenant: "mallory", principal: "m", role: "owner", workspaces: ["*"] } as const;
    await lived("mallory", "own", "mine");
    const few = { ...mallory, tenant: "acme", workspaces: ["w*"] } as const;
    const before = await all(theirs.log());
    for (const [grant, absent, names] of [
      [mallory, "absent", ["web", "lab", "umbrella/web", "../web", "web\u0000", "own' or '1'='1", "__proto__"]],
      [few, "wabsent", ["vault", "lab", "web2", "constructor", "*"]],
    ] as const) {
      const inside = await enterWith((await token(grant)).token);
      const places = encodeURIComponent(JSON.stringify({ web: 0 }));
      const fields = {
        ...{ seq: 1, path: "a.txt", sha: theirFile!.to!, from: "none", to: theirFile!.to!, agent: "codex" },
        ...{ after: places },
      };
      const asked = async (w: string): Promise<string> => {
        const told: unknown[] = [];
        for (const look of LOOKS) {
          const query = new URLSearchParams({ ...fields, w } as unknown as Record<string, string>);
          const answer = await inside.get(`/page/api/${look}?${query}`);
          told.push([look, answer.status, await answer.text()]);
        }
        told.push(await inside.json("state", { w }));
        const what = { w, entry: 1, id: "4:gone.txt", seqs: [1] };
        for (const act of ["preview", "undo", "restore", "review"]) {
          const answer = await inside.post(`/page/api/${act}`, what);
          told.push([act, answer.status, await answer.text()]);
        }
        return JSON.stringify(told).replaceAll(JSON.stringify(JSON.stringify(w)).slice(1, -1), "NAME");
      };
      const nothing = (await asked(absent)).replaceAll(JSON.stringify(JSON.stringify(absent)).slice(1, -1), "NAME");
      expect(nothing.match(/no workspace/g)).toHaveLength(LOOKS.length + 5);
      for (const name of names) {
        const told = await asked(name);
        expect(told).not.toMatch(/of umbrella|of the lab|of the vault/);
        expect(shape(told)).toEqual(shape(nothing));
      }
    }
    expect(await all(theirs.log())).toEqual(before);
  });

  it("contents of another workspace are not to be had by their sha, nor entries by their number", async () => {
    const inside = await enterWith((await token({ workspaces: ["web"] })).token);
    const sha = theirFile!.to!;
    for (const look of [`version?sha=${sha}`, `picture?sha=${sha}`, `compare?from=none&to=${sha}`])
      expect((await inside.get(`/page/api/${look}&w=web&path=a.txt`)).status).toBe(404);
    for (const path of ["../umbrella/web/a.txt", "/a.txt/../../x", "..%2fa.txt"])
      expect((await inside.get(`/page/api/file?w=web&path=${encodeURIComponent(path)}`)).status).not.toBe(500);
    expect((await inside.get("/page/api/entry?w=web&seq=999")).status).toBe(404);
  });

  it("a revoked or expired token ends its visits and streams within a second, and nothing opens them again", async () => {
    for (const how of ["revoked", "expired"]) {
      const { token: secret, id } = await token();
      const [here, there] = [await enterWith(secret), await enterWith(secret, other)];
      const [watching, elsewhere] = [await enterWith(secret), await enterWith(secret, other)];
      const streams = await Promise.all([watching, elsewhere].map((each) => each.get("/page/api/events?w=web")));
      const ended = streams.map(({ body }) =>
        body!.pipeTo(new WritableStream()).then(
          () => "ended",
          () => "cut",
        ),
      );
      if (how === "revoked") await fleet.revoke(id);
      else await pool.query(`update token set expires_at = clock_timestamp() where id = '${id}'`);
      for (const each of [here, there]) {
        for (const look of ["timeline?w=web", "events?w=web", "state"])
          expect((await each.get(`/page/api/${look}`)).status).toBe(401);
        expect((await each.post("/page/api/review", { w: "web", seqs: [1] })).status).toBe(401);
      }
      expect(await Promise.all(ended)).toEqual(["cut", "cut"]);
      await pool.query(`update token set revoked_at = null, expires_at = null where id = '${id}'`);
      expect((await here.get("/page/api/state")).status).toBe(401);
    }
    expect((await all(web.log())).some(({ outcome }) => outcome === "note")).toBe(false);
  });

  it("a request whose token is revoked while its body is on the way does nothing", async () => {
    const { token: secret, id } = await token({ principal: "slow" });
    const { cookie, key } = await enterWith(secret);
    const body = JSON.stringify({ w: "web", seqs: [1] });
    const socket = connect(one.port, "127.0.0.1");
    const head = [
      "POST /page/api/review HTTP/1.1",
      `Host: 127.0.0.1:${one.port}`,
      `Origin: ${urlOf(one)}`,
      `X-Stet-Page: ${key}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      `Cookie: ${cookie}`,
      "Connection: close",
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    // so that the head is there before it is revoked
    await fetch(`${urlOf(one)}/page/app.css`);
    await fleet.revoke(id);
    socket.write(body);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 401 /);
    expect((await all(web.log())).some(({ agent }) => agent === "slow")).toBe(false);
  });

  it("a cookie of one server is none of another; one that was left opens nothing, and its stream ends", async () => {
    const { token: secret } = await token();
    const here = await enterWith(secret);
    const renamed = here.cookie.replace(/^stet-page-\d+/, `stet-page-${other.port}`);
    expect((await browserAt(urlOf(other), renamed, here.key).get("/page/api/state")).status).toBe(401);
    const evil = { origin: "http://evil.example" };
    expect((await here.post("/page/leave", {}, evil)).status).toBe(403);
    expect((await here.post("/page/login", { secret }, evil)).status).toBe(403);
    expect((await here.post("/page/api/undo", { w: "web", entry: 1 }, evil)).status).toBe(403);
    const stream = await here.get("/page/api/events?w=web");
    const left = await here.post("/page/leave", {});
    expect([left.status, left.headers.get("set-cookie")]).toEqual([200, expect.stringContaining("Max-Age=0")]);
    await expect(stream.text()).rejects.toThrow();
    expect((await here.get("/page/api/state")).status).toBe(401);
  });

  it("changes made at another server are streamed, and the workspace stays open for it", async () => {
    const { token: secret } = await token({ role: "owner" });
    const inside = await enterWith(secret);
    const make = async () => {
      // longer than an unused workspace is kept open
      await new Promise((resolve) => setTimeout(resolve, 600));
      await fleet.call(other, secret, "Write", { workspace: "web", file_path: "new.txt", content: "x" });
    };
    const [ready, entry] = await events(inside, "/page/api/events?w=web", 2, make);
    expect(ready).toMatchObject({ event: "ready" });
    expect(entry).toMatchObject({ event: "entry", data: { fits: true, line: { w: "web", paths: ["new.txt"] } } });
  });

  it("a workspace is held open while it is looked at, and let go afterwards", async () => {
    const metricsToken = "m".repeat(32);
    const server = await serve({ idleMs: 100 }, [], { http: { metricsToken } });
    const open = async () => {
      const { text: told } = await send({ ...server, token: metricsToken }, { method: "GET", path: "/metrics" });
      return Number(/^stet_workspaces_open (\d+)$/m.exec(told)?.[1]);
    };
    const inside = await enterWith((await token()).token, server);
    const [looked] = await events(inside, "/page/api/events?w=web", 1, async () => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(await open()).toBe(1);
    });
    expect(looked!.event).toBe("ready");
    expect((await inside.get("/page/api/timeline?w=web")).status).toBe(200);
    await expect.poll(open, SOON).toBe(0);
  });

  it("its requests count among the calls of its token, and of no other", async () => {
    const slow = await serve({}, [], { http: { rateLimit: { callsPerSecond: 0.001, burst: 6 } } });
    const { token: secret } = await token({ principal: "busy" });
    const inside = await enterWith(secret, slow);
    const statuses: number[] = [];
    for (let n = 0; n < 7; n++) statuses.push((await inside.get("/page/api/state")).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
    expect((await fleet.call(slow, secret, "Read", { workspace: "web", file_path: "a.txt" })).status).toBe(429);
    const { token: quiet } = await token({ principal: "quiet" });
    expect((await (await enterWith(quiet, slow)).get("/page/api/state")).status).toBe(200);
  });

  it("when the database is away, visitors are told to try again, not that they are not let in", async () => {
    const { token: secret } = await token();
    const proxy = await startDatabaseProxy(fleet.database.port);
    const inside = await enterWith(secret, await serve({ url: fleet.through(proxy) }));
    proxy.down(true);
    proxy.cutAll();
    expect([
      (await inside.get("/page/api/state?w=web")).status,
      (await inside.post("/page/login", { secret })).status,
    ]).toEqual([503, 503]);
    proxy.down(false);
    await expect.poll(async () => (await inside.get("/page/api/state?w=web")).status, SOON).toBe(200);
    await proxy.close();
  });

  it("is not there with --no-page, and looks only with --read-only", async () => {
    const [without, looking] = [await serve({}, ["--no-page"]), await serve({}, ["--read-only"])];
    for (const path of ["/", "/page/app.js", "/page/login"])
      expect((await fetch(`${urlOf(without)}${path}`)).status).toBe(404);
    const inside = await enterWith((await token({ role: "owner" })).token, looking);
    expect((await inside.json("state", { w: "web" })).mayChange).toBe(false);
    expect((await inside.post("/page/api/review", { w: "web", seqs: [1] })).status).toBe(403);
  });

  it("a visitor who came from a link of the command line sees a workspace of the database, live", async () => {
    const config = join(fleet.home, "ui.json");
    writeFileSync(config, JSON.stringify({ database: { url: fleet.database.url } }));
    const ending = new AbortController();
    let ran: Promise<Ran> | undefined;
    const line = await new Promise<string>((resolve, reject) => {
      ran = stet(["ui", "acme/web", "--config", config, "--port", "0", "--json"], {
        cwd: fleet.home,
        signal: ending.signal,
        onOut: resolve,
      });
      ran.then(({ err }) => reject(new Error(err)), reject);
    });
    const { page, url } = JSON.parse(line);
    const inside = await enter({ url, secret: page.split("#secret=")[1] });
    const { workspaces, person } = await inside.json("state");
    expect([workspaces[0].root, person]).toEqual(["postgres:acme/web", userInfo().username]);
    const act = () => web.record({ session: "s", tool: "t", outcome: "refused", changes: [], error: "busy" });
    const [, entry] = await events(inside, "/page/api/events", 2, act);
    expect(entry).toMatchObject({ event: "entry", data: { line: { tool: "t", error: "busy" } } });
    ending.abort();
    expect((await ran!).code).toBe(0);
  });

  ofVisitors(fleet, one, web);
});

/** What is told, but for names: their length and their quoting differ. */
function shape(told: string): string {
  return told.replaceAll(/no workspace .*? for you here/g, "no workspace NAME for you here");
}
