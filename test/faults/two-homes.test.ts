// Two homes on one tree, as two containers on one bind mount have them: changes exclude one another, and each history tells the other's as made by somebody else.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { afterEach, describe, expect, it } from "vitest";
import { AUTHOR, all, change, inEffect, path, version } from "../support/assertions.ts";
import { startWorker } from "../support/processes.ts";
import { tempDir } from "../support/temp.ts";
import { directoryWith } from "../support/workspace.ts";

const opened: Workspace[] = [];
afterEach(async () => {
  for (const workspace of opened.splice(0)) await workspace.close();
});

function twoOn(files: Record<string, string>) {
  const root = directoryWith(files);
  const homes = [tempDir(), tempDir()];
  const open = (n: number): Workspace => {
    const workspace = new Workspace(disk({ root, stateDir: homes[n]!, durability: "fast" }));
    opened.push(workspace);
    return workspace;
  };
  return { root, homes, open, text: (name: string) => readFileSync(join(root, name), "utf8") };
}

const outcomes = async (workspace: Workspace) =>
  (await all(workspace.log({ newestFirst: false }))).map(({ outcome }) => outcome);

describe("two homes on one tree", () => {
  it("each tells the other's changes as made by somebody else, and both keep every version", async () => {
    const { open } = twoOn({ a: "1\n" });
    const [one, two] = [open(0), open(1)];
    for (const [workspace, text] of [
      [one, "2\n"],
      [two, "3\n"],
      [one, "4\n"],
    ] as const) {
      const session = workspace.session();
      await session.read("a");
      await session.write("a", text);
    }
    expect(await outcomes(one)).toEqual(["applied", "external", "applied"]);
    expect(await outcomes(two)).toEqual(["applied"]);
    for (const text of ["1\n", "2\n", "3\n", "4\n"]) expect(await one.backend.recall(version(text).sha)).not.toBeNull();
    await two.session().read("a");
    expect(await outcomes(two)).toEqual(["applied", "external"]);
    for (const workspace of [one, two]) expect((await workspace.verify()).problems).toEqual([]);
  });

  it("no change of one overwrites what the other wrote since it was read", async () => {
    const { open, text } = twoOn({ a: "1\n" });
    const [one, two] = [open(0).session(), open(1).session()];
    await one.read("a");
    await two.read("a");
    await one.write("a", "2\n");
    await expect(two.write("a", "3\n")).rejects.toMatchObject({ kind: "stale_file" });
    expect(text("a")).toBe("2\n");
  });

  it("increments of both are all there", async () => {
    const { open, text } = twoOn({ count: "0" });
    const sessions = [0, 1, 0, 1].map((n) => open(n).session());
    await Promise.all(
      sessions.map(async (session) => {
        for (let n = 0; n < 10; n++)
          await session.change([{ path: "count", proof: { by: "waived" }, action: "write" }], ([now]) => [
            { body: `${Number(now!.text.body) + 1}` },
          ]);
      }),
    );
    expect(text("count")).toBe("40");
    for (const { workspace } of sessions) expect((await workspace.verify()).problems).toEqual([]);
  });

  it("one that was killed half-way is finished by its own home, whatever the other did meanwhile", async () => {
    const { root, homes, open, text } = twoOn({ a: "old a\n", b: "old b\n", c: "old c\n" });
    const worker = startWorker("dies-worker", [root, "new", "1", "a", "b", "c"], { STET_STATE: homes[0]! });
    expect((await once(worker, "exit"))[1]).toBe("SIGKILL");
    expect(["a", "b", "c"].map(text)).toEqual(["new a\n", "old b\n", "old c\n"]);
    const two = open(1);
    const session = two.session();
    await session.read("b");
    await session.write("b", "theirs\n");
    expect(["a", "b", "c"].map(text)).toEqual(["new a\n", "theirs\n", "old c\n"]);
    const one = open(0);
    const { warnings } = await one.backend.commit([change("other", null, version("x"))], AUTHOR);
    expect(warnings.join()).toContain("'b'");
    expect(["a", "b", "c"].map(text)).toEqual(["new a\n", "theirs\n", "new c\n"]);
    const entries = inEffect(await all(one.log({ newestFirst: false })));
    expect(entries.map(({ outcome }) => outcome)).toEqual(["applied", "note", "external", "applied"]);
    expect((await one.backend.head(path("b")))?.sha).toBe(version("theirs\n").sha);
    for (const word of ["old", "new"])
      for (const name of ["a", "b", "c"])
        expect(await one.backend.recall(version(`${word} ${name}\n`).sha), `${word} ${name}`).not.toBeNull();
    for (const workspace of [one, two]) expect((await workspace.verify()).problems).toEqual([]);
  });
});
