// Where the disk backend keeps its state, and who can reach it.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Session, Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { describe, expect, it } from "vitest";
import { all, refuses } from "../support/assertions.ts";
import { historyIn, segmentsIn } from "../support/history-place.ts";
import { tempDir } from "../support/temp.ts";
import { directoryWith } from "../support/workspace.ts";

describe("the state directory", () => {
  it("is made at the first change, for its owner only, ignored by git", async () => {
    const root = directoryWith({});
    const session = new Workspace(disk({ root })).session();
    expect(existsSync(join(root, ".stet"))).toBe(false);
    await session.create("a", "x");
    expect(statSync(join(root, ".stet")).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(root, ".stet/.gitignore"), "utf8")).toBe("*\n");
    expect(readdirSync(join(root, ".stet")).sort()).toEqual([".gitignore", "lock", "tmp"]);
    for (const name of readdirSync(join(root, ".stet")))
      expect(statSync(join(root, ".stet", name)).mode & 0o077, name).toBe(name === ".gitignore" ? 0o044 : 0);
  });

  it("holds no history: that lies in the home, for its owner only", async () => {
    const [root, home] = [directoryWith({}), join(tempDir(), "not/there/yet")];
    const workspace = new Workspace(disk({ root, stateDir: home }));
    await workspace
      .session()
      .read("a")
      .catch(() => undefined);
    expect(existsSync(home)).toBe(false);
    await workspace.session().create("a", "x");
    await workspace.close();
    for (const at of [home, historyIn(home)]) expect(statSync(at).mode & 0o777).toBe(0o700);
    for (const entry of readdirSync(historyIn(home), { recursive: true, withFileTypes: true }))
      expect(statSync(join(entry.parentPath, entry.name)).mode & 0o077, entry.name).toBe(0);
  });

  it("cannot be reached by any spelling", async () => {
    const root = directoryWith({ "d/x": "x" });
    const session = new Workspace(disk({ root }), { policy: { protect: false } }).session();
    await session.create("a", "x");
    symlinkSync(".stet", join(root, "link"));
    symlinkSync("../.stet", join(root, "d/link"));
    for (const path of [
      ".stet/format",
      "./.stet//format",
      "d/../.stet/format",
      ".STET/format",
      "link/format",
      "d/link/format",
      join(root, ".stet/format"),
    ]) {
      await refuses("permission_denied", () => session.read(path)).catch((error) => {
        // A name in other letters is another name on this file system.
        if (!path.includes("STET")) throw error;
      });
      await refuses("permission_denied", () => session.write(path, "2\n", { proof: { by: "waived" } }));
    }
  });

  it("may lie elsewhere, also in the workspace, and is unreachable there too", async () => {
    const outside = join(tempDir(), "state");
    const root = directoryWith({});
    const first = new Workspace(disk({ root, stateDir: outside })).session();
    await first.create("a", "x");
    expect(segmentsIn(historyIn(outside))).toHaveLength(1);

    const other = directoryWith({});
    const session = new Workspace(disk({ root: other, stateDir: join(other, "tool/state") })).session();
    await session.create("a", "x");
    const segment = segmentsIn(historyIn(join(other, "tool/state")))[0]!;
    await refuses("permission_denied", () => session.read(segment.slice(other.length + 1)));
    await session.write("a", "y");
    expect(readFileSync(join(other, "a"), "utf8")).toBe("y");
  });

  it("is not the workspace itself", () => {
    const root = directoryWith({});
    expect(() => disk({ root, stateDir: root })).toThrow("The state directory cannot be the workspace itself.");
  });

  it("is shared by all who open the root, also in one process", async () => {
    const root = directoryWith({});
    const [one, two] = [new Workspace(disk({ root })), new Workspace(disk({ root }))];
    await one.session().create("a", "x");
    await two.session().create("b", "x");
    await one.session().create("c", "x");
    expect((await all(two.log())).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect((await one.verify()).problems).toEqual([]);
  });
});

