// Whatever stet does not use for what it is, the owner can adopt; and what cannot be adopted is refused before anything is moved.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { openJournal } from "../../src/backends/disk/journal/journal.ts";
import { adoptState } from "../../src/backends/disk/trust/adopt.ts";
import { createFile, writeFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { all, refuses } from "../../src/testing/assertions.ts";
import { tempDir } from "../support/temp.ts";
import { directoryWith } from "../support/workspace.ts";
import { change, everythingIn, isForeign, recordsIn, type Used, used } from "./trust-support.ts";

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

afterEach(() => {
  if (isRoot) process.seteuid?.(0);
});

/** Two entries, three versions. */
async function usedTwice(): Promise<Used & { state: string }> {
  const { root, registerDir } = await used();
  await change({ root, registerDir }, "a.txt", "three\n");
  return { root, registerDir, state: join(root, ".stet") };
}

async function isRefused({ root, registerDir }: Used): Promise<string> {
  const workspace = new Workspace(disk({ root, registerDir, durability: "fast" }));
  try {
    return await createFile(workspace.session(), "refused.txt", "x").then(
      () => expect.fail("it is used"),
      (error) => error.message,
    );
  } finally {
    await workspace.close();
  }
}

/** All that is there is from elsewhere, and can be gone on with. */
async function isUsed({ root, registerDir }: Used, entries: number): Promise<void> {
  const workspace = new Workspace(disk({ root, registerDir, durability: "fast" }));
  await createFile(workspace.session(), "new.txt", "new\n");
  const log = (await all(workspace.log())).sort((a, b) => a.seq - b.seq);
  expect(log.map(({ elsewhere }) => elsewhere === true)).toEqual([...Array<boolean>(entries).fill(true), false]);
  expect(await workspace.verify()).toMatchObject({ ok: true, entries: entries + 1 });
  await workspace.close();
}

describe("of a state that was made here and is not used, adopting takes what is whole", () => {
  it("when its journal was cut", async () => {
    const at = await usedTwice();
    rmSync(join(at.state, "journal"), { recursive: true });
    expect(await isRefused(at)).toContain("stet adopt takes its history over");
    const looked = await adoptState({ ...at, dryRun: true });
    expect(looked.why).toContain("was cut or replaced");
    expect(await adoptState(at)).toMatchObject({ entries: 0, versions: 3, why: looked.why });
    await isUsed(at, 0);
    await refuses("invalid_input", () => adoptState(at));
  });

  it("when an older backup was copied back into its place", async () => {
    const at = await usedTwice();
    const backup = join(tempDir(), "backup");
    cpSync(at.state, backup, { recursive: true });
    await change({ root: at.root, registerDir: at.registerDir }, "a.txt", "four\n");
    for (const name of readdirSync(at.state)) rmSync(join(at.state, name), { recursive: true });
    cpSync(backup, at.state, { recursive: true });
    expect(await isRefused(at)).toContain("was cut or replaced");
    const [before] = recordsIn(at.registerDir);
    expect(await adoptState(at)).toMatchObject({ entries: 2, versions: 3 });
    expect(recordsIn(at.registerDir)).not.toContain(before);
    await isUsed(at, 2);
  });

  it.each(["objects", "pending", "journal", "lock"])("when its part %s is a link or a file", async (part) => {
    const plants = [(path: string) => symlinkSync(tempDir(), path), (path: string) => writeFileSync(path, "x")];
    for (const plant of plants) {
      const at = await usedTwice();
      rmSync(join(at.state, part), { recursive: true });
      plant(join(at.state, part));
      expect(await isRefused(at)).toContain(`'${part}', which is not a directory`);
      const entries = part === "journal" ? 0 : 2;
      expect(await adoptState(at)).toMatchObject({ entries, versions: part === "objects" ? 0 : 3 });
      await isUsed(at, entries);
    }
  });

  it.each(["lock/held", "lock/waiting", "journal/0000000000000001.jsonl", "format"])(
    "when %s has another name by hard link",
    async (part) => {
      for (const afresh of [false, true]) {
        const at = await usedTwice();
        const outside = join(tempDir(), "outside");
        linkSync(join(at.state, part), outside);
        const before = statSync(outside);
        await isRefused(at);
        const entries = afresh ? 0 : 2;
        const done = await adoptState({ ...at, afresh });
        expect(done).toMatchObject({ entries });
        if (!afresh) expect(done.why).toContain("cannot be opened: ");
        await isUsed(at, entries);
        expect(statSync(outside)).toMatchObject({ size: before.size, mtimeMs: before.mtimeMs });
      }
    },
  );

  it("when a backup of hard links was made of all of it", async () => {
    const at = await usedTwice();
    execFileSync("cp", ["-al", at.state, join(tempDir(), "backup")]);
    await isRefused(at);
    expect(await adoptState(at)).toMatchObject({ entries: 2, versions: 3 });
    await isUsed(at, 2);
  });

  it("but one of a format that a newer stet wrote stays: only to start anew is possible", async () => {
    const at = await usedTwice();
    writeFileSync(join(at.state, "format"), "2\n");
    const before = everythingIn(at.state);
    const { failure } = await refuses("unsupported", () => adoptState(at));
    expect(failure.suggestedAction).toContain("Use the stet that wrote it");
    expect(everythingIn(at.state)).toBe(before);
    expect(await adoptState({ ...at, afresh: true })).toMatchObject({ entries: 0 });
    await isUsed(at, 0);
  });
});

describe.skipIf(process.platform === "win32")("what cannot be moved", () => {
  it("because the user may not write into it is made so: it is the user's own", async () => {
    for (const parts of [["objects"], ["journal", "pending", "lock", ""]]) {
      const at = { root: directoryWith({ "a.txt": "one\n" }), registerDir: tempDir() };
      if (isRoot) {
        for (const path of [at.root, at.registerDir, join(at.root, "a.txt")]) chownSync(path, NOBODY, NOBODY);
        process.seteuid?.(NOBODY);
      }
      await change(at, "a.txt", "two\n");
      const state = join(at.root, ".stet");
      rmSync(join(at.registerDir, recordsIn(at.registerDir)[0]!));
      for (const part of parts) chmodSync(join(state, part), 0o500);
      const done = await adoptState(at);
      expect(done, parts.join()).toMatchObject({ entries: 1, versions: 2 });
      expect(existsSync(join(state, done.aside!, "format"))).toBe(true);
      await isUsed(at, 1);
      if (isRoot) process.seteuid?.(0);
    }
  });

  it.skipIf(!isRoot)("because a part belongs to another user is refused before anything is moved", async () => {
    const at = { root: directoryWith({ "a.txt": "one\n" }), registerDir: tempDir() };
    for (const path of [at.root, at.registerDir, join(at.root, "a.txt")]) chownSync(path, NOBODY, NOBODY);
    process.seteuid?.(NOBODY);
    await change(at, "a.txt", "two\n");
    const state = join(at.root, ".stet");
    rmSync(join(at.registerDir, recordsIn(at.registerDir)[0]!));
    process.seteuid?.(0);
    chownSync(join(state, "pending"), 0, 0);
    const before = everythingIn(state);
    process.seteuid?.(NOBODY);
    for (const afresh of [false, true]) {
      const { failure } = await refuses("permission_denied", () => adoptState({ ...at, afresh }));
      expect(failure.message).toContain("'pending', which belongs to another user");
      expect(failure.suggestedAction).toContain("STET_STATE_DIR");
    }
    process.seteuid?.(0);
    expect(everythingIn(state)).toBe(before);
  });

  it.skipIf(!isRoot)("because all of it belongs to another user is refused, and what helps is said", async () => {
    const at = await usedTwice();
    chownSync(at.state, NOBODY, NOBODY);
    expect(await isRefused(at)).toMatch(/Run stet as its owner.*STET_STATE_DIR/);
    expect(await isRefused(at)).not.toContain("stet adopt");
    for (const afresh of [false, true]) {
      const { failure } = await refuses("permission_denied", () => adoptState({ ...at, afresh }));
      expect(failure.suggestedAction).toContain("STET_STATE_DIR");
    }
  });

  it("because git's index cannot be read is refused before anything is moved, until it can be", async () => {
    const at = await usedTwice();
    const git = (...args: string[]) => execFileSync("git", args, { cwd: at.root, stdio: "pipe" });
    git("init", "-q");
    writeFileSync(join(at.root, ".git/index"), "nonsense");
    const before = everythingIn(at.state);
    expect(await isRefused(at)).toContain("when git has written its index anew: stet adopt");
    for (const afresh of [false, true]) {
      const { failure } = await refuses("unsupported", () => adoptState({ ...at, afresh }));
      expect(failure.suggestedAction).toContain("remove the index and run git reset");
    }
    expect(everythingIn(at.state)).toBe(before);
    rmSync(join(at.root, ".git/index"));
    git("reset", "-q");
    await change({ root: at.root, registerDir: at.registerDir }, "b.txt", "used again\n");
  });

  it("because nobody could remember it afterwards is refused before anything is moved", async () => {
    const at = await usedTwice();
    chmodSync(at.registerDir, 0o777);
    const before = everythingIn(at.state);
    const { failure } = await refuses("unsupported", () => adoptState({ ...at, afresh: true }));
    expect(failure.message).toContain("other users can write there");
    expect(everythingIn(at.state)).toBe(before);
  });
});

describe("what a refusal recommends helps", () => {
  it.skipIf(process.platform === "win32")("open to others: to close it", async () => {
    const at = await usedTwice();
    chmodSync(at.state, 0o755);
    expect(await isRefused(at)).toContain("chmod 700 .stet");
    chmodSync(at.state, 0o700);
    await change({ root: at.root, registerDir: at.registerDir }, "b.txt", "used again\n");
  });

  it.skipIf(process.platform === "win32")(
    "open to others and from elsewhere: to close it would not, so it is not said",
    async () => {
      const at = await used();
      rmSync(join(at.registerDir, recordsIn(at.registerDir)[0]!));
      chmodSync(join(at.root, ".stet"), 0o755);
      await isForeign(at, "was not made here by this user");
      expect(await isRefused(at)).not.toContain("chmod");
    },
  );

  it("tracked by git for a moment: to adopt it", async () => {
    const at = await usedTwice();
    const git = (...args: string[]) => execFileSync("git", args, { cwd: at.root, stdio: "pipe" });
    git("init", "-q");
    git("add", "-f", ".stet/format");
    expect(await isRefused(at)).toContain("after git rm -r --cached .stet: stet adopt");
    git("reset", "-q");
    expect(await isRefused(at)).toMatch(/was tracked by git.*stet adopt takes its history over/);
    expect(await adoptState(at)).toMatchObject({ entries: 2, versions: 3 });
    await isUsed(at, 2);
  });
});

describe("while others are at work", () => {
  it("an entry that is added after they were counted is from elsewhere too", async () => {
    const at = await usedTwice();
    rmSync(join(at.registerDir, recordsIn(at.registerDir)[0]!));
    let added = false;
    const progress = (words: string): void => {
      if (added || !words.includes("versions")) return;
      added = true;
      const journal = openJournal(join(at.state, "journal"));
      journal.append({ session: "x", tool: "x", outcome: "note", changes: [], message: "added late" });
      journal.close();
    };
    expect(await adoptState({ ...at, progress })).toMatchObject({ entries: 3 });
    expect(added).toBe(true);
    await isUsed(at, 3);
  });

  it("two adoptions at the same time are one", async () => {
    const at = await usedTwice();
    rmSync(join(at.registerDir, recordsIn(at.registerDir)[0]!));
    const both = await Promise.allSettled([adoptState(at), adoptState(at)]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const refused = both.find(({ status }) => status === "rejected") as PromiseRejectedResult;
    expect(refused.reason.message).toContain("in use already");
    expect(readdirSync(join(at.state, "aside"))).toHaveLength(1);
    await isUsed(at, 2);
  });

  it("who still has a cut state open notices that it is gone", async () => {
    const at = await usedTwice();
    const workspace = new Workspace(disk({ root: at.root, registerDir: at.registerDir, durability: "fast" }));
    const session = workspace.session();
    await session.read("a.txt");
    await writeFile(session, "a.txt", "four\n");
    const segment = join(at.state, "journal/0000000000000001.jsonl");
    rmSync(segment);
    expect(lstatSync(segment, { throwIfNoEntry: false })).toBeUndefined();
    expect(await adoptState(at)).toMatchObject({ entries: 0 });
    const { failure } = await refuses("unsupported", () => writeFile(session, "a.txt", "five\n"));
    expect(failure.message).toContain("was moved, deleted or replaced");
    await workspace.close();
  });
});
