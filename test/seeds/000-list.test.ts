// Seed 000: list_directory.
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { memory } from "../../src/backends/memory/index.ts";
import { BACKENDS, directoryWith } from "../support/workspace.ts";
import { deskOn } from "./000-calls.ts";

const TREE = {
  "b.txt": "12",
  "a.txt": "1",
  "z/y/x/w.txt": "w",
  "z/k.txt": "kk",
  "m/n.txt": "n",
  ".hidden": "h",
  ".env": "SECRET",
};
const names = (entries: readonly { relativePath: string }[]) => entries.map(({ relativePath }) => relativePath);

describe.each(BACKENDS)("seed 000: list_directory on %s", (_name, make) => {
  it("lists one level by default: directories, then files, by name", async () => {
    const { data, text } = await deskOn(make(TREE)).ok("list_directory", { path: "." });
    expect(names(data.entries)).toEqual(["m", "z", "a.txt", "b.txt"]);
    expect(data).toMatchObject({ path: ".", maxDepth: 1, truncated: false });
    expect(data.entries[3]).toMatchObject({ name: "b.txt", type: "file", size: 2, depth: 1 });
    expect(data.entries[0]).toMatchObject({ name: "m", type: "directory", size: 0 });
    expect(new Date(data.entries[3]!.mtime).toISOString()).toBe(data.entries[3]!.mtime);
    expect(text).toBe(". — 4 entries\nm/\nz/\na.txt (1 byte)\nb.txt (2 bytes)");
  });

  it("recursive: by depth, type, name; eight levels by default", async () => {
    const { data } = await deskOn(make(TREE)).ok("list_directory", { path: ".", recursive: true });
    expect(names(data.entries)).toEqual([
      "m",
      "z",
      "a.txt",
      "b.txt",
      "z/y",
      "z/k.txt",
      "m/n.txt",
      "z/y/x",
      "z/y/x/w.txt",
    ]);
    expect(data.maxDepth).toBe(8);
    expect(data.entries.at(-1)?.depth).toBe(4);
  });

  it.each([
    ["ignored unless recursive", { maxDepth: 5 }, 1, 4],
    ["taken when recursive", { recursive: true, maxDepth: 2 }, 2, 7],
    ["32 at most", { recursive: true, maxDepth: 99 }, 32, 9],
  ])("maxDepth is %s", async (_what, input, maxDepth, count) => {
    const { data } = await deskOn(make(TREE)).ok("list_directory", { path: ".", ...input });
    expect([data.maxDepth, data.entries.length]).toEqual([maxDepth, count]);
  });

  it("says when there is more below the last level that was not asked for", async () => {
    const levels = (count: number) => ({ [`${"d/".repeat(count - 1)}x`]: "" });
    const list = async (count: number, more = {}) => {
      const { data, text } = await deskOn(make(levels(count))).ok("list_directory", { recursive: true, ...more });
      return [data.truncated, text.split("\n").at(-1)];
    };
    expect((await list(8))[0]).toBe(false);
    expect(await list(9)).toEqual([
      true,
      "Cut after 8 levels: raise maxDepth (at most 32), or list a directory below.",
    ]);
    expect((await list(9, { maxDepth: 8 }))[0]).toBe(false);
    expect(await list(34, { maxDepth: 99 })).toEqual([true, "Cut after 32 levels: list a directory below."]);
    expect((await list(9, { recursive: false }))[0]).toBe(false);
  });

  it("includeHidden shows names with a dot; what the policy denies is dropped silently", async () => {
    const { data } = await deskOn(make(TREE)).ok("list_directory", { path: ".", includeHidden: true });
    expect(names(data.entries)).toEqual(["m", "z", ".hidden", "a.txt", "b.txt"]);
  });

  it("a directory below gives paths that other tools take", async () => {
    const desk = deskOn(make(TREE));
    const { data } = await desk.ok("list_directory", { path: "z/" });
    expect(data.entries[1]).toMatchObject({ name: "k.txt", relativePath: "z/k.txt" });
    await desk.ok("read_file", { path: data.entries[1]!.relativePath });
  });

  it.each([
    ["a missing directory", "nope", "not_found"],
    ["a file", "a.txt", "not_found"],
    ["a way out", "../", "outside_workspace"],
  ])("refuses %s", async (_what, path, kind) => {
    expect((await deskOn(make(TREE)).no("list_directory", { path })).kind).toBe(kind);
  });
});

describe("seed 000: list_directory and links", () => {
  it("symbolic links are listed last, with size 0, and not followed", async () => {
    const root = directoryWith({ "d/a": "1", f: "2" });
    symlinkSync("d", join(root, "alias"));
    const { data } = await deskOn(disk({ root, durability: "fast" })).ok("list_directory", {
      path: ".",
      recursive: true,
    });
    expect(names(data.entries)).toEqual(["d", "f", "alias", "d/a"]);
    expect(data.entries[2]).toMatchObject({ type: "symlink", size: 0 });
  });
});

describe("seed 000: list_directory and large trees", () => {
  it("at most 5000 entries, those nearest to the root", async () => {
    const files = Object.fromEntries(Array.from({ length: 5001 }, (_, n) => [`d/f${String(n).padStart(4, "0")}`, ""]));
    const { data, text } = await deskOn(memory({ files: { ...files, top: "" } })).ok("list_directory", {
      path: ".",
      recursive: true,
    });
    expect(data.truncated).toBe(true);
    expect(data.entries).toHaveLength(5000);
    expect(names(data.entries.slice(0, 3))).toEqual(["d", "top", "d/f0000"]);
    expect(text).toContain("Cut after 5000 entries");
  });
});
