// Where the disk backend keeps its state, and who can reach it.
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import type { Session } from "../../src/kernel/session.ts";
import { createFile, deleteFile, moveFile, writeFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { all, refuses } from "../../src/testing/assertions.ts";
import { tempDir } from "../support/temp.ts";
import { directoryWith } from "../support/workspace.ts";

describe("the state directory", () => {
  it("is made at the first change, for its owner only, ignored by git", async () => {
    const root = directoryWith({});
    const session = new Workspace(disk({ root })).session();
    expect(existsSync(join(root, ".stet"))).toBe(false);
    await createFile(session, "a", "x");
    expect(statSync(join(root, ".stet")).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(root, ".stet/.gitignore"), "utf8")).toBe("*\n");
    for (const name of readdirSync(join(root, ".stet")))
      expect(statSync(join(root, ".stet", name)).mode & 0o077, name).toBe(name === ".gitignore" ? 0o044 : 0);
  });

  it("cannot be reached by any spelling", async () => {
    const root = directoryWith({ "d/x": "x" });
    const session = new Workspace(disk({ root }), { policy: { protect: false } }).session();
    await createFile(session, "a", "x");
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
      await refuses("permission_denied", () => writeFile(session, path, "2\n", { proof: { by: "waived" } }));
    }
  });

  it("may lie elsewhere, also in the workspace, and is unreachable there too", async () => {
    const outside = join(tempDir(), "state");
    const root = directoryWith({});
    const first = new Workspace(disk({ root, stateDir: outside })).session();
    await createFile(first, "a", "x");
    expect(existsSync(join(root, ".stet"))).toBe(false);
    expect(readdirSync(outside)).toContain("journal");

    const other = directoryWith({});
    const session = new Workspace(disk({ root: other, stateDir: join(other, "tool/state") })).session();
    await createFile(session, "a", "x");
    await refuses("permission_denied", () => session.read("tool/state/format"));
    await writeFile(session, "a", "y");
    expect(readFileSync(join(other, "a"), "utf8")).toBe("y");
  });

  it("is not the workspace itself, and leaves a .gitignore that is there", async () => {
    const root = directoryWith({});
    expect(() => disk({ root, stateDir: root })).toThrow("The state directory cannot be the workspace itself.");
    const own = tempDir();
    writeFileSync(join(own, ".gitignore"), "mine\n");
    await createFile(new Workspace(disk({ root, stateDir: own })).session(), "a", "x");
    expect(readFileSync(join(own, ".gitignore"), "utf8")).toBe("mine\n");
  });

  it("of another format, or no directory, is refused", async () => {
    const root = directoryWith({});
    mkdirSync(join(root, ".stet"));
    writeFileSync(join(root, ".stet/format"), "99\n");
    await refuses("unsupported", () => createFile(new Workspace(disk({ root })).session(), "a", "x"));
    const planted = directoryWith({});
    symlinkSync(tempDir(), join(planted, ".stet"));
    await refuses("unsupported", () => createFile(new Workspace(disk({ root: planted })).session(), "a", "x"));
  });

  it("is shared by all who open the root, also in one process", async () => {
    const root = directoryWith({});
    const [one, two] = [new Workspace(disk({ root })), new Workspace(disk({ root }))];
    await createFile(one.session(), "a", "x");
    await createFile(two.session(), "b", "x");
    await createFile(one.session(), "c", "x");
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
      await refuses("permission_denied", () => writeFile(session, path, "2\n", { proof: { by: "waived" } }));
      await refuses("permission_denied", () => deleteFile(session, path, { proof: { by: "waived" } }));
    }
  }

  it("is unreachable by every name on the way, and none of the links can be taken away", async () => {
    const root = directoryWith({ "real/x": "", "dir/x": "" });
    mkdirSync(join(root, "real/state"));
    symlinkSync("real/../dir", join(root, "d"));
    symlinkSync(join(root, "real/state"), join(root, "dir/middle"));
    symlinkSync("d/middle", join(root, "st"));
    const session = new Workspace(disk({ root, stateDir: join(root, "st") }), { policy: { protect: false } }).session();
    await createFile(session, "a", "x");
    expect(existsSync(join(root, "real/state/format"))).toBe(true);
    await refusesAll(session, spellings(root, ["st", "d/middle", "dir/middle", "real/state"]));
    for (const link of ["st", "d", "dir/middle"]) {
      await refuses("permission_denied", () => deleteFile(session, link, { proof: { by: "waived" } }));
      await refuses("permission_denied", () => moveFile(session, "a", link, { proof: { by: "waived" } }));
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
    await refuses("permission_denied", () => createFile(session, "real/new/format", "x", { createParents: true }));
    await refuses("permission_denied", () => deleteFile(session, "st", { proof: { by: "waived" } }));
    await createFile(session, "a", "x");
    await refusesAll(session, ["st/new/format", "real/new/format", join(alias, "st/new/format")]);
  });

  it("cannot be led elsewhere by a link put where a directory on the way is still missing", async () => {
    const root = directoryWith({ "releases/1/x": "" });
    symlinkSync("releases/1", join(root, "current"));
    const session = new Workspace(disk({ root, stateDir: join(root, "states/a") })).session();
    await refuses("permission_denied", () => moveFile(session, "current", "states", { proof: { by: "waived" } }));
    await createFile(session, "a", "x");
    expect(readdirSync(join(root, "states/a"))).toContain("journal");
  });

  it("outside of the workspace, by a link in it, keeps that link from being replaced", async () => {
    const root = directoryWith({});
    const elsewhere = tempDir();
    symlinkSync(elsewhere, join(root, "st"));
    const session = new Workspace(disk({ root, stateDir: join(root, "st") })).session();
    await createFile(session, "a", "x");
    expect(readdirSync(elsewhere)).toContain("journal");
    await refuses("permission_denied", () => deleteFile(session, "st", { proof: { by: "waived" } }));
  });

  it("is not the workspace itself, by whatever name", () => {
    const root = directoryWith({});
    const alias = join(tempDir(), "alias");
    symlinkSync(root, alias);
    expect(() => disk({ root, stateDir: alias })).toThrow("The state directory cannot be the workspace itself.");
  });
});

