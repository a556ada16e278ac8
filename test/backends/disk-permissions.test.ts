// A history that this user may not read, or may not write: what still works, and what is said about the rest.
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Workspace } from "stet";
import { type DiskOptions, disk } from "stet/backends/disk";
import { workspace } from "stet/surfaces";
import { afterEach, describe, expect, it } from "vitest";
import { agentIn } from "../support/agent.ts";
import { all, refuses } from "../support/assertions.ts";
import { tempDir } from "../support/temp.ts";
import { directoryWith } from "../support/workspace.ts";

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

afterEach(() => {
  if (isRoot) process.seteuid?.(0);
});

/** From here to the end of the test; permissions mean nothing to root. */
function asSomebodyElse(): void {
  if (isRoot) process.seteuid?.(NOBODY);
}

/** With two versions of `a`, its files readable by all; its state made by the user who looks at it, or by root. */
async function usedRoot(
  by: "the user" | "another user" = "the user",
): Promise<DiskOptions & { readonly root: string }> {
  const root = directoryWith({ a: "1\n", b: "b\n" });
  const stateDir = tempDir();
  if (isRoot && by === "the user") {
    for (const path of [root, stateDir, join(root, "a"), join(root, "b")]) chownSync(path, NOBODY, NOBODY);
    process.seteuid?.(NOBODY);
  }
  const workspace = new Workspace(disk({ root, stateDir }));
  const session = workspace.session();
  await session.read("a");
  await session.write("a", "2\n");
  await workspace.close();
  if (isRoot) process.seteuid?.(0);
  chmodSync(root, 0o755);
  return { root, stateDir };
}

function chmodAll(dir: string, file: number, directory: number): void {
  for (const name of readdirSync(dir)) {
    const at = join(dir, name);
    if (lstatSync(at).isDirectory()) chmodAll(at, file, directory);
    else chmodSync(at, file);
  }
  chmodSync(dir, directory);
}

describe.skipIf(process.platform === "win32")("a history that may be read and not written", () => {
  it("is read: log, old versions, verification, files", async () => {
    const at = await usedRoot();
    chmodAll(at.stateDir!, 0o400, 0o500);
    asSomebodyElse();
    const workspace = new Workspace(disk(at));
    const [entry] = await all(workspace.log());
    expect(entry).toMatchObject({ seq: 1, changes: [{ path: "a" }] });
    expect(await workspace.verify()).toMatchObject({ ok: true, entries: 1 });
    const { from, to } = entry!.changes[0]!;
    for (const sha of [from!, to!]) expect(await workspace.backend.recall(sha)).not.toBeNull();
    expect(await all(workspace.backend.kept())).toHaveLength(2);
    expect((await workspace.session().read("a")).body).toBe("2\n");
    await workspace.close();
  });

  it("keeps nobody from reading what others changed, although that cannot be written down", async () => {
    const at = await usedRoot();
    writeFileSync(join(at.root, "a"), "theirs\n");
    chmodAll(at.stateDir!, 0o400, 0o500);
    asSomebodyElse();
    const session = new Workspace(disk(at)).session();
    expect((await session.read("a")).body).toBe("theirs\n");
    expect((await session.readBytes("a")).version.size).toBe(7);
  });

  it("refuses a change in words, and takes it once it may be written again, in the same process", async () => {
    const at = await usedRoot();
    chmodAll(at.stateDir!, 0o400, 0o500);
    asSomebodyElse();
    const session = new Workspace(disk(at)).session();
    await session.read("b");
    const { failure } = await refuses("permission_denied", () => session.create("new", "x"));
    expect(failure.message).toContain("state");
    expect(failure.suggestedAction).toMatch(/owner/);
    expect(existsSync(join(at.root, "new"))).toBe(false);
    chmodAll(at.stateDir!, 0o600, 0o700);
    await session.create("new", "x");
    expect(readFileSync(join(at.root, "new"), "utf8")).toBe("x");
    expect(await session.workspace.verify()).toMatchObject({ ok: true, entries: 2 });
  });
});

describe.skipIf(process.platform === "win32")("a history that may not even be read", () => {
  it.each(["the user", "another user"] as const)(
    "made by %s refuses what needs it, in words, and lets files be read",
    async (by) => {
      if (by === "another user" && !isRoot) return;
      const at = await usedRoot(by);
      chmodSync(at.stateDir!, by === "the user" ? 0o000 : 0o700);
      asSomebodyElse();
      const workspace = new Workspace(disk(at));
      const session = workspace.session();
      const asked = [
        () => all(workspace.log()),
        () => workspace.verify(),
        () => all(workspace.backend.kept()),
        () => session.create("new", "x"),
      ];
      for (const ask of asked) {
        const { failure } = await refuses("permission_denied", ask);
        expect(failure.message).toMatch(/the state in|\.stet/);
        expect(failure.suggestedAction).toMatch(/owner/);
      }
      expect((await session.read("a")).body).toBe("2\n");
      await workspace.close();
      if (isRoot) process.seteuid?.(0);
      chmodSync(at.stateDir!, 0o700);
    },
  );

  it("elsewhere is not taken for one that is not there", async () => {
    const { root } = await usedRoot();
    const locked = directoryWith({ "state/x": "" });
    chmodSync(locked, 0o000);
    asSomebodyElse();
    const backend = disk({ root, stateDir: join(locked, "state") });
    await refuses("permission_denied", () => all(backend.log()));
    if (isRoot) process.seteuid?.(0);
    chmodSync(locked, 0o700);
  });
});

describe.skipIf(process.platform === "win32")("a directory of the workspace that may not be written", () => {
  it("refuses every change of its files as permission_denied, and leaves nothing unfinished behind", async () => {
    const at = await usedRoot();
    mkdirSync(join(at.root, "closed"));
    const file = join(at.root, "closed/file");
    writeFileSync(file, "1\n");
    if (isRoot) chownSync(file, NOBODY, NOBODY);
    chmodSync(join(at.root, "closed"), 0o555);
    asSomebodyElse();
    const agent = agentIn(new Workspace(disk(at)), workspace);
    const expectedSha256 = await agent.sha("closed/file");
    const edit = { path: "closed/file", edits: [{ oldText: "1", newText: "2" }], expectedSha256 };
    const patch = "*** Begin Patch\n*** Update File: closed/file\n@@\n-1\n+2\n*** End Patch\n";
    const changes = [
      ["edit_file", edit],
      ["write_file", { path: "closed/file", content: "2\n", expectedSha256 }],
      ["apply_patch", { patch }],
      ["create_file", { path: "closed/new", content: "x\n" }],
      ["delete_file", { path: "closed/file" }],
      ["move_file", { fromPath: "closed/file", toPath: "there", expectedSha256 }],
    ] as const;
    for (const [tool, input] of changes)
      expect([tool, (await agent.refused(tool, input)).kind]).toEqual([tool, "permission_denied"]);
    await agent.done("create_file", { path: "open", content: "x\n" });
    expect(await agent.content("closed/file")).toBe("1\n");
    expect(await agent.workspace.verify()).toMatchObject({ ok: true });
    if (isRoot) process.seteuid?.(0);
    chmodSync(join(at.root, "closed"), 0o755);
  });
});
