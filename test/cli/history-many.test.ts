// Long work on the history from the command line: told while it runs, stopped by Ctrl-C, and more than agents may do at once.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { path } from "../support/assertions.ts";
import { type Desk, deskWith, rewrite } from "./history-support.ts";

const NAMES = ["a.txt", "b.txt", "c.txt", "d.txt"];

async function made(desk: Desk): Promise<Desk> {
  await desk.as("anna", async (session) => {
    for (const name of NAMES) await session.create(name, `${name}\n`);
  });
  return desk;
}

async function deleted(desk: Desk): Promise<Desk> {
  await desk.as("anna", async (session) => {
    for (const name of NAMES) {
      const { sha } = await session.read(name);
      await session.delete(name, { expectedSha256: sha });
    }
  });
  return desk;
}

const aborted = (): AbortSignal => AbortSignal.abort();

describe("stet trash purge of many", () => {
  it("is one entry that names them all", async () => {
    const desk = await deleted(await made(deskWith({})));
    expect((await desk.run(["trash", "purge", "--all", "--yes", "--json"])).json()).toEqual({
      purged: 4,
      bytes: 24,
      stopped: false,
    });
    const [newest] = (await desk.run(["log", "--json"])).out.split("\n").map((line) => JSON.parse(line || "null"));
    expect(newest).toMatchObject({
      seq: 9,
      outcome: "note",
      tool: "stet trash purge",
      of: [8, 7, 6, 5],
      details: { purged: ["8", "7", "6", "5"] },
    });
    expect((await desk.run(["log", "-n", "1"])).out).toContain("Purged 4 deleted files.");
  });

  it("stopped by Ctrl-C it has done nothing, and says so", async () => {
    const desk = await deleted(await made(deskWith({})));
    const purge = ["trash", "purge", "--all", "--yes"];
    expect(await desk.run(purge, { signal: aborted() })).toMatchObject({
      code: 1,
      out: "Stopped before anything was purged.\n",
    });
    expect((await desk.run([...purge, "--json"], { signal: aborted() })).json()).toEqual({
      purged: 0,
      bytes: 0,
      stopped: true,
    });
    expect(await desk.run(["trash", "purge", "5", "--yes"], { signal: aborted() })).toMatchObject({ code: 1 });
    expect(await desk.run(["trash", "purge", "--all"], { signal: aborted() })).toMatchObject({
      code: 1,
      out: "Stopped before anything was purged.\n",
    });
    expect(await desk.run(["trash", "restore", "5"])).toMatchObject({ code: 0 });
  });

  it("says when bytes stay because something else needs them", async () => {
    const desk = await deleted(await made(deskWith({})));
    await desk.as("ben", (session) => session.create("living.txt", "a.txt\n"));
    expect(await desk.run(["trash", "purge", "--all", "--yes"])).toMatchObject({
      code: 0,
      out: "Purged 4 deleted files, 18 B freed.\n",
      err: expect.stringMatching(/^The bytes of 1 deleted file stay/),
    });
  });
});

