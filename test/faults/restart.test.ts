// The machine was started anew: what a power failure took is brought back, and what people and programs did to the files meanwhile stays.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Session, Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { describe, expect, it } from "vitest";
import { all, version } from "../support/assertions.ts";
import { restarted } from "../support/history-place.ts";
import { tempDir } from "../support/temp.ts";
import { directoryWith } from "../support/workspace.ts";

const NEW = `${"new line\n".repeat(2000)}`;

function place() {
  const [root, home] = [directoryWith({ a: "old\n" }), tempDir()];
  const open = () => new Workspace(disk({ root, stateDir: home }));
  const file = join(root, "a");
  const text = () => (existsSync(file) ? readFileSync(file, "utf8") : null);
  return { root, home, open, file, text };
}

async function changed(session: Session): Promise<void> {
  await session.read("a");
  await session.write("a", NEW);
  await session.create("dir/b", "b\n", { createParents: true });
}

function replaced(file: string): void {
  writeFileSync(`${file}.x`, "new\n");
  renameSync(`${file}.x`, file);
}

/** What was done to `a` after stet's last change, and what is there then. */
const BY_OTHERS: readonly (readonly [string, (file: string) => void, string | null])[] = [
  ["deleted it", (file) => rmSync(file), null],
  ["emptied it", (file) => truncateSync(file), ""],
  ["put the version before back", (file) => writeFileSync(file, "old\n"), "old\n"],
  ["wrote it", (file) => writeFileSync(file, "by hand\n"), "by hand\n"],
  ["cut it", (file) => truncateSync(file, 9), "new line\n"],
  ["replaced it by rename", replaced, "new\n"],
];

describe("after an ordinary restart", () => {
  it.each(BY_OTHERS)("somebody %s after the workspace was closed: it stays as it is", async (_what, act, after) => {
    const { home, open, file, text } = place();
    const before = open();
    await changed(before.session());
    await before.close();
    act(file);
    restarted(home);
    const workspace = open();
    const session = workspace.session();
    expect((await session.read("dir/b")).body).toBe("b\n");
    await session.read("a").catch(() => undefined);
    await session.create("c", "c\n");
    expect(text()).toBe(after);
    const outcomes = (await all(workspace.log({ newestFirst: false }))).map(({ outcome }) => outcome);
    const noted = after === null ? [] : ["external"];
    expect(outcomes).toEqual(["applied", "applied", ...noted, "applied"]);
    expect(await workspace.backend.recall(version(NEW).sha)).not.toBeNull();
    expect((await workspace.verify()).problems).toEqual([]);
    await workspace.close();
  });

  it("a directory that somebody moved stays where it is", async () => {
    const { root, home, open } = place();
    const before = open();
    await changed(before.session());
    await before.close();
    renameSync(join(root, "dir"), join(root, "moved"));
    restarted(home);
    const workspace = open();
    await workspace.session().create("c", "c\n");
    expect(existsSync(join(root, "dir"))).toBe(false);
    expect(readFileSync(join(root, "moved/b"), "utf8")).toBe("b\n");
    await workspace.close();
  });
});

/** What a power failure may leave of a file whose new bytes had not reached the disk. */
const BY_POWER: readonly (readonly [string, (file: string) => void])[] = [
  ["empty", (file) => truncateSync(file)],
  ["cut in a block", (file) => truncateSync(file, 5000)],
  ["all zeros", (file) => writeFileSync(file, Buffer.alloc(NEW.length))],
  ["zeros in one block", (file) => writeFileSync(file, Buffer.from(NEW).fill(0, 4096, 8192))],
  ["zeros at its end", (file) => writeFileSync(file, Buffer.from(NEW).fill(0, 12288))],
  ["old", (file) => writeFileSync(file, "old\n")],
  ["gone", (file) => rmSync(file)],
];

describe("after a power failure, with the workspace open", () => {
  it.each(BY_POWER)("a file that is %s is brought back by the first read", async (_what, lose) => {
    const { home, open, file, text } = place();
    const before = open();
    await changed(before.session());
    lose(file);
    restarted(home);
    const workspace = open();
    expect((await workspace.session().read("a")).body).toBe(NEW);
    expect(text()).toBe(NEW);
    expect((await workspace.verify()).problems).toEqual([]);
    await Promise.all([workspace.close(), before.close()]);
  });

  it.each([
    ["an editor's later save", "by hand\n"],
    ["bytes with zeros that are not of our blocks", `x${"\0".repeat(5000)}`],
    ["our bytes and more", `${NEW}and more\n`],
  ])("%s is kept, and told", async (_what, saved) => {
    const { home, open, file, text } = place();
    const before = open();
    await changed(before.session());
    writeFileSync(file, saved);
    restarted(home);
    const workspace = open();
    await workspace.session().create("c", "c\n");
    expect(text()).toBe(saved);
    const [note] = await all(workspace.log({ outcomes: ["note"] }));
    expect(note?.message).toContain("not finished for 'a'");
    for (const each of [saved, NEW]) expect(await workspace.backend.recall(version(each).sha)).not.toBeNull();
    expect((await workspace.backend.head("a" as never))?.sha).toBe(version(saved).sha);
    await Promise.all([workspace.close(), before.close()]);
  });

  it("what became something else is left alone", async () => {
    const { home, open, file } = place();
    const before = open();
    await changed(before.session());
    rmSync(file);
    mkdirSync(file);
    restarted(home);
    const workspace = open();
    await workspace.session().create("c", "c\n");
    expect(readFileSync(join(file, "../c"), "utf8")).toBe("c\n");
    await Promise.all([workspace.close(), before.close()]);
  });
});
