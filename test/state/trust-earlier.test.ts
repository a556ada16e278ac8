// States from before there were records, and the place where states are remembered.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { openRegister } from "../../src/backends/disk/trust/register.ts";
import { GENESIS, seal } from "../../src/backends/journal/entry.ts";
import type { Path, Sha } from "../../src/core/backend.ts";
import { shaOf } from "../../src/core/version.ts";
import { undo } from "../../src/kernel/history/undo/undo.ts";
import { createFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { all, refuses } from "../../src/testing/assertions.ts";
import { directoryWith } from "../support/workspace.ts";
import { change, recordsIn, type Used, used } from "./trust-support.ts";

describe("a state from before there were records", () => {
  const forget = (at: Used): void => {
    rmSync(join(at.root, ".stet/id"));
    for (const name of recordsIn(at.registerDir)) rmSync(join(at.registerDir, name));
  };

  it("is taken over at its first use when all of it is as stet made it", async () => {
    const at = await used();
    forget(at);
    const reader = new Workspace(disk(at));
    expect(await all(reader.log())).toMatchObject([{ seq: 1, elsewhere: true }]);
    await reader.close();
    expect(recordsIn(at.registerDir)).toHaveLength(1);
    await change(at, "a.txt", "three\n");
  });

  it("cannot pass for history made here, and no sweeping undo brings back what it holds", async () => {
    const at = await used();
    forget(at);
    const [planted, real] = ["planted\n", "two\n"].map((text) => shaOf([Buffer.from(text)])) as [Sha, Sha];
    writeFileSync(join(at.root, ".stet/objects", planted), "planted\n");
    // Its moment is the one at which the file is made, as of an archive that is made for one download.
    const { line } = seal(
      { session: "s", tool: "t", outcome: "applied", changes: [{ path: "a.txt" as Path, from: real, to: planted }] },
      { seq: 1, at: new Date().toISOString(), prev: GENESIS },
    );
    writeFileSync(join(at.root, ".stet/journal/0000000000000001.jsonl"), `${line}\n`);
    await change(at, "a.txt", "three\n");
    const workspace = new Workspace(disk(at));
    const marks = (await all(workspace.log())).map(({ outcome, elsewhere }) => `${outcome} ${elsewhere === true}`);
    // What is noticed against a word from elsewhere did not happen here either.
    expect(marks).toEqual(["applied true", "external true", "applied false"]);
    expect(await undo(workspace.session(), { since: "1970-01-01T00:00:00.000Z" })).toMatchObject({
      undone: [3],
      leftElsewhere: 2,
    });
    expect((await workspace.session().read("a.txt")).body).toBe("two\n");
    await workspace.close();
  });

  function replaced(path: string, target: string): void {
    rmSync(path, { recursive: true });
    symlinkSync(target, path);
  }

  const ODD: readonly (readonly [name: string, plant: (state: string) => void, why: string])[] = [
    ["an unfinished change", (state) => writeFileSync(join(state, "pending/2-0-new"), "x"), "not finished"],
    ["another file", (state) => writeFileSync(join(state, "config"), "x"), "'config', which stet did not put there"],
    ["a link for a part", (state) => replaced(join(state, "objects"), "/etc"), "'objects', which is not a directory"],
    [
      "a link in the journal",
      (state) => symlinkSync("/etc/passwd", join(state, "journal/0000000000000601.heads.tmp")),
      "heads.tmp', which stet did not put there",
    ],
    ["a pipe in the lock", (state) => execFileSync("mkfifo", [join(state, "lock/held-not")]), "lock/held-not"],
    ["a name in the objects", (state) => writeFileSync(join(state, "objects/..x"), "x"), "objects/..x"],
    [
      "a link for its format",
      (state) => replaced(join(state, "format"), "/etc/passwd"),
      "'format', which is not a regular file",
    ],
    [
      "a journal that would take long to check",
      (state) => truncateSync(join(state, "journal/0000000000000001.jsonl"), 65 * 2 ** 20),
      "has a journal of 65 MiB, which takes long to check",
    ],
    [
      "a damaged journal",
      (state) => {
        const file = join(state, "journal/0000000000000001.jsonl");
        writeFileSync(file, readFileSync(file, "utf8").replace("a.txt", "b.txt"));
      },
      "damaged journal",
    ],
  ];

  it("is foreign when its files were made at another time than its entries say, as those of an archive are", async () => {
    const at = await used();
    forget(at);
    const segment = join(at.root, ".stet/journal/0000000000000001.jsonl");
    const draft = { session: "s", tool: "t", outcome: "note" as const, changes: [] };
    for (const hours of [-2, 2]) {
      const { line } = seal(draft, {
        seq: 1,
        at: new Date(Date.now() + hours * 3_600_000).toISOString(),
        prev: GENESIS,
      });
      // Also of a damaged journal: it may be long, and is not gone through when its birth says enough.
      for (const more of ["", "damage\n"]) {
        writeFileSync(segment, `${line}\n${more}`);
        const workspace = new Workspace(disk(at));
        await expect(all(workspace.log())).rejects.toThrow("does not seem to have been made here");
        await workspace.close();
      }
    }
  });

  it.each(ODD)("is foreign with %s", async (_name, plant, why) => {
    const at = await used();
    forget(at);
    rmSync(join(at.root, ".stet/lock/held"), { force: true });
    plant(join(at.root, ".stet"));
    const workspace = new Workspace(disk(at));
    const { failure } = await refuses("unsupported", () => createFile(workspace.session(), "new", "x"));
    expect(failure.message).toContain(why);
    expect(failure.message).not.toContain("root:");
    expect((await workspace.session().read("a.txt")).body).toBe("two\n");
    await workspace.close();
    expect(existsSync(join(at.root, ".stet/id"))).toBe(false);
    expect(recordsIn(at.registerDir)).toEqual([]);
  });
});

describe("where states are remembered", () => {
  it("is swept once a day of what is long gone, and of nothing else", async () => {
    const at = await used();
    const register = openRegister(at.registerDir, { flush: false });
    const id = readFileSync(join(at.root, ".stet/id"), "utf8").trim();
    const known = register.find(id)!;
    const ids = ["1", "2", "3"].map((digit) => digit.repeat(32));
    for (const other of ids) register.write({ ...known, id: other, path: other === ids[2] ? at.root : "/gone/.stet" });
    const long = new Date(Date.now() - 401 * 24 * 3_600_000);
    for (const other of [ids[0], ids[2]]) utimesSync(join(at.registerDir, `${other}.json`), long, long);
    register.write(known);
    expect(ids.map((other) => register.find(other) !== null)).toEqual([true, true, true]);
    utimesSync(join(at.registerDir, "swept"), long, long);
    register.write(known);
    expect(ids.map((other) => register.find(other) !== null)).toEqual([false, true, true]);
  });

  it("is refused in words when it cannot be used, and nothing is changed", async () => {
    const root = directoryWith({ "a.txt": "one\n" });
    const elsewhere = directoryWith({ file: "" });
    const workspace = new Workspace(disk({ root, registerDir: join(elsewhere, "file/no") }));
    const { failure } = await refuses("unsupported", () => createFile(workspace.session(), "new", "x"));
    expect(failure.message).toContain("which states were made here");
    expect(existsSync(join(root, "new"))).toBe(false);
    expect((await workspace.session().read("a.txt")).body).toBe("one\n");
    await workspace.close();
  });

  it("is not in the workspace, where it could have come with it: files can be read, and nothing is changed", async () => {
    const root = directoryWith({ "a.txt": "one\n" });
    for (const inside of ["register", ".stet/register"]) {
      expect(() => disk({ root, registerDir: join(root, inside) })).toThrow("lies in the workspace");
    }
    vi.stubEnv("STET_REGISTER", undefined);
    vi.stubEnv("XDG_STATE_HOME", join(root, "home"));
    try {
      const workspace = new Workspace(disk({ root }));
      const session = workspace.session();
      const planted = "home/stet/states/x.json";
      await refuses("permission_denied", () => createFile(session, planted, "{}", { createParents: true }));
      const { failure } = await refuses("unsupported", () => createFile(session, "new", "x"));
      expect(failure.message).toContain("it lies in the workspace, with which it may have come");
      expect(failure.suggestedAction).toContain("STET_REGISTER");
      expect((await session.read("a.txt")).body).toBe("one\n");
      await workspace.close();
      expect(readdirSync(root, { recursive: true }).sort()).toEqual([".stet", "a.txt"]);
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
