// Seed 001: how much Read, Glob and Grep show, what counts as shown, and what a Write leaves as it was.
import { chmodSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { tracked } from "stet/surfaces";
import { afterEach, describe, expect, it, vi } from "vitest";
import { agentOnDisk, agentWith } from "../support/agent.ts";

const PAGE = 256 * 1024;
const YEAR_MS = 365 * 24 * 60 * 60 * 1000;
const write = (file_path: string) => ({ file_path, content: "z\n" });

describe("seed 001, files that are hard to show", () => {
  it("what was not shown of a long line counts as never shown", async () => {
    const { done, refused } = agentWith(tracked, { a: `${"x".repeat(PAGE + 1)}\nshort\n` }, { strict: true });
    expect((await done("Read", { file_path: "a" })).text).toContain("go on with offset 2.");
    expect((await done("Read", { file_path: "a", offset: 2 })).text).toBe("2\tshort\n");
    expect((await refused("Write", write("a"))).text).toMatch(/lines? 1 (was|were) never shown/);
    await done("Edit", { file_path: "a", old_string: `${"x".repeat(9)}\nshort`, new_string: "y\nshort" });
  });

  it("a file over the size limit is left as it is, and nobody is told to shrink it", async () => {
    const { refused } = agentWith(tracked, { a: "one\ntwo\n" }, { policy: { maxFileBytes: 4 } });
    expect((await refused("Write", write("a"))).text).toContain("too large to be changed by these tools");
  });

  it.each([
    [0, 2000],
    [2001, 2001],
    [5, undefined],
  ])("Read with limit %d says when it is cut short of what was meant", async (limit, last) => {
    const { warnings } = await agentWith(tracked, { a: "l\n".repeat(2500) }).done("Read", { file_path: "a", limit });
    const said = `Lines 1-${last} of 2500 are shown; go on with offset ${Number(last) + 1}.`;
    expect(warnings).toEqual(last === undefined ? [] : [said]);
  });
});

describe("seed 001, Glob and Grep", () => {
  it("Glob lists 100 files by default, and says that there are more", async () => {
    const { done } = agentWith(tracked, Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`f${n}.txt`, ""])));
    const { data, warnings } = await done("Glob", { pattern: "*.txt" });
    expect([data.files.length, data.truncated, data.total]).toEqual([100, true, 120]);
    expect(warnings).toEqual(["Only the newest 100 of 120 files are listed; raise limit or narrow pattern."]);
  });

  it("Glob lists the newest first, then by name", async () => {
    const { root, done } = agentOnDisk(tracked, { "old.txt": "", "b.txt": "", "a.txt": "" });
    utimesSync(join(root, "old.txt"), 1000, 1000);
    for (const name of ["a.txt", "b.txt"]) utimesSync(join(root, name), 2000, 2000);
    expect((await done("Glob", { pattern: "*.txt" })).text).toBe("a.txt\nb.txt\nold.txt");
  });

  it("Grep shows of a long line what is around the hit", async () => {
    const { done } = agentWith(tracked, { "min.js": `${"x".repeat(9000)}needle${"y".repeat(9000)}\n` });
    expect((await done("Grep", { pattern: "needle" })).text).toBe(
      `min.js:1:…${"x".repeat(500)}needle${"y".repeat(1494)}…`,
    );
  });

  it("Grep with head_limit 0 shows all", async () => {
    const { done } = agentWith(tracked, { f: "x\n".repeat(300) });
    const { data } = await done("Grep", { pattern: "x", head_limit: 0 });
    expect([data.results.length, data.truncated]).toEqual([300, false]);
  });
});

describe("seed 001, the tracker has no clock", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("a Read counts however long ago it was", async () => {
    const { done } = agentWith(tracked, { "foo.txt": "one\ntwo\n" });
    await done("Read", { file_path: "foo.txt" });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + YEAR_MS });
    await done("Edit", { file_path: "foo.txt", old_string: "two", new_string: "2" });
  });
});

it("seed 001, Write keeps the mode of the file, and makes directories 0755", async () => {
  const { done, root } = agentOnDisk(tracked, { "real.txt": "one\n" });
  chmodSync(join(root, "real.txt"), 0o750);
  await done("Read", { file_path: "real.txt" });
  await done("Write", { file_path: "real.txt", content: "x" });
  await done("Write", { file_path: "a/b/new", content: "x" });
  expect(statSync(join(root, "real.txt")).mode & 0o777).toBe(0o750);
  expect(statSync(join(root, "a/b")).mode & 0o755).toBe(0o755 & ~process.umask());
});