describe("stet undo of many", () => {
  it("is not bound by the limit for agents", async () => {
    const desk = await made(deskWith({ "stet.config.json": '{"limits":{"maxFilesPerChange":2}}' }));
    expect(
      await desk.run(["undo", "--session", "session-of-anna", "--yes", "--config", "stet.config.json"]),
    ).toMatchObject({
      code: 0,
    });
    expect(NAMES.filter((name) => existsSync(join(desk.root, name)))).toEqual([]);
  });

  it("beyond its own limit names the part that can be taken back", async () => {
    const desk = deskWith({});
    const touching = (count: number, from: number) =>
      Array.from({ length: count }, (_, n) => ({ path: path(`f${from + n}`), from: null, to: null }));
    const newest = await desk.as("anna", async (session, { backend }) => {
      const author = session.author({ tool: "create_file" });
      await backend.record({ ...author, outcome: "applied", changes: touching(10_001, 0) });
      const { at } = await backend.record({ ...author, outcome: "note", changes: [] });
      while (new Date().toISOString() === at) await new Promise(setImmediate);
      return backend.record({ ...author, outcome: "applied", changes: touching(1, 20_000) });
    });
    expect(await desk.run(["undo", "--session", "session-of-anna", "--yes"])).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        `10002 files at once; the limit is 10000.\nTake back the newest part first: add --since ${newest.at};`,
      ),
    });
    expect((await desk.run(["undo", "--since", "1d"])).err).toContain(`part first: change --since to ${newest.at};`);
    expect(await desk.run(["undo", "--session", "session-of-anna", "--since", newest.at])).toMatchObject({ code: 0 });
    expect(await desk.run(["undo", "1"])).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        "Raise limits.maxFilesPerChange in a configuration file that you name with --config.",
      ),
    });
  });

  it("of more content than fits in memory at once names the part that can be taken back", async () => {
    const desk = deskWith({ "a.bin": "a", "b.bin": "b" });
    const MiB = 2 ** 20;
    const large = await desk.as("anna", async (session, { backend }) => {
      const author = session.author({ tool: "create_file" });
      const noted = async (name: string, toSize: number) => {
        const changes = [{ path: path(name), from: null, to: (await session.read(name)).sha, toSize }];
        return backend.record({ ...author, outcome: "applied", changes });
      };
      const first = await noted("a.bin", 300 * MiB);
      while (new Date().toISOString() === first.at) await new Promise(setImmediate);
      return [first, await noted("b.bin", 200 * MiB)] as const;
    });
    const all = ["undo", "--session", "session-of-anna", "--yes"];
    expect(await desk.run(all)).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        `take back 500 MiB of content at once, in 2 files; the limit is 256 MiB.\nTake back the newest part first: add --since ${large[1].at};`,
      ),
    });
    expect(await desk.run([...all, "--since", large[1].at])).toMatchObject({ code: 0 });
    expect(await desk.run(all)).toMatchObject({ code: 0 });
    expect(["a.bin", "b.bin"].filter((name) => existsSync(join(desk.root, name)))).toEqual([]);
  });

  it("of more than fits, all of one moment, names the entry to begin with", async () => {
    const desk = deskWith({});
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      await desk.as("anna", async (session, { backend }) => {
        for (const name of ["a", "b"]) {
          const changes = [{ path: path(name), from: null, to: null, fromSize: 2 ** 28 }];
          await backend.record({ ...session.author({ tool: "delete_file" }), outcome: "applied", changes });
        }
      });
    } finally {
      vi.useRealTimers();
    }
    const { err } = await desk.run(["undo", "--session", "session-of-anna", "--yes"]);
    expect(err).toContain("Take back the newest entry first, with stet undo 2; then repeat this.");
    expect(await desk.run(["undo", "2"])).toMatchObject({ code: 0 });
  });

  it("of a version that was dropped says what is left to do", async () => {
    const desk = deskWith({ "a.txt": "0\n" });
    await desk.as("anna", async (session) => {
      for (let n = 1; n <= 3; n++) await rewrite(session, "a.txt", `${n}\n`);
    });
    await desk.run(["gc", "--keep", "1", "--even-recent", "--yes"]);
    expect(await desk.run(["undo", "--session", "session-of-anna", "--yes"])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/entry 3 needs is no longer kept\.\nstet show 3 tells what it changed/),
    });
  });
});

describe("progress", () => {
  it.each([
    ["trash", "list"],
    ["trash", "purge", "--older-than", "1d", "--yes"],
    ["trash", "purge", "--older-than", "1d"],
    ["trash", "purge", "--all", "--yes"],
    ["gc", "--keep", "1", "--even-recent", "--yes"],
    ["verify"],
    ["undo", "--session", "session-of-anna", "--dry-run"],
  ])("of stet %s %s is shown, and taken away before the end", async (...args) => {
    const desk = await deleted(await made(deskWith({})));
    const seen: string[] = [];
    expect((await desk.run(args, { onProgress: (text) => seen.push(text) })).code).toBe(0);
    expect(seen[0]).toMatch(/\d/);
    expect(seen.at(-1)).toBe("");
  });

  it("stet gc stopped by Ctrl-C has dropped nothing", async () => {
    const desk = await deleted(await made(deskWith({})));
    const gc = ["gc", "--older-than", "0s", "--even-recent", "--yes"];
    expect(await desk.run(gc, { signal: aborted() })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/cancelled/),
    });
    expect(await desk.run(gc)).toMatchObject({ code: 0, out: expect.stringMatching(/^Dropped 4 of 4/) });
  });
});
