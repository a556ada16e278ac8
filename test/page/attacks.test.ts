// The page under attack: forged journals, contents that look like something else, odd requests, and visitors who take too much.
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { serveOverHttp } from "stet/serve";
import { workspace as surface } from "stet/surfaces";
import { expect, it } from "vitest";
import { memoryWorkspace } from "../support/workspace.ts";
import { EVIL, forgedWorkspace } from "./forgeries.ts";
import { type Browser, browserAt, closing, enter, events, openPage, pageFolder } from "./support.ts";
import { useBrowser } from "./windows.ts";

const windowFor = useBrowser();

it("a forged journal is told as it is: no view fails of it, and none grows without bounds", async () => {
  const defects: Error[] = [];
  const inside = await enter(await openPage(await forgedWorkspace(), { onError: (error) => defects.push(error) }));
  const entries: { seq: number }[] = [];
  const asked: Record<string, string> = { outcome: "applied,refused,external,aborted,note" };
  do {
    // each page is what was found within a moment
    const page = await inside.json("timeline", asked);
    entries.push(...page.entries);
    asked.before = page.before;
  } while (asked.before !== undefined);
  expect(entries).toHaveLength(6);
  for (const { seq } of entries) {
    const answer = await inside.get(`/page/api/entry?w=work&seq=${seq}`);
    expect([seq, answer.status]).toEqual([seq, 200]);
    const { length } = await answer.text();
    expect(length).toBeLessThan(1_000_000);
  }
  for (const look of ["trash?", "net?agent=codex", "net?session=s1", `net?since=${encodeURIComponent("1970-01-01")}`])
    expect([look, (await inside.get(`/page/api/${look}&w=work`)).status]).toEqual([look, 200]);
  for (const path of ["a", "b", EVIL, "__proto__", "constructor"])
    expect((await inside.get(`/page/api/file?w=work&path=${encodeURIComponent(path)}`)).status).toBe(200);
  for (const what of [{ entry: 1 }, { entry: 4 }, { agent: EVIL }, { session: "__proto__" }])
    expect((await inside.post("/page/api/preview", { w: "work", ...what })).status).not.toBe(500);
  const [ready] = await events(inside, "/page/api/events?w=work&text=proto", 1, async () => {});
  expect(ready!.event).toBe("ready");
  const { length } = JSON.stringify(entries);
  expect(length).toBeLessThan(1_000_000);
  expect(defects).toEqual([]);
});

it("names of workspaces that objects have anyway are names like others", async () => {
  const names = ["constructor", "__proto__", "toString", "hasOwnProperty"];
  const workspaces = names.map((name) => [name, memoryWorkspace({})] as const);
  for (const [, workspace] of workspaces) {
    const agent = workspace.session({ agent: "codex" });
    for (const file of ["1", "2", "3"]) await agent.create(file, "x");
  }
  const served = Object.fromEntries(workspaces);
  const inside = await enter(await openPage(served));
  const seen: string[] = [];
  let before: string | undefined;
  let after = "";
  do {
    const page = await inside.json("timeline", { limit: 2, ...(before !== undefined && { before }) });
    seen.push(...page.entries.map(({ w, seq }: { w: string; seq: number }) => `${w} ${seq}`));
    before = page.before;
    after ||= page.after;
  } while (before !== undefined && seen.length < 50);
  expect(seen.sort()).toEqual(names.flatMap((name) => [1, 2, 3].map((seq) => `${name} ${seq}`)).sort());
  const act = async () => {
    for (const [, workspace] of workspaces) await workspace.session({ agent: "codex" }).create("4", "x");
  };
  const told = await events(inside, `/page/api/events?after=${encodeURIComponent(after)}`, 5, act);
  expect(told[0]!.event).toBe("ready");
  expect(new Set(told.slice(1).map(({ data }) => `${data.line.w} ${data.line.seq}`))).toEqual(
    new Set(names.map((name) => `${name} 4`)),
  );
  const resumed = await events(inside, "/page/api/events", 1, async () => {}, { "last-event-id": told.at(-1)!.id! });
  expect(resumed[0]!.event).toBe("ready");
});