describe("a state directory that is reached through links", () => {
  const spellings = (root: string, names: readonly string[]) =>
    names.flatMap((name) => [`${name}/format`, `./${name}//format`, join(root, name, "format")]);

  async function refusesAll(session: Session, paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      await refuses("permission_denied", () => session.read(path));
      await refuses("permission_denied", () => session.write(path, "2\n", { proof: { by: "waived" } }));
      await refuses("permission_denied", () => session.delete(path, { proof: { by: "waived" } }));
    }
  }

  it("is unreachable by every name on the way, and none of the links can be taken away", async () => {
    const root = directoryWith({ "real/x": "", "dir/x": "" });
    mkdirSync(join(root, "real/state"));
    symlinkSync("real/../dir", join(root, "d"));
    symlinkSync(join(root, "real/state"), join(root, "dir/middle"));
    symlinkSync("d/middle", join(root, "st"));
    const session = new Workspace(disk({ root, stateDir: join(root, "st") }), { policy: { protect: false } }).session();
    await session.create("a", "x");
    expect(segmentsIn(historyIn(join(root, "real/state")))).toHaveLength(1);
    await refusesAll(session, spellings(root, ["st", "d/middle", "dir/middle", "real/state"]));
    for (const link of ["st", "d", "dir/middle"]) {
      await refuses("permission_denied", () => session.delete(link, { proof: { by: "waived" } }));
      await refuses("permission_denied", () => session.move("a", link, { proof: { by: "waived" } }));
    }
    expect((await session.read("real/x")).path).toBe("real/x");
    expect((await session.read("dir/x")).path).toBe("dir/x");
  });

  it("is so too when the root itself was named through one, and before the directory is there", async () => {
    const root = directoryWith({ "real/x": "" });
    const alias = join(tempDir(), "alias");
    symlinkSync(root, alias);
    symlinkSync("real", join(root, "st"));
    const session = new Workspace(disk({ root: alias, stateDir: join(alias, "st/new") })).session();
    await refuses("permission_denied", () => session.create("real/new/format", "x", { createParents: true }));
    await refuses("permission_denied", () => session.delete("st", { proof: { by: "waived" } }));
    await session.create("a", "x");
    await refusesAll(session, ["st/new/format", "real/new/format", join(alias, "st/new/format")]);
  });

  it("cannot be led elsewhere by a link put where a directory on the way is still missing", async () => {
    const root = directoryWith({ "releases/1/x": "" });
    symlinkSync("releases/1", join(root, "current"));
    const session = new Workspace(disk({ root, stateDir: join(root, "states/a") })).session();
    await refuses("permission_denied", () => session.move("current", "states", { proof: { by: "waived" } }));
    await session.create("a", "x");
    expect(segmentsIn(historyIn(join(root, "states/a")))).toHaveLength(1);
  });

  it("outside of the workspace, by a link in it, keeps that link from being replaced", async () => {
    const root = directoryWith({});
    const elsewhere = tempDir();
    symlinkSync(elsewhere, join(root, "st"));
    const session = new Workspace(disk({ root, stateDir: join(root, "st") })).session();
    await session.create("a", "x");
    expect(segmentsIn(historyIn(elsewhere))).toHaveLength(1);
    await refuses("permission_denied", () => session.delete("st", { proof: { by: "waived" } }));
  });

  it("is not the workspace itself, by whatever name", () => {
    const root = directoryWith({});
    const alias = join(tempDir(), "alias");
    symlinkSync(root, alias);
    expect(() => disk({ root, stateDir: alias })).toThrow("The state directory cannot be the workspace itself.");
  });
});

describe("a version that stet wrote", () => {
  it("is kept although another program overwrites it before stet sees the file again", async () => {
    const root = directoryWith({});
    const workspace = new Workspace(disk({ root }));
    const { files } = await workspace.session().create("a", "an agent's work\n");
    writeFileSync(join(root, "a"), "checked out\n");
    expect(await workspace.backend.recall(files[0]!.after!)).not.toBeNull();
    await workspace.close();
    expect(await disk({ root }).recall(files[0]!.after!)).not.toBeNull();
  });
});
