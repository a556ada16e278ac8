// Where the disk backend keeps its state, and who can reach it.
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { describe, expect, it, vi } from "vitest";
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
    expect(readdirSync(join(root, ".stet")).sort()).toEqual([".gitignore", "held", "lock-kind"]);
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

  it("may lie elsewhere, and is refused in the workspace, by whatever name: a clone could bring one along", async () => {
    const outside = join(tempDir(), "state");
    const root = directoryWith({ "real/x": "" });
    await new Workspace(disk({ root, stateDir: outside })).session().create("a", "x");
    expect(segmentsIn(historyIn(outside))).toHaveLength(1);
    const alias = join(tempDir(), "alias");
    symlinkSync(root, alias);
    symlinkSync(outside, join(root, "out"));
    for (const named of [root, alias, join(root, "not/there"), join(alias, "real"), join(root, "out")])
      expect(() => disk({ root, stateDir: named }), named).toThrow(/^The state directory .* lies in the workspace\./);
  });

  it("where users have it may lie in the workspace, as where that is their home, and no tool reaches it", async () => {
    const root = directoryWith({ "real/x": "" });
    symlinkSync("real", join(root, "st"));
    vi.stubEnv("STET_STATE", undefined);
    vi.stubEnv("XDG_STATE_HOME", join(root, "st"));
    const session = new Workspace(disk({ root }), { policy: { protect: false } }).session();
    await session.create("a", "x");
    vi.unstubAllEnvs();
    const segment = segmentsIn(historyIn(join(root, "real/stet")))[0]!;
    for (const path of [segment.slice(root.length + 1), segment, segment.replace("/real/", "/st/")])
      await refuses("permission_denied", () => session.read(path));
    await refuses("permission_denied", () => session.delete("st", { proof: { by: "waived" } }));
    await session.write("a", "y");
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
