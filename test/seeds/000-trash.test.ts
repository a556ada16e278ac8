// Seed 000: delete_file, restore_file, list_trash, move_file.
import { chmodSync, existsSync, linkSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import type { Sha } from "../../src/core/backend.ts";
import { BACKENDS, directoryWith } from "../support/workspace.ts";
import { deskOn } from "./000-calls.ts";

const BINARY = Uint8Array.of(1, 0, 2, 255);

describe.each(BACKENDS)("seed 000: delete_file and restore_file on %s", (_name, make) => {
  it("a deleted file is recoverable from the trash", async () => {
    const desk = deskOn(make({ "d/a": "one\n" }));
    const before = await desk.sha("d/a");
    const { data, text } = await desk.ok("delete_file", { path: "d/a", expectedSha256: before });
    expect(data).toMatchObject({ deleted: true, path: "d/a", beforeSha256: before, sizeBytes: 4, permanent: false });
    expect(data.diff).toContain("-one\n");
    expect(text).toContain(`trashedPath "${data.trashedTo}"`);
    expect(await desk.textAt("d/a")).toBeNull();

    const { data: restored } = await desk.ok("restore_file", { trashedPath: data.trashedTo });
    expect(restored).toEqual({ restored: true, path: "d/a", from: data.trashedTo, sha256: before, sizeBytes: 4 });
    expect(await desk.textAt("d/a")).toBe("one\n");
    expect((await desk.ok("list_trash", {})).data.entries).toEqual([]);
  });

  it.each([
    ["its id", (id: string) => ({ trashedPath: id })],
    ["its old path", () => ({ trashedPath: "./d/a" })],
    ["another parameter name", (id: string) => ({ trashId: id })],
    ["trashedTo", (id: string) => ({ trashedTo: id })],
    ["path", () => ({ path: "d/a" })],
  ])("restores by %s", async (_what, input) => {
    const desk = deskOn(make({ "d/a": "one\n" }));
    const { data } = await desk.ok("delete_file", { path: "d/a" });
    await desk.ok("restore_file", input(data.trashedTo!));
    expect(await desk.textAt("d/a")).toBe("one\n");
  });

  it("restores to another path and makes its parent directories", async () => {
    const desk = deskOn(make({ a: BINARY }));
    const { data } = await desk.ok("delete_file", { path: "a" });
    const { data: restored } = await desk.ok("restore_file", { trashedPath: data.trashedTo, targetPath: "x/y/b" });
    expect(restored.path).toBe("x/y/b");
    expect(await desk.sha("x/y/b")).toBe(data.beforeSha256);
  });

  it("never restores over a file; the trash still has it", async () => {
    const desk = deskOn(make({ a: "old\n" }));
    await desk.ok("delete_file", { path: "a" });
    await desk.ok("create_file", { path: "a", content: "new\n" });
    expect((await desk.no("restore_file", { trashedPath: "a" })).kind).toBe("already_exists");
    expect(await desk.textAt("a")).toBe("new\n");
    await desk.ok("restore_file", { trashedPath: "a", targetPath: "b" });
    expect(await desk.textAt("b")).toBe("old\n");
  });

  it.each([
    ["an id that is not there", { trashedPath: "999" }, "not_found"],
    ["a path that was never deleted", { trashedPath: "a" }, "not_found"],
    ["a file outside", { trashedPath: "/etc/passwd" }, "outside_workspace"],
    ["a way out", { trashedPath: "../../etc/passwd" }, "outside_workspace"],
  ])("only from the trash of this workspace: refuses %s", async (_what, input, kind) => {
    const refused = await deskOn(make({ a: "1" })).no("restore_file", input);
    expect(refused.kind).toBe(kind);
    if (kind === "not_found") expect(refused.suggestedAction).toContain("list_trash");
  });

  it("bytes that are no longer kept are not found", async () => {
    const desk = deskOn(make({ a: "1\n" }));
    const { data } = await desk.ok("delete_file", { path: "a" });
    await desk.workspace.backend.forget([data.beforeSha256 as Sha]);
    expect(await desk.no("restore_file", { trashedPath: "a" })).toMatchObject({
      kind: "not_found",
      details: { cause: "not_kept" },
    });
  });

  it("the newest of several deletions of one path comes back first", async () => {
    const desk = deskOn(make({ a: "1\n" }));
    await desk.ok("delete_file", { path: "a" });
    await desk.ok("create_file", { path: "a", content: "2\n" });
    await desk.ok("delete_file", { path: "a" });
    const { data } = await desk.ok("list_trash", { path: "a" });
    expect(data.entries.map(({ originalPath }) => originalPath)).toEqual(["a", "a"]);
    await desk.ok("restore_file", { trashedPath: "a" });
    expect(await desk.textAt("a")).toBe("2\n");
    await desk.ok("restore_file", { trashedPath: data.entries[1]!.trashedPath, targetPath: "first" });
    expect(await desk.textAt("first")).toBe("1\n");
  });

  it("a file whose name is a number is not taken for an id", async () => {
    const desk = deskOn(make({ a: "of a\n" }));
    const { data: first } = await desk.ok("delete_file", { path: "a" });
    const name = first.trashedTo!;
    await desk.ok("create_file", { path: name, content: "of the number\n" });
    const { data: second } = await desk.ok("delete_file", { path: name });

    const byId = await desk.ok("restore_file", { trashedPath: name });
    expect([byId.data.path, byId.warnings]).toEqual([
      "a",
      [`${name} was taken as an id. The deleted file of that name is in the trash as ${second.trashedTo}.`],
    ]);
    const { data: third } = await desk.ok("delete_file", { path: "a" });
    const byName = await desk.ok("restore_file", { trashedPath: `./${name}` });
    expect([byName.data.path, byName.data.from, byName.warnings]).toEqual([name, second.trashedTo, []]);
    expect((await desk.no("restore_file", { trashedPath: `./${third.trashedTo}` })).kind).toBe("not_found");
    expect((await desk.ok("restore_file", { trashedPath: third.trashedTo })).warnings).toEqual([]);
  });

  it("permanent leaves nothing to restore, and needs proof", async () => {
    const desk = deskOn(make({ a: "1\n" }));
    expect((await desk.no("delete_file", { path: "a", permanent: true })).kind).toBe("stale_file");
    const { data } = await desk.ok("delete_file", { path: "a", permanent: true, expectedSha256: await desk.sha("a") });
    expect(data).toMatchObject({ permanent: true });
    expect(data.trashedTo).toBeUndefined();
    expect((await desk.no("restore_file", { trashedPath: "a" })).kind).toBe("not_found");
    expect(await desk.workspace.backend.recall(data.beforeSha256 as Sha)).toBeNull();
  });

  it("permanent is refused before anything happens where the policy allows no purge", async () => {
    const desk = deskOn(make({ a: "1\n" }), { policy: { allowedActions: ["read", "delete"] } });
    const expectedSha256 = await desk.sha("a");
    expect((await desk.no("delete_file", { path: "a", permanent: true, expectedSha256 })).kind).toBe(
      "permission_denied",
    );
    expect(await desk.textAt("a")).toBe("1\n");
  });

  it("without a sha256 it goes to the trash unchecked; strict refuses", async () => {
    await deskOn(make({ a: "1\n" })).ok("delete_file", { path: "a" });
    expect((await deskOn(make({ a: "1\n" }), { strict: true }).no("delete_file", { path: "a" })).kind).toBe(
      "stale_file",
    );
  });

  it.each([
    ["a directory", "d"],
    ["a missing file", "nope"],
  ])("%s is not found", async (_what, path) => {
    expect((await deskOn(make({ "d/a": "1" })).no("delete_file", { path })).kind).toBe("not_found");
  });

  it("list_trash tells what, when and by whom", async () => {
    const desk = deskOn(make({ a: "1\n", b: "22\n" }));
    await desk.ok("delete_file", { path: "a" });
    await desk.ok("delete_file", { path: "b" });
    const { data, text } = await desk.ok("list_trash", { maxResults: 1 });
    expect(data.truncated).toBe(true);
    expect(data.entries).toMatchObject([
      { originalPath: "b", sizeBytes: 3, sessionId: "mine", agentName: "agent mine", toolName: "delete_file" },
    ]);
    expect(text).toContain(`${data.entries[0]!.trashedPath}  b (3 bytes) deleted`);
    expect((await desk.ok("list_trash", { path: "a" })).data.entries).toHaveLength(1);
  });
});

describe.each(BACKENDS)("seed 000: move_file on %s", (_name, make) => {
  it("moves and keeps the bytes", async () => {
    const desk = deskOn(make({ a: BINARY, "d/x": "" }));
    const sha256 = await desk.sha("a");
    const { data, text } = await desk.ok("move_file", { fromPath: "a", toPath: "d/b", expectedSha256: sha256 });
    expect(data).toEqual({ moved: true, fromPath: "a", toPath: "d/b", sha256, sizeBytes: 4 });
    expect(text).toBe(`Moved a to d/b, sha256=${sha256}`);
    expect(await desk.sha("d/b")).toBe(sha256);
  });

  it("is not in the trash afterwards", async () => {
    const desk = deskOn(make({ a: "1\n" }));
    await desk.ok("move_file", { fromPath: "a", toPath: "b", expectedSha256: await desk.sha("a") });
    expect((await desk.ok("list_trash", {})).data.entries).toEqual([]);
  });

  it.each([
    ["never overwrites", { toPath: "b" }, "already_exists"],
    ["never overwrites a directory", { toPath: "d", overwrite: true }, "already_exists"],
    ["onto itself", { toPath: "./a" }, "command_failed"],
    ["the parent must exist", { toPath: "no/where" }, "not_found"],
    ["a missing file", { fromPath: "nope", toPath: "c" }, "not_found"],
    ["no sha256", { toPath: "c", expectedSha256: undefined }, "command_failed"],
    ["out of the workspace", { toPath: "../c" }, "outside_workspace"],
  ])("%s", async (_what, input, kind) => {
    const desk = deskOn(make({ a: "1\n", b: "2\n", "d/x": "3\n" }));
    const refused = await desk.no("move_file", { fromPath: "a", expectedSha256: await desk.sha("a"), ...input });
    expect(refused.kind).toBe(kind);
    expect(refused.text.startsWith("Move rejected, nothing moved. ")).toBe(true);
    expect([await desk.textAt("a"), await desk.textAt("b")]).toEqual(["1\n", "2\n"]);
  });

  it("overwrite puts the file that was there into the trash, in the same change", async () => {
    const desk = deskOn(make({ a: "1\n", b: "2\n" }));
    const move = { fromPath: "a", toPath: "b", overwrite: true, expectedSha256: await desk.sha("a") };
    const { data } = await desk.ok("move_file", move);
    expect(await desk.textAt("b")).toBe("1\n");
    await desk.ok("restore_file", { trashedPath: data.overwroteTrashedTo, targetPath: "c" });
    expect(await desk.textAt("c")).toBe("2\n");
    expect((await desk.ok("audit_log", { success: true })).data.entries).toHaveLength(2);
  });
});

describe("seed 000: what a disk has besides bytes", () => {
  it("a restored file has its mode back, and a move keeps it", async () => {
    const root = directoryWith({ a: "#!/bin/sh\n" });
    chmodSync(join(root, "a"), 0o755);
    const desk = deskOn(disk({ root, durability: "fast" }));
    await desk.ok("delete_file", { path: "a" });
    expect(existsSync(join(root, "a"))).toBe(false);
    const { data } = await desk.ok("restore_file", { trashedPath: "a" });
    expect(statSync(join(root, "a")).mode & 0o777).toBe(0o755);
    await desk.ok("move_file", { fromPath: "a", toPath: "b", expectedSha256: data.sha256 });
    expect(statSync(join(root, "b")).mode & 0o777).toBe(0o755);
  });

  it("other names of a file by hard link are told by delete, move and apply_patch", async () => {
    const root = directoryWith({ a: "1\n", b: "2\n", c: "3\n" });
    for (const name of ["a", "b", "c"]) linkSync(join(root, name), join(root, `${name}2`));
    const desk = deskOn(disk({ root, durability: "fast" }));
    const patch = "*** Begin Patch\n*** Delete File: c\n*** End Patch";
    for (const [name, { warnings }] of [
      ["a", await desk.ok("delete_file", { path: "a" })],
      ["b", await desk.ok("move_file", { fromPath: "b", toPath: "d", expectedSha256: await desk.sha("b") })],
      ["c", await desk.ok("apply_patch", { patch })],
    ] as const) {
      expect(warnings).toEqual([`${name}: it had 1 other name(s) by hard link, which keep the old content.`]);
      expect(readFileSync(join(root, `${name}2`), "utf8")).not.toBe("");
    }
  });

  it("a file changed by another program is stale for delete and move", async () => {
    const root = directoryWith({ a: "1\n" });
    const desk = deskOn(disk({ root, durability: "fast" }));
    const expectedSha256 = await desk.sha("a");
    writeFileSync(join(root, "a"), "2\n");
    expect((await desk.no("delete_file", { path: "a", expectedSha256 })).kind).toBe("stale_file");
    expect((await desk.no("move_file", { fromPath: "a", toPath: "b", expectedSha256 })).kind).toBe("stale_file");
  });
});
