// Commits of several sessions that wait at the same time go together, and each is answered for itself.
import fs, { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { type Backend, type Committed, Refusal, Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { describe, expect, it, vi } from "vitest";
import { AUTHOR, all, change, inEffect, textAt, version, write } from "../support/assertions.ts";
import { HEAVY } from "../support/processes.ts";
import { tempDir } from "../support/temp.ts";

/** One more holds the lock when they come, so that they meet in line. */
async function together(backend: Backend, commits: readonly (() => Promise<Committed>)[]) {
  let results: Promise<PromiseSettledResult<Committed>[]> | undefined;
  const begin = (): void => {
    results = Promise.allSettled(commits.map((commit) => commit()));
  };
  await backend.commit([change("first", null, version("first"))], AUTHOR, undefined, { begin });
  return results!;
}

function setUp(options: { segmentBytes?: number; durability?: "full" | "fast" } = {}) {
  const root = tempDir();
  const backend = disk({ root, durability: "full", ...options });
  return { root, backend };
}

const create =
  (backend: Backend, path: string, text = path, session = path) =>
  () =>
    backend.commit([change(path, null, version(text), true)], { ...AUTHOR, session });

async function whole(backend: Backend): Promise<void> {
  expect((await backend.verify()).problems).toEqual([]);
}

/** What is flushed while `work` runs. */
async function flushes(work: () => Promise<unknown>, fails: () => boolean): Promise<number[]> {
  const { fdatasync, fdatasyncSync } = fs;
  const flushed: number[] = [];
  const target = fs as unknown as Record<string, unknown>;
  const failure = Object.assign(new Error("EIO: injected"), { code: "EIO", errno: -5 });
  const isFailing = (fd: number): boolean => flushed.push(fd) > 0 && fails();
  target.fdatasync = (fd: number, done: (error: Error | null) => void) =>
    isFailing(fd) ? setImmediate(() => done(failure)) : fdatasync(fd, done);
  target.fdatasyncSync = (fd: number) => {
    if (isFailing(fd)) throw failure;
    fdatasyncSync(fd);
  };
  syncBuiltinESMExports();
  // what is kept when things are quiet would be flushed, too, on a machine where it takes long
  const { setTimeout } = globalThis;
  const later = vi.spyOn(globalThis, "setTimeout");
  later.mockImplementation(((run: () => void, ms = 0) => setTimeout(run, 100 * ms)) as typeof setTimeout);
  try {
    await work();
  } finally {
    later.mockRestore();
    Object.assign(target, { fdatasync, fdatasyncSync });
    syncBuiltinESMExports();
  }
  return flushed;
}

describe("commits that wait at the same time", () => {
  it("flush less than alone, and their entries are in the order in which they came", async () => {
    const { backend } = setUp();
    await write(backend, "warm", "up");
    // What is kept of that one later is not to be counted.
    await all(backend.kept());
    const names = Array.from({ length: 10 }, (_, n) => `dir${n}/f`);
    let results: PromiseSettledResult<Committed>[] = [];
    const flushed = await flushes(
      async () => {
        results = await together(
          backend,
          names.map((name) => create(backend, name)),
        );
      },
      () => false,
    );
    expect(results.map(({ status }) => status)).toEqual(names.map(() => "fulfilled"));
    // alone each of the eleven would flush its file and the journal; a busy machine may bring what is kept later into it
    if (HEAVY) expect(flushed.length).toBeLessThan(2 * 11 - 3);
    for (const name of names) expect(await textAt(backend, name)).toBe(name);
    const sessions = (await all(backend.log({ newestFirst: false }))).map(({ session }) => session);
    expect(sessions.slice(-10)).toEqual(names);
    await whole(backend);
  });

  it("one that compares with another version is refused alone, and leaves no trace", async () => {
    const { root, backend } = setUp();
    await write(backend, "b", "old");
    const stale = () => backend.commit([change("new/b2", version("never").sha, version("x"), true)], AUTHOR);
    const [a, b, c] = await together(backend, [create(backend, "a"), stale, create(backend, "c")]);
    expect([a!.status, b!.status, c!.status]).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect((b as PromiseRejectedResult).reason).toMatchObject({ kind: "stale_file" });
    expect(readdirSync(root).sort()).toEqual([".stet", "a", "b", "c", "first"]);
    expect((await all(backend.log())).map(({ outcome }) => outcome)).toEqual([
      "applied",
      "applied",
      "applied",
      "applied",
    ]);
    await whole(backend);
  });

  it("one that loses the race to somebody else is taken back, and the journal says so behind the others", async () => {
    const { root, backend } = setUp();
    const old = await write(backend, "a", "old");
    let results: PromiseSettledResult<Committed>[] = [];
    await flushes(
      async () => {
        const replace = () => backend.commit([change("a", old.sha, version("new"))], AUTHOR);
        results = await together(backend, [replace, create(backend, "b")]);
      },
      () => {
        // Somebody replaces the file when it has been compared and nothing of these is in place yet.
        if (existsSync(join(root, "first")) && readFileSync(join(root, "a"), "utf8") === "old") {
          writeFileSync(join(root, "theirs"), "theirs");
          renameSync(join(root, "theirs"), join(root, "a"));
        }
        return false;
      },
    );
    const [a, b] = results;
    expect([a!.status, b!.status]).toEqual(["rejected", "fulfilled"]);
    expect((a as PromiseRejectedResult).reason).toMatchObject({ kind: "stale_file" });
    expect(readFileSync(join(root, "a"), "utf8")).toBe("theirs");
    expect(await textAt(backend, "b")).toBe("b");
    const entries = await all(backend.log({ newestFirst: false }));
    const aborted = entries.find(({ outcome }) => outcome === "aborted");
    expect(entries.find(({ seq }) => seq === aborted?.of?.[0])?.changes[0]?.path).toBe("a");
    expect((await backend.head("a" as never))?.sha).not.toBe(version("new").sha);
    await whole(backend);
  });

  it("are refused together when the disk does not flush, and nothing of them stays", async () => {
    const { root, backend } = setUp();
    await write(backend, "warm", "up");
    let results: PromiseSettledResult<Committed>[] = [];
    await flushes(
      async () => {
        results = await together(backend, [create(backend, "a"), create(backend, "b"), create(backend, "c/d")]);
      },
      () => existsSync(join(root, "first")),
    );
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(readdirSync(root).sort()).toEqual([".stet", "first", "warm"]);
    expect(inEffect(await all(backend.log()))).toHaveLength(2);
    await create(backend, "after")();
    await whole(backend);
  });

  it("one that was cancelled in line changes nothing; one whose turn has come goes on", async () => {
    const { backend } = setUp();
    const cancelled = new AbortController();
    const late = new AbortController();
    const results = together(backend, [
      () => backend.commit([change("a", null, version("a"))], AUTHOR, undefined, { signal: cancelled.signal }),
      () =>
        backend.commit([change("b", null, version("b"))], AUTHOR, undefined, {
          signal: late.signal,
          begin: () => late.abort(),
        }),
      () =>
        backend.commit([change("c", null, version("c"))], AUTHOR, undefined, {
          begin: () => {
            throw new Refusal("timeout", "too late");
          },
        }),
      create(backend, "d"),
    ]);
    cancelled.abort();
    const [a, b, c, d] = await results;
    expect([a!.status, b!.status, c!.status, d!.status]).toEqual(["rejected", "fulfilled", "rejected", "fulfilled"]);
    expect((a as PromiseRejectedResult).reason).toMatchObject({ kind: "cancelled" });
    expect((c as PromiseRejectedResult).reason).toMatchObject({ kind: "timeout" });
    expect(await Promise.all(["a", "b", "c", "d"].map((path) => backend.read(path as never)))).toEqual([
      null,
      expect.anything(),
      null,
      expect.anything(),
    ]);
    await whole(backend);
  });

  it("that touch the same path, or one below another, take turns", async () => {
    const { backend } = setUp();
    const [a, below, again] = await together(backend, [
      create(backend, "a"),
      create(backend, "a/below"),
      create(backend, "a"),
    ]);
    expect([a!.status, below!.status, again!.status]).toEqual(["fulfilled", "rejected", "rejected"]);
    await whole(backend);
  });

  it("that do not fit into one file of the journal go on in the next", async () => {
    const { backend } = setUp({ segmentBytes: 1500 });
    const names = Array.from({ length: 12 }, (_, n) => `f${n}`);
    const results = await together(
      backend,
      names.map((name) => create(backend, name)),
    );
    expect(results.map(({ status }) => status)).toEqual(names.map(() => "fulfilled"));
    expect((await all(backend.log())).length).toBe(13);
    await whole(backend);
  });

  it("32 sessions on one file lose nothing, as one after the other", async () => {
    const { root, backend } = setUp({ durability: "fast" });
    const workspace = new Workspace(backend);
    await write(backend, "count", "0");
    const sessions = Array.from({ length: 32 }, () => workspace.session());
    await Promise.all(
      sessions.map((session) =>
        session.change([{ path: "count", proof: { by: "waived" }, action: "write" }], ([now]) => [
          { body: `${Number(now!.text.body) + 1}` },
        ]),
      ),
    );
    expect(readFileSync(join(root, "count"), "utf8")).toBe("32");
    await whole(backend);
  });
});
