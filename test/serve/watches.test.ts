// Watches: bounded, shared by those who watch the same, told once, and gone when nobody holds them.
import { mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { openWorkspace, Refusal } from "../../src/index.ts";
import { watchAll } from "../../src/serve/resources/listened.ts";
import { createWatches, type Watches, type WatchLimits } from "../../src/serve/resources/watches.ts";
import type { Served, ServeOptions } from "../../src/serve/served/served.ts";
import { surfaceNamed } from "../../src/surfaces/index.ts";
import { directoryWith, memoryWorkspace } from "../support/workspace.ts";

const open: Watches[] = [];

afterEach(() => {
  for (const watches of open.splice(0)) watches.close();
});

it("tells each listener once for a change, however many hold the watch", async () => {
  const { watches, heard, write } = watching();
  const ends = await Promise.all([1, 2, 3].map(() => watches.watch("stet:///a.txt", sessionIn)));
  write("a.txt", "two");
  await until(() => heard.length > 0);
  ends[0]!();
  ends[0]!();
  write("a.txt", "three");
  await until(() => heard.length > 1);
  expect(heard).toEqual(["stet:///a.txt", "stet:///a.txt"]);
  ends[1]!();
  ends[2]!();
  write("a.txt", "four");
  const end = await watches.watch("stet:///b.txt", sessionIn);
  write("b.txt", "x");
  await until(() => heard.includes("stet:///b.txt"));
  end();
  expect(heard).toHaveLength(3);
});

it("watches no more than its limit, and the same file again all the same", async () => {
  const { watches, heard, write } = watching({ most: 2 });
  const end = await watches.watch("stet:///a.txt", sessionIn);
  await watches.watch("stet:///b.txt", sessionIn);
  await watches.watch("stet:///b.txt", sessionIn);
  await expect(watches.watch("stet:///c.txt", sessionIn)).rejects.toThrow(Refusal);
  end();
  await watches.watch("stet:///c.txt", sessionIn);
  write("c.txt", "c");
  await until(() => heard.includes("stet:///c.txt"));
});

it("gives one owner only a share, and no more than one stream may have", async () => {
  const { watches } = watching({ mostPerOwner: 2 });
  const listen = (owner: string, ...uris: string[]) => watchAll(watches, { uris }, sessionIn, owner);
  const first = await listen("bob", "stet:///a.txt", "stet:///..");
  await expect(listen("bob", "stet:///b.txt", "stet:///c.txt")).rejects.toThrow(/that is the limit/);
  expect((await listen("bob", "stet:///b.txt")).uris).toEqual(["stet:///b.txt"]);
  expect((await listen("alice", "stet:///b.txt", "stet:///c.txt")).uris).toHaveLength(2);
  first.end();
  await listen("bob", "stet:///c.txt");
  const many = Array.from({ length: 201 }, (_, n) => `stet:///f${n}`);
  await expect(listen("carol", ...many)).rejects.toThrow(/201 resources are named, and one stream may have 200/);
});

it("tells of a change that keeps size and time", async () => {
  const { root, watches, heard, write } = watching();
  await watches.watch("stet:///a.txt", sessionIn);
  const { atime, mtime } = statSync(join(root, "a.txt"));
  write("copy", "two");
  utimesSync(join(root, "copy"), atime, mtime);
  renameSync(join(root, "copy"), join(root, "a.txt"));
  await until(() => heard.includes("stet:///a.txt"));
});

it("looks at many files far less often than there are changes", async () => {
  let resolved = 0;
  const workspace = memoryWorkspace(Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`f${n}.txt`, "x"])));
  const { backend } = workspace;
  const resolve = backend.resolve.bind(backend);
  backend.resolve = (...given: Parameters<typeof resolve>) => {
    resolved += 1;
    return resolve(...given);
  };
  const served: Served = { name: "w", workspace };
  const watches = createWatches({ surface: surfaceNamed("tracked"), served: [served], version: "1" });
  open.push(watches);
  await watchAll(watches, { uris: Array.from({ length: 100 }, (_, n) => `stet:///f${n}.txt`) }, sessionIn);
  resolved = 0;
  for (let n = 0; n < 100; n++) {
    watches.look(served);
    await new Promise((next) => setImmediate(next));
  }
  expect(resolved).toBeGreaterThan(0);
  expect(resolved).toBeLessThan(100 * 100 * 0.5);
});

it("looks now and then where the directory itself came late or went away", async () => {
  const { root, watches, heard, write } = watching({ everyMs: 20 });
  await watches.watch("stet:///late/x.txt", sessionIn);
  await watches.watch("stet:///dir/a.txt", sessionIn);
  write("late/x.txt", "x");
  await until(() => heard.includes("stet:///late/x.txt"));
  rmSync(join(root, "dir"), { recursive: true });
  await until(() => heard.includes("stet:///dir/a.txt"));
  heard.length = 0;
  write("dir/a.txt", "back again");
  await until(() => heard.includes("stet:///dir/a.txt"));
});

it("tells once that the root was replaced, and not what is in the other directory", async () => {
  const { root, watches, heard } = watching({ everyMs: 20 });
  await watches.watch("stet:///a.txt", sessionIn);
  renameSync(root, `${root}-away`);
  writeTo(join(root, "a.txt"), "another");
  await until(() => heard.length > 0);
  await expect(watches.watch("stet:///b.txt", sessionIn)).rejects.toThrow(/was moved, deleted or replaced/);
  const told = heard.length;
  for (const content of ["one", "two", "three"]) {
    writeTo(join(root, "a.txt"), content);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  expect(heard.length).toBe(told);
  rmSync(root, { recursive: true });
  renameSync(`${root}-away`, root);
  await until(() => heard.length > told);
});

it("ends with all that it holds, and hears nothing after", async () => {
  const { watches, heard, write } = watching({ everyMs: 10 });
  const named = { uris: ["stet:///a.txt", "stet:///..", "stet:///.stet/x"] };
  const { uris, end } = await watchAll(watches, named, sessionIn);
  expect(uris).toEqual(["stet:///a.txt"]);
  watches.close();
  write("a.txt", "two");
  await new Promise((resolve) => setTimeout(resolve, 60));
  end();
  expect(heard).toEqual([]);
});

const sessionIn = ({ workspace }: Served) => workspace.session();

function watching(limits: Partial<WatchLimits> = {}) {
  const root = directoryWith({ "a.txt": "one", "b.txt": "b", "dir/a.txt": "a" });
  const workspace = openWorkspace({ root, durability: "fast" });
  const options: ServeOptions = { surface: surfaceNamed("tracked"), served: [{ name: "w", workspace }], version: "1" };
  const watches = createWatches(options, limits);
  open.push(watches);
  const heard: string[] = [];
  watches.onUpdated((uri) => heard.push(uri));
  const write = (path: string, content: string) => writeTo(join(root, path), content);
  return { root, watches, heard, write };
}

function writeTo(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

async function until(holds: () => boolean): Promise<void> {
  for (let n = 0; n < 1000 && !holds(); n++) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(holds()).toBe(true);
}
