import {
  chmodSync,
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Refusal, Workspace } from "stet";
import { disk } from "stet/backends/disk";
import { describe, expect, it } from "vitest";
import { all, path, refuses, textAt } from "../support/assertions.ts";
import { directoryWith, memoryWorkspace } from "../support/workspace.ts";

describe("changing", () => {
  const open = (files: Record<string, string | Uint8Array>, options = {}) => memoryWorkspace(files, options).session();

  it("create refuses an existing file, write a missing one", async () => {
    const session = open({ a: "1\n" });
    await refuses("already_exists", () => session.create("a", "2\n"));
    await refuses("not_found", () => session.write("b", "2\n"));
    expect(await textAt(session.workspace.backend, "a")).toBe("1\n");
  });

  it("a file that was not read cannot be changed; one that was created can", async () => {
    const session = open({ a: "1\n" });
    await refuses("unread_file", () => session.write("a", "2\n"));
    await refuses("unread_file", () => session.delete("a"));
    await session.create("b", "1\n");
    await session.write("b", "2\n");
    expect(await textAt(session.workspace.backend, "b")).toBe("2\n");
  });

  it("reports versions, diff and counts", async () => {
    const session = open({ a: "1\n2\n3\n" });
    const { sha } = await session.read("a");
    const { files, entry, warnings } = await session.write("a", "1\nzwei\n3\n", {
      expectedSha256: sha,
      tool: "write_file",
      call: "c7",
    });
    expect(files[0]).toMatchObject({ path: "a", before: sha, size: 9, diff: { insertions: 1, deletions: 1 } });
    expect(files[0]?.diff.text).toContain("-2\n+zwei\n");
    expect(entry).toMatchObject({
      tool: "write_file",
      call: "c7",
      session: session.id,
      changes: [{ path: "a", proof: "sha256" }],
    });
    expect(warnings).toEqual([]);
  });

  it("a change that changes nothing makes no entry", async () => {
    const session = open({ a: "1\n" });
    await session.read("a");
    expect((await session.write("a", "1\n")).entry).toBeUndefined();
    expect(await all(session.workspace.log())).toEqual([]);
  });

  it("a dry run says what would happen and changes nothing", async () => {
    const session = open({ a: "1\n" });
    await session.read("a");
    const { files, entry } = await session.write("a", "2\n", { dryRun: true });
    expect(files[0]?.diff.text).toContain("+2");
    expect(entry).toBeUndefined();
    expect(await textAt(session.workspace.backend, "a")).toBe("1\n");
  });

  it("an inspection can stop a change", async () => {
    const session = open({ a: "1\n" });
    await session.read("a");
    const inspect = (): never => {
      throw new Refusal("safety_check_failed", "looks wrong");
    };
    await refuses("safety_check_failed", () => session.write("a", "2\n", { inspect }));
    expect(await textAt(session.workspace.backend, "a")).toBe("1\n");
    expect(
      (
        await session.write("a", "2\n", {
          inspect: ([file]) => [`${file?.beforeText?.trim()} to ${file?.afterText?.trim()}`],
        })
      ).warnings,
    ).toEqual(["1 to 2"]);
  });

  it("keeps encoding, byte order mark and line endings when a file is written as a whole", async () => {
    const session = open({ a: Buffer.from("\ufeffeins\r\nzwei\r\n", "utf16le") });
    await session.read("a");
    await session.write("a", "drei\nvier\n");
    const found = await session.readBytes("a");
    expect(Buffer.concat(found.version.parts as Uint8Array[])).toEqual(
      Buffer.from("\ufeffdrei\r\nvier\r\n", "utf16le"),
    );
  });

  it("moves with what was seen, and never over another file", async () => {
    const session = open({ a: "1\n", b: "2\n" });
    await session.read("a");
    await refuses("already_exists", () => session.move("a", "b"));
    await refuses("command_failed", () => session.move("a", "./a"));
    await refuses("not_found", () => session.move("a", "no/dir/c"));
    const { entry } = await session.move("a", "c");
    expect(entry?.changes).toMatchObject([
      { path: "a", to: null },
      { path: "c", from: null, movedFrom: "a" },
    ]);
    await session.write("c", "3\n");
    expect(await session.ledger.get(path("a"))).toBeUndefined();
    expect([await textAt(session.workspace.backend, "a"), await textAt(session.workspace.backend, "c")]).toEqual([
      null,
      "3\n",
    ]);
  });

  it("a directory that shall be moved is no file, whatever the proof; as a destination it is in the way", async () => {
    const session = open({ a: "1\n", "dir/b": "2\n" });
    await refuses("not_a_file", () => session.move("dir", "dir/e", { proof: { by: "waived" } }));
    await session.read("a");
    await refuses("already_exists", () => session.move("a", "dir", { overwrite: true }));
  });

  it("an overwriting move keeps what it overwrote", async () => {
    const session = open({ a: "1\n", b: "2\n" });
    await session.read("a");
    const old = (await session.read("b")).sha;
    await session.move("a", "b", { overwrite: true });
    expect(await session.workspace.backend.recall(old)).not.toBeNull();
  });

  it("several files change together or not at all", async () => {
    const session = open({ a: "1\n", b: "2\n" });
    const { sha } = await session.read("a");
    const edit = () => [{ body: "A\n" }, { body: "B\n" }];
    const target = (name: string, sha256: string) =>
      ({ path: name, proof: { by: "sha256", sha256 }, action: "write" }) as const;
    await refuses("stale_file", () => session.change([target("a", sha), target("b", "0".repeat(64))], edit));
    expect(await textAt(session.workspace.backend, "a")).toBe("1\n");
    await refuses("invalid_input", () => session.change([target("a", sha), target("./a", sha)], edit));
  });

  it("refuses more files in one change than the limit", async () => {
    const session = open({}, { limits: { maxFilesPerChange: 2 } });
    const targets = ["a", "b", "c"].map(
      (name) => ({ path: name, proof: { by: "absence" }, action: "create" }) as const,
    );
    await refuses("too_many_files", () => session.change(targets, () => targets.map(() => ({ body: "x" }))));
  });

  it("refuses a result above the size limit, but lets a large file shrink", async () => {
    const session = open({ big: "x".repeat(20) }, { policy: { maxFileBytes: 30 } });
    await session.read("big");
    await refuses("file_too_large", () => session.write("big", "y".repeat(31)));
    await session.write("big", "y");
  });

  it("a file above the size limit can still be deleted and moved", async () => {
    const session = open({ big: "x".repeat(200), other: "y".repeat(200) }, { policy: { maxFileBytes: 100 } });
    const waived = { proof: { by: "waived" } } as const;
    await session.delete("big", waived);
    await session.move("other", "moved", waived);
    expect((await session.workspace.backend.resolve("moved")).size).toBe(200);
  });

  it("writes down refusals: kind, tool, paths, no content", async () => {
    const session = open({ a: "1\n" });
    await refuses("unread_file", () => session.write("a", "secret text\n", { tool: "write_file" }));
    const [entry] = await all(session.workspace.log());
    expect(entry).toMatchObject({
      outcome: "refused",
      error: "unread_file",
      tool: "write_file",
      changes: [],
      details: { paths: ["a"], proofs: ["session"] },
    });
    expect(JSON.stringify(entry)).not.toContain("secret");
  });

  it("keeps no content in the journal", async () => {
    const session = open({});
    const { entry } = await session.create("a", "secret text\n");
    expect(JSON.stringify(entry)).not.toContain("secret");
  });
});

