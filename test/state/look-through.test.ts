// A state from before there were records, file by file: what belongs to another user, or has another name, is not used.
import { chownSync, existsSync, linkSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { createFile, writeFile } from "../../src/kernel/verbs.ts";
import { Workspace } from "../../src/kernel/workspace.ts";
import { all, refuses } from "../../src/testing/assertions.ts";
import { tempDir } from "../support/temp.ts";
import { directoryWith } from "../support/workspace.ts";

const SEGMENT = "journal/0000000000000001.jsonl";
const NOBODY = 65_534;

interface Unrecorded {
  readonly root: string;
  readonly registerDir: string;
  readonly state: string;
}

async function unrecorded(): Promise<Unrecorded> {
  const [root, registerDir] = [directoryWith({ "a.txt": "first line of a\n" }), tempDir()];
  const workspace = new Workspace(disk({ root, registerDir, durability: "fast" }));
  const session = workspace.session();
  await session.read("a.txt");
  await writeFile(session, "a.txt", "second line of a\n");
  await workspace.close();
  const state = join(root, ".stet");
  rmSync(join(state, "id"));
  for (const name of readdirSync(registerDir)) rmSync(join(registerDir, name));
  return { root, registerDir, state };
}

async function isForeign({ root, registerDir, state }: Unrecorded, why: string): Promise<void> {
  const workspace = new Workspace(disk({ root, registerDir, durability: "fast" }));
  const { failure } = await refuses("unsupported", () => createFile(workspace.session(), "new.txt", "new\n"));
  expect(failure.details).toMatchObject({ stateNotUsed: expect.stringContaining(why) });
  expect((await workspace.session().read("a.txt")).body).toBe("second line of a\n");
  await workspace.close();
  expect(existsSync(join(root, "new.txt"))).toBe(false);
  expect(existsSync(join(state, "id"))).toBe(false);
  expect(readdirSync(registerDir)).toEqual([]);
}

async function isTakenOver({ root, registerDir }: Unrecorded): Promise<void> {
  const workspace = new Workspace(disk({ root, registerDir, durability: "fast" }));
  await createFile(workspace.session(), "new.txt", "new\n");
  expect(await all(workspace.log())).toHaveLength(2);
  await workspace.close();
}

describe("a state without an id", () => {
  it.runIf(process.getuid?.() === 0).each(["objects", "journal", "lock", "pending"])(
    "is not used when its part %s belongs to another user",
    async (part) => {
      const at = await unrecorded();
      chownSync(join(at.state, part), NOBODY, NOBODY);
      await isForeign(at, `'${part}', which belongs to another user`);
    },
  );

  it.runIf(process.getuid?.() === 0).each([
    ["format", "'format', which is not a regular file of this user"],
    [".gitignore", "'.gitignore', which is not a regular file of this user"],
    [SEGMENT, `'${SEGMENT}', which stet did not put there`],
    ["lock/lock-kind", "'lock/lock-kind', which stet did not put there"],
  ])("is not used when its file %s belongs to another user", async (name, why) => {
    const at = await unrecorded();
    if (!existsSync(join(at.state, name))) writeFileSync(join(at.state, name), "link\n");
    chownSync(join(at.state, name), NOBODY, NOBODY);
    await isForeign(at, why);
  });

  it.each([
    ["format", "'format', which is not a regular file of this user"],
    [SEGMENT, `'${SEGMENT}', which stet did not put there`],
    ["objects", "', which stet did not put there"],
  ])("is not used when in it %s has another name by hard link", async (name, why) => {
    const at = await unrecorded();
    const file = name === "objects" ? join(name, readdirSync(join(at.state, name))[0]!) : name;
    linkSync(join(at.state, file), join(tempDir(), "another-name"));
    await isForeign(at, why);
  });

  it.runIf(process.getuid?.() === 0)("is used although a kept version has the owner it had as a file", async () => {
    const at = await unrecorded();
    const [kept] = readdirSync(join(at.state, "objects"));
    chownSync(join(at.state, "objects", kept!), NOBODY, NOBODY);
    await isTakenOver(at);
  });

  it("is used although a lock by hard links was left in it", async () => {
    const at = await unrecorded();
    const owner = join(at.state, `lock/owner-${"f".repeat(16)}`);
    writeFileSync(owner, "");
    linkSync(owner, join(at.state, `lock/dead-${"e".repeat(16)}`));
    await isTakenOver(at);
  });
});
