// An adoption that dies, or fails, at every call: the next one finds all of it, and nothing is lost.
import fs, { chmodSync, closeSync, cpSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { type AdoptOptions, adoptState } from "../../src/backends/disk/trust/adopt.ts";
import { Refusal } from "../../src/core/failure.ts";
import { writeFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { refuses } from "../../src/testing/assertions.ts";
import { type Fault, withFault } from "../support/faults.ts";
import { HEAVY } from "../support/processes.ts";
import { tempDir } from "../support/temp.ts";
import { directoryWith } from "../support/workspace.ts";

const ALL = { entries: 3, versions: 4 };
let original: string;

beforeAll(async () => {
  original = directoryWith({ "a.txt": "one\n" });
  const workspace = new Workspace(disk({ root: original, registerDir: tempDir(), durability: "fast" }));
  const session = workspace.session({ id: "there" });
  await session.read("a.txt");
  for (const text of ["two\n", "three\n", "four\n"]) await writeFile(session, "a.txt", text);
  await workspace.close();
});

/** As a download, with something from an earlier adoption. */
function copied(): { root: string; registerDir: string; state: string } {
  const root = join(tempDir(), "copy");
  cpSync(original, root, { recursive: true });
  cpSync(join(original, ".stet/format"), join(root, ".stet/aside/earlier/format"));
  const state = join(root, ".stet");
  chmodSync(state, 0o700);
  return { root, registerDir: tempDir(), state };
}

const namesIn = (dir: string): string[] => readdirSync(dir, { recursive: true, encoding: "utf8" });

function contentsIn(dir: string): Set<string> {
  const paths = namesIn(dir).map((name) => join(dir, name));
  return new Set(paths.filter((path) => lstatSync(path).isFile()).map((path) => readFileSync(path, "latin1")));
}

const opened = ({ root, registerDir }: { root: string; registerDir: string }): Workspace =>
  new Workspace(disk({ root, registerDir, durability: "fast" }));

async function isWhole(at: { root: string; registerDir: string }, entries: number): Promise<void> {
  const workspace = opened(at);
  expect(await workspace.verify()).toMatchObject({ ok: true, entries });
  await workspace.close();
}

/** Or it was done, and failed only when it closed what it had opened. */
async function adoptedNow(at: AdoptOptions, how: Partial<AdoptOptions>, wanted: typeof ALL): Promise<void> {
  const done = await adoptState({ ...at, ...how }).catch((error) => error);
  if (done instanceof Refusal) expect(done.message).toContain("in use already");
  else expect(done).toMatchObject(wanted);
}

const isHalfMoved = (state: string): boolean => readdirSync(state).some((name) => name.startsWith("moving-"));

/** Again and again, each time with a fault, and at last without one. Whether it was ever left half-way, and hit at all. */
async function adoptedAtLast(faults: readonly Fault[], how: Partial<AdoptOptions> = {}) {
  const at = copied();
  const before = contentsIn(at.state);
  const what = JSON.stringify(faults);
  let halfWay = false;
  let hits = 0;
  let done = false;
  for (const fault of faults) {
    const { hit, result } = await withFault(fault, () => adoptState({ ...at, ...how }));
    if (hit !== undefined) hits++;
    done = result.status === "fulfilled";
    if (done) break;
    if (isHalfMoved(at.state)) {
      halfWay = true;
      await refuses("unsupported", () => adoptState({ ...at, dryRun: true }));
      const workspace = opened(at);
      const refused = await workspace.backend.unused?.();
      expect(refused?.failure.message, what).toMatch(/holds an adoption that was not finished|was not made here/);
      await workspace.close();
    }
  }
  const wanted = how.afresh ? { entries: 0, versions: 0 } : ALL;
  if (!done) await adoptedNow(at, how, wanted);
  const after = contentsIn(at.state);
  expect(
    [...before].filter((text) => !after.has(text)),
    what,
  ).toEqual([]);
  expect(
    readdirSync(at.state).filter((name) => name.startsWith("moving-")),
    what,
  ).toEqual([]);
  await isWhole(at, wanted.entries);
  clearAway(at);
  return { halfWay, hits };
}

/** What a process that dies has open the system closes; heavy runs make many thousands of copies. */
function clearAway({ root, registerDir }: { root: string; registerDir: string }): void {
  const places = [dirname(root), registerDir];
  for (const fd of process.platform === "linux" ? readdirSync("/proc/self/fd") : []) {
    try {
      const open = readlinkSync(`/proc/self/fd/${fd}`);
      if (places.some((place) => open === place || open.startsWith(`${place}/`))) closeSync(Number(fd));
    } catch {
      // the one by which they were listed
    }
  }
  for (const place of places) rmSync(place, { recursive: true, force: true });
}

const dying = (failAt: number): Fault => ({ code: "EIO", lasting: true, failAt });

/** The first call at which something has been moved; before that everything is only looked at. */
async function firstHalfWay(): Promise<number> {
  for (let failAt = 1; ; failAt += STRIDE) {
    if (!(await adoptedAtLast([dying(failAt)])).halfWay) continue;
    for (let first = failAt - STRIDE + 1; ; first++) if ((await adoptedAtLast([dying(first)])).halfWay) return first;
  }
}

const STRIDE = 12;

describe("an adoption", () => {
  it("that dies anywhere is found and taken back by the next one, which then takes everything over", async () => {
    const left: number[] = [];
    for (let failAt = await firstHalfWay(); ; failAt += HEAVY ? 1 : 3) {
      if (!(await adoptedAtLast([dying(failAt)])).halfWay) break;
      left.push(failAt);
    }
    expect(left.length).toBeGreaterThan(HEAVY ? 15 : 5);
    // And dies once more, while everything is put back.
    let again = 0;
    for (const failAt of HEAVY ? left : [left[2]!]) {
      for (let next = 60; ; next += HEAVY ? 1 : 19) {
        if ((await adoptedAtLast([dying(failAt), dying(next)])).hits < 2) break;
        again++;
      }
    }
    expect(again).toBeGreaterThan(HEAVY ? 100 : 2);
  });

  it("that fails anywhere leaves everything where it was, or is done", async () => {
    for (let failAt = 1; ; failAt += HEAVY ? 1 : 23) {
      const at = copied();
      const before = namesIn(at.state);
      const { hit, result } = await withFault({ code: "ENOSPC", failAt }, () => adoptState(at));
      if (hit === undefined) break;
      if (result.status === "fulfilled") await isWhole(at, 3);
      else {
        const after = namesIn(at.state);
        const isDone = after.some((name) => /^aside\/state-/.test(name));
        if (!isDone)
          expect(
            before.filter((name) => !after.includes(name)),
            hit,
          ).toEqual([]);
        await adoptedNow(at, {}, ALL);
        await isWhole(at, 3);
      }
      clearAway(at);
    }
  });

  it("is on the disk before the state gets its id", async () => {
    const at = copied();
    const { ino } = lstatSync(at.state);
    const { renameSync, linkSync, fsyncSync } = fs;
    const done: string[] = [];
    const spies = [
      vi.spyOn(fs, "renameSync").mockImplementation((from, to) => {
        renameSync(from, to);
        if (/\/aside\/state-[^/]+$/.test(String(to))) done.push("aside");
      }),
      vi.spyOn(fs, "linkSync").mockImplementation((from, to) => {
        linkSync(from, to);
        if (String(to).endsWith("/id")) done.push("id");
      }),
      vi.spyOn(fs, "fsyncSync").mockImplementation((fd) => {
        fsyncSync(fd);
        if (fs.fstatSync(fd).ino === ino) done.push("flushed");
      }),
    ];
    syncBuiltinESMExports();
    await adoptState(at);
    for (const spy of spies) spy.mockRestore();
    syncBuiltinESMExports();
    expect(done).toEqual(["aside", "flushed", "id", "flushed"]);
  });

  it("that once cannot read a version ends there, rather than leave it behind", async () => {
    const at = copied();
    const [sha] = readdirSync(join(at.state, "objects"));
    const open = fs.openSync;
    const opening = vi.spyOn(fs, "openSync").mockImplementation((path, ...how) => {
      const fault = { code: "EIO", errno: -5, syscall: "open" };
      if (String(path).endsWith(sha!)) throw Object.assign(new Error("EIO: injected"), fault);
      return open(path, ...how);
    });
    const failed = adoptState(at).finally(() => opening.mockRestore());
    await expect(failed).rejects.toMatchObject({ kind: "io_error" });
    expect(await adoptState(at)).toMatchObject(ALL);
  });

  it("that starts anew and dies anywhere can be repeated", async () => {
    for (let failAt = 1; ; failAt += HEAVY ? 1 : 37) {
      const { hits } = await adoptedAtLast([dying(failAt)], { afresh: true });
      if (hits === 0) break;
    }
  });
});