describe("a damaged store", () => {
  it("does not give out bytes that are not what they are filed under", async () => {
    const root = directoryWith({});
    const workspace = new Workspace(disk({ root }));
    const { files } = await createFile(workspace.session(), "a", "content");
    await workspace.close();
    writeFileSync(join(root, ".stet/objects", files[0]!.after!), "CONTENT");
    await refuses("not_kept", () => disk({ root }).recall(files[0]!.after!));
  });
});

describe("a version that stet wrote", () => {
  it("is kept although another program overwrites it before stet sees the file again", async () => {
    const root = directoryWith({});
    const workspace = new Workspace(disk({ root }));
    const { files } = await createFile(workspace.session(), "a", "an agent's work\n");
    writeFileSync(join(root, "a"), "checked out\n");
    expect(await workspace.backend.recall(files[0]!.after!)).not.toBeNull();
    await workspace.close();
    expect(await disk({ root }).recall(files[0]!.after!)).not.toBeNull();
  });
});

describe("an object that another put under the name of a version", () => {
  it("with other bytes of the same length does not stand for it when that version is replaced or stored", async () => {
    const root = directoryWith({ a: "original\n", b: "original\n" });
    const workspace = new Workspace(disk({ root, durability: "fast" }));
    const session = workspace.session();
    await createFile(session, "first", "x");
    const sha = (await session.read("a")).sha;
    const planted = join(root, ".stet/objects", sha);
    writeFileSync(planted, "ORIGINAL\n");
    await writeFile(session, "a", "changed\n");
    expect((await workspace.backend.recall(sha))?.parts.join("")).toContain("original");
    writeFileSync(planted, "ORIGINAL\n");
    await workspace.backend.keep((await workspace.backend.read("b" as never))!);
    expect((await workspace.backend.recall(sha))?.parts.join("")).toContain("original");
    await workspace.close();
  });

  it.skipIf(process.getuid?.() !== 0)(
    "keeps the owner that the file had, and can be had back all the same",
    async () => {
      const root = directoryWith({ a: "of another user\n" });
      chownSync(join(root, "a"), 65_534, 65_534);
      const workspace = new Workspace(disk({ root, durability: "fast" }));
      const session = workspace.session();
      const { sha } = await session.read("a");
      await writeFile(session, "a", "changed\n");
      expect(statSync(join(root, ".stet/objects", sha)).uid).toBe(65_534);
      expect(await workspace.backend.recall(sha)).toMatchObject({ size: 16 });
      expect((await all(workspace.backend.kept())).map((kept) => kept.sha)).toContain(sha);
      await workspace.close();
    },
  );
});