describe("overwriting what was only partly seen", () => {
  const text = "1\n2\n3\n4\n5\n";

  it("warns and names the lines", async () => {
    const session = memoryWorkspace({ a: text }).session();
    const { sha } = await session.read("a", { from: 2, to: 3 });
    const { warnings } = await session.write("a", "new\n", { expectedSha256: sha });
    expect(warnings).toEqual([
      "a was overwritten as a whole although its lines 1, 4-5 were never shown to this session.",
    ]);
  });

  it("strict refuses", async () => {
    const session = memoryWorkspace({ a: text }, { strict: true }).session();
    const { sha } = await session.read("a", { from: 2, to: 3 });
    const refusal = await refuses("unseen_content", () => session.write("a", "new\n", { expectedSha256: sha }));
    expect(refusal.failure.details).toEqual({
      neverShown: [
        { from: 1, to: 1 },
        { from: 4, to: 5 },
      ],
    });
    await session.edit("a", () => [{ start: 2, end: 3, text: "zwei" }], { expectedSha256: sha });
    await session.read("a");
    await session.write("a", "new\n");
  });
});

describe("files on disk", () => {
  it("keep their permission bits and the sticky bit, lose set-user-id and set-group-id, which the result says", async () => {
    const modes = { run: 0o755, sticky: 0o1755, suid: 0o4755, both: 0o6755 };
    const root = directoryWith(Object.fromEntries(Object.keys(modes).map((name) => [name, "1\n"])));
    const session = new Workspace(disk({ root })).session();
    const warnings: Record<string, readonly string[]> = {};
    for (const [name, mode] of Object.entries(modes)) {
      chmodSync(join(root, name), mode);
      await session.read(name);
      warnings[name] = (await session.write(name, "2\n")).warnings;
      expect(statSync(join(root, name)).mode & 0o7777).toBe(mode & 0o1777);
    }
    expect(warnings).toEqual({
      run: [],
      sticky: [],
      suid: ["suid: its set-user-id bit was taken off, as by every change."],
      both: [
        "both: its set-user-id bit was taken off, as by every change.",
        "both: its set-group-id bit was taken off, as by every change.",
      ],
    });
  });

  it("keep their extended attributes", async (context) => {
    let native: ReturnType<typeof nativeCalls>;
    const root = directoryWith({ a: "1\n" });
    const fd = openSync(join(root, "a"), "r+");
    try {
      native = nativeCalls();
      native.setAttrSync(fd, "user.stet-test", Buffer.from("kept"));
    } catch {
      return context.skip("the file system has no extended attributes");
    }
    const session = new Workspace(disk({ root })).session();
    await session.read("a");
    expect((await session.write("a", "2\n")).warnings).toEqual([]);
    const changed = openSync(join(root, "a"), "r");
    expect(Buffer.from(native.getAttrSync(changed, "user.stet-test")!).toString()).toBe("kept");
    for (const each of [fd, changed]) closeSync(each);
  });

  it("are written through a link, which stays", async () => {
    const root = directoryWith({ "real/a": "1\n" });
    symlinkSync("real/a", join(root, "link"));
    const session = new Workspace(disk({ root })).session();
    await session.read("link");
    await session.write("link", "2\n");
    expect(readlinkSync(join(root, "link"))).toBe("real/a");
    expect(readFileSync(join(root, "real/a"), "utf8")).toBe("2\n");
  });

  it("a link is deleted itself, and comes back as a link", async () => {
    const root = directoryWith({ a: "1\n" });
    symlinkSync("a", join(root, "link"));
    const session = new Workspace(disk({ root })).session();
    const { sha } = await session.read("link");
    const { entry } = await session.delete("link", { expectedSha256: sha });
    expect(readFileSync(join(root, "a"), "utf8")).toBe("1\n");
    await session.undo({ entry: entry!.seq });
    expect(readlinkSync(join(root, "link"))).toBe("a");
  });

  it("with other names by hard link keep the old content there, and the result says so", async () => {
    const root = directoryWith({ a: "1\n" });
    linkSync(join(root, "a"), join(root, "other"));
    const session = new Workspace(disk({ root })).session();
    await session.read("a");
    const { warnings } = await session.write("a", "2\n");
    expect(warnings).toEqual(["a: it had 1 other name(s) by hard link, which keep the old content."]);
    expect(readFileSync(join(root, "other"), "utf8")).toBe("1\n");
  });

  it("no state directory appears before something is changed", async () => {
    const root = directoryWith({ a: "1\n" });
    const session = new Workspace(disk({ root }), { policy: { readOnly: true } }).session();
    await session.read("a");
    await refuses("permission_denied", () => session.write("a", "2\n"));
    expect(() => statSync(join(root, ".stet"))).toThrow();
    writeFileSync(join(root, "a"), "changed\n");
    await session.read("a");
    expect(() => statSync(join(root, ".stet"))).toThrow();
  });
});

/** What the disk backend reaches extended attributes with; optional, as it is for stet. */
function nativeCalls() {
  return createRequire(import.meta.url)("fs-native-extensions") as {
    setAttrSync(fd: number, name: string, value: Buffer): void;
    getAttrSync(fd: number, name: string): Uint8Array | null;
  };
}