it("bytes are a picture by what they are, and are sent so that nothing in them runs", async () => {
  const png = "89504e470d0a1a0a";
  const html = Buffer.from("<html><script>alert(1)</script>");
  const files: Readonly<Record<string, [Buffer, string | undefined]>> = {
    "a.svg": [Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>\0"), undefined],
    "b.png": [Buffer.concat([html, Buffer.alloc(2)]), undefined],
    "c.png": [Buffer.concat([Buffer.from(png, "hex"), html]), "image/png"],
    "d.gif": [Buffer.concat([Buffer.from("GIF89a/*"), html, Buffer.from("*/=1;alert(2)\0")]), "image/gif"],
    "e.webp": [Buffer.concat([Buffer.from("<script>WEBP"), html, Buffer.alloc(2)]), undefined],
    "f.webp": [Buffer.concat([Buffer.from("RIFF\0\0\0\0WEBP"), html]), "image/webp"],
    "g.png": [Buffer.from("%PDF-1.7\0"), undefined],
    "h.html": [Buffer.concat([Buffer.from("ffd8ff", "hex"), html]), "image/jpeg"],
  };
  const workspace = memoryWorkspace({});
  const agent = workspace.session({ agent: "codex" });
  for (const [file, [bytes]] of Object.entries(files)) await agent.create(file, bytes);
  const inside = await enter(await openPage(workspace));
  for (const [file, [, type]] of Object.entries(files)) {
    const { now } = await inside.json("file", { w: "work", path: file });
    const answer = await inside.get(`/page/api/picture?w=work&path=${file}&sha=${now.sha}`);
    const got = answer.status === 200 ? answer.headers.get("content-type") : undefined;
    expect([file, got]).toEqual([file, type]);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    if (type === undefined) continue;
    expect(answer.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    const opened = await inside.get(`/page/api/picture?w=work&path=${file}&sha=${now.sha}`, {
      "sec-fetch-site": "none",
    });
    expect(opened.status).toBe(403);
  }
});

it("odd paths, numbers, names and addresses are refused in words, none of them as a defect", async () => {
  const workspace = memoryWorkspace({ "a.txt": "a\n" });
  await workspace.session({ agent: "codex" }).write("a.txt", "b\n", { proof: { by: "waived" } });
  const defects: Error[] = [];
  const serving = await openPage(workspace, { onError: (error) => defects.push(error) });
  const inside = await enter(serving);
  const paths = [
    "../../etc/passwd",
    "/etc/passwd",
    "a.txt/../../x",
    "..\\..\\x",
    "\0",
    "a\0b",
    "__proto__",
    "x".repeat(8000),
  ];
  const numbers = ["-1", "1e9", "0x10", "99999999999999999999", "1.5", "NaN", "Infinity", "__proto__", "1;2"];
  const shas = ["__proto__", "..", "g".repeat(64), "A".repeat(64), `${"a".repeat(63)}/`, "../".repeat(21)];
  const asked: string[] = [
    ...paths.flatMap((path) =>
      [`file?path=`, `version?sha=${"a".repeat(64)}&path=`, `diff?seq=1&path=`, `net?agent=x&path=`].map(
        (look) => `${look}${encodeURIComponent(path)}`,
      ),
    ),
    ...numbers.flatMap((n) => [
      `entry?seq=${n}`,
      `entry?seq=1&skip=${n}`,
      `file?path=a.txt&before=${n}`,
      `timeline?limit=${n}`,
    ]),
    ...shas.flatMap((sha) => [`version?path=a.txt&sha=${sha}`, `compare?path=a.txt&from=${sha}&to=none`]),
    ...["[]", "{", '{"work":-1}', '{"work":"x"}', '{"__proto__":{"work":1}}', "null"].flatMap((place) => [
      `timeline?before=${encodeURIComponent(place)}`,
    ]),
    ...["then", "9".repeat(400), "+275761-01-01", "-1"].map((time) => `timeline?since=${encodeURIComponent(time)}`),
    ...["__proto__", "constructor", "../login", "", "entry/", "ENTRY", "%65ntry"].map((name) => `${name}?x=1`),
    "timeline?outcome=__proto__,constructor",
    "trash?w=__proto__",
    "file?path=%ED%A0%80%FF",
  ];
  for (const one of asked) {
    const answer = await inside.get(`/page/api/${one}${one.includes("&w=") || one.includes("?w=") ? "" : "&w=work"}`);
    expect([one, answer.status < 500 && answer.headers.get("content-type")]).toEqual([
      one,
      expect.stringContaining("json"),
    ]);
    expect(await answer.text()).not.toMatch(/root:|node:internal|\.ts:/);
  }
  const bodies = [
    { entry: "1e3" },
    { entry: { valueOf: 1 } },
    { entry: [1] },
    { id: "../../a" },
    { id: "__proto__" },
    { seqs: [-1] },
    { seqs: { length: 1 } },
    { seqs: Array.from({ length: 10_001 }, (_, n) => n + 1) },
    { entry: 1, hunk: 1, path: ["a.txt"] },
    { entry: 1, merge: true, path: 5 },
    { session: {} },
    { since: "then" },
  ];
  for (const body of bodies)
    for (const act of ["preview", "undo", "restore", "review"]) {
      const given = "entry" in body || act !== "undo" ? body : { ...body, preview: "x" };
      expect((await inside.post(`/page/api/${act}`, { w: "work", ...given })).status).toBeGreaterThanOrEqual(400);
    }
  for (const raw of ["[]", "null", "1", "{", "[".repeat(200_000), '{"__proto__":{"w":"work","entry":1}}']) {
    const headers = {
      cookie: inside.cookie,
      origin: serving.url,
      "x-stet-page": inside.key,
      "content-type": "application/json",
    };
    const answer = await fetch(`${serving.url}/page/api/preview`, { method: "POST", headers, body: raw });
    expect(answer.status).toBe(400);
  }
  const long = await inside.get(`/page/api/timeline?text=${"x".repeat(8193)}`);
  expect(long.status).toBe(400);
  const longest = await inside.get(`/page/api/timeline?text=${"x".repeat(20_000)}`);
  expect(longest.status).toBe(431);
  const large = await inside.post("/page/api/review", { w: "work", seqs: ["x".repeat(300_000)] });
  expect(large.status).toBe(413);
  expect((await inside.json("timeline", { outcome: "applied,note" })).entries).toHaveLength(1);
  expect(defects).toEqual([]);
});

it("so many streams of one visitor are open at once; the next one is told so, and the others go on", async () => {
  const workspace = memoryWorkspace({});
  const page = await openPage(workspace);
  const inside = await enter(page);
  const open = await Promise.all(Array.from({ length: 32 }, () => streamOf(inside, page.port)));
  const [crowded] = await events(inside, "/page/api/events?w=work", 1, async () => {});
  expect(crowded).toMatchObject({ event: "crowded", data: { message: expect.stringContaining("Too many pages") } });
  expect(await (await inside.get("/page/api/verify?w=work")).text()).toContain("Too many pages");
  expect((await inside.get("/page/api/state")).status).toBe(200);
  await workspace.session({ agent: "codex" }).create("a.txt", "x");
  await open[0]!.told("a.txt");
  for (const { end } of open) end();
  await expect
    .poll(async () => (await events(inside, "/page/api/events?w=work", 1, async () => {}))[0]!.event)
    .toBe("ready");
});

it("a page for which there is no stream left says so, and goes on without", async (context) => {
  const workspace = memoryWorkspace({});
  await workspace.session({ agent: "codex" }).create("a.txt", "x");
  const page = await openPage(workspace);
  const window = await windowFor(context, page.link);
  await window.waitForSelector(".live.live");
  const [{ name, value } = { name: "", value: "" }] = await window.context().cookies(`${page.url}/page/api/`);
  const key = await window.evaluate(() => localStorage.getItem("stet-page")!);
  const inside = browserAt(page.url, `${name}=${value}`, key);
  const open = await Promise.all(Array.from({ length: 31 }, () => streamOf(inside, page.port)));
  const second = await window.context().newPage();
  await second.goto(page.url);
  await second.waitForSelector(".live.crowded");
  await second.waitForSelector(".entry");
  expect(await second.textContent(".said")).toContain("Too many pages");
  for (const { end } of open) end();
});

it("whole journals are checked two at a time for each visitor", async () => {
  const workspace = memoryWorkspace({});
  await workspace.session({ agent: "codex" }).create("a.txt", "x");
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { verify } = workspace.backend;
  const backend = { ...workspace.backend, verify: (how?: object) => held.then(() => verify(how)) };
  const inside = await enter(await openPage(Object.assign(Object.create(workspace), { backend })));
  const [one, other] = await Promise.all([1, 2].map(() => inside.get("/page/api/verify?w=work")));
  expect(await (await inside.get("/page/api/verify?w=work")).text()).toContain("already being checked");
  release();
  for (const each of [one!, other!]) expect(await each.text()).toContain('"ok":true');
  expect(await (await inside.get("/page/api/verify?w=work")).text()).toContain('"ok":true');
});

it("answers that a visitor with a token does not read hold up their further ones, and nothing of others", async () => {
  const workspace = memoryWorkspace({});
  await workspace.session({ agent: "codex" }).create("big.png", Buffer.concat([PNG, Buffer.alloc(9 * 2 ** 20)]));
  const tokens = ["ada", "bob"].map((name) => ({ name, token: `${name}-0123456789abcdef` }));
  const serving = closing(
    await serveOverHttp(
      { surface, served: [{ name: "work", workspace }], version: "0.0.0" },
      { tokens, limits: { answersBytes: 2 ** 20 }, page: { person: "owner", assets: await pageFolder() } },
    ),
  );
  const url = new URL(serving.url).origin;
  const [ada, bob] = await Promise.all(tokens.map(({ token }) => enter({ url, secret: token })));
  const { now } = await ada!.json("file", { w: "work", path: "big.png" });
  const slow = connect(serving.port, "127.0.0.1");
  const path = `/page/api/picture?w=work&path=big.png&sha=${now.sha}`;
  slow.write(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${serving.port}\r\nCookie: ${ada!.cookie}\r\nx-stet-page: ${ada!.key}\r\n\r\n`,
  );
  await once(slow, "readable");
  const next = ada!.get("/page/api/state").then(({ status }) => status);
  expect(await Promise.race([next, sleep(500).then(() => "waits")])).toBe("waits");
  expect((await bob!.get("/page/api/state")).status).toBe(200);
  slow.destroy();
  expect(await next).toBe(200);
});

const PNG = Buffer.from("89504e470d0a1a0a", "hex");

/** By a connection of its own: fetch keeps few of them. */
async function streamOf({ cookie, key }: Browser, port: number) {
  const asked = request({
    port,
    host: "127.0.0.1",
    path: "/page/api/events?w=work",
    headers: { cookie, "x-stet-page": key },
    agent: false,
  });
  asked.end();
  const [response] = await once(asked, "response");
  response.setEncoding("utf8");
  let all = "";
  response.on("data", (chunk: string) => {
    all += chunk;
  });
  const told = (what: string) => expect.poll(() => all).toContain(what);
  await told("event: ready");
  return { told, end: () => asked.destroy() };
}

it("a request that is never finished, or is none, opens nothing", async () => {
  const page = await openPage(memoryWorkspace({}));
  for (const line of [
    "GET http://evil.example/page/api/state HTTP/1.1",
    "GET //evil.example/page/api/state HTTP/1.1",
  ]) {
    const socket = connect(page.port, "127.0.0.1");
    socket.write(`${line}\r\nHost: 127.0.0.1:${page.port}\r\nConnection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 40[14] /);
  }
});
