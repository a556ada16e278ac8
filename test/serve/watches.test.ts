// Watches: bounded, shared by those who watch the same, told once, and gone when nobody holds them.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { openWorkspace, Refusal } from "../../src/index.ts";
import { watchAll } from "../../src/serve/listened.ts";
import type { Served, ServeOptions } from "../../src/serve/served.ts";
import { createWatches, type Watches } from "../../src/serve/watches.ts";
import { surfaceNamed } from "../../src/surfaces/index.ts";
import { directoryWith } from "../support/workspace.ts";

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

it("ends with all that it holds, and hears nothing after", async () => {
  const { watches, heard, write } = watching({ everyMs: 10 });
  const end = await watchAll(watches, ["stet:///a.txt", "stet:///a.txt", "stet:///..", "stet:///.stet/x"], sessionIn);
  watches.close();
  write("a.txt", "two");
  await new Promise((resolve) => setTimeout(resolve, 60));
  end();
  expect(heard).toEqual([]);
});

const sessionIn = ({ workspace }: Served) => workspace.session();

function watching(limits: { most?: number; everyMs?: number } = {}) {
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
