// Seed 000: apply_patch, its envelope and its atomicity.
import { chmodSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { all } from "../../src/testing/assertions.ts";
import { BACKENDS, directoryWith } from "../support/workspace.ts";
import { deskOn } from "./000-calls.ts";

const FILES = { a: "one\ntwo\nthree\n", b: "bye\n", c: "see\nyou\n" };
const envelope = (...lines: readonly string[]) => ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");
const UPDATE_A = ["*** Update File: a", "@@", " one", "-two", "+TWO"];
const ALL = envelope(
  "*** Add File: new",
  "+fresh",
  ...UPDATE_A,
  "*** Delete File: b",
  "*** Move File: c -> d",
  "@@",
  "-see",
  "+SEE",
);

describe.each(BACKENDS)("seed 000: apply_patch on %s", (_name, make) => {
  const texts = async (desk: ReturnType<typeof deskOn>) =>
    Object.fromEntries(
      await Promise.all(["a", "b", "c", "d", "new"].map(async (path) => [path, await desk.textAt(path)])),
    );
  const UNTOUCHED = { ...FILES, d: null, new: null };

  it("adds, updates, deletes and moves in one change", async () => {
    const desk = deskOn(make(FILES));
    const [before, gone] = [await desk.sha("a"), await desk.sha("b")];
    const { data, text } = await desk.ok("apply_patch", { patch: ALL });
    const sha = async (path: string) => `sha256=${await desk.sha(path)}`;
    expect(text.split("\n")).toEqual([
      `A new — ${await sha("new")}`,
      `M a — ${await sha("a")}`,
      `D b — in the trash as ${data.changedFiles[2]!.trashedTo}`,
      `R c -> d — ${await sha("d")}`,
    ]);
    expect(await texts(desk)).toEqual({ a: "one\nTWO\nthree\n", b: null, c: null, d: "SEE\nyou\n", new: "fresh\n" });
    expect(data).toMatchObject({ atomic: true, hunkCount: 2 });
    expect(data.changedFiles).toMatchObject([
      { operation: "add", path: "new", afterSha256: await desk.sha("new") },
      { operation: "update", path: "a", beforeSha256: before, afterSha256: await desk.sha("a") },
      { operation: "delete", path: "b", beforeSha256: gone },
      { operation: "move", path: "c", toPath: "d", afterSha256: await desk.sha("d") },
    ]);
    expect(data.changedFiles[1]?.diff).toContain("-two\n+TWO\n");
    expect(data.changedFiles[3]?.diff).toContain("rename from c\nrename to d\n");
    expect(data.changedFiles[3]?.diff).toContain("-see\n+SEE\n");
    expect((await all(desk.workspace.log())).filter(({ outcome }) => outcome === "applied")).toHaveLength(1);
    await desk.ok("restore_file", { trashedPath: data.changedFiles[2]!.trashedTo });
    expect(await desk.textAt("b")).toBe("bye\n");
  });

  it.each([
    [
      "context that is not there",
      envelope(...UPDATE_A, "*** Update File: c", "@@", "-nope", "+x"),
      "patch_apply_error",
      { hunkIndex: 0, reason: "context_not_found" },
    ],
    [
      "context that is there twice",
      envelope(...UPDATE_A, "*** Update File: twice", "@@", "-x", "+y"),
      "multiple_matches",
      { hunkIndex: 0 },
    ],
    ["a missing file", envelope(...UPDATE_A, "*** Update File: nope", "@@", "-x", "+y"), "not_found", {}],
    ["a file for a parent", envelope(...UPDATE_A, "*** Add File: b/x", "+x"), "not_found", {}],
    ["an existing file to add", envelope(...UPDATE_A, "*** Add File: b", "+x"), "already_exists", {}],
    ["an existing file to move to", envelope(...UPDATE_A, "*** Move File: b -> c"), "already_exists", {}],
    ["a move onto itself", envelope(...UPDATE_A, "*** Move File: b -> ./b"), "command_failed", {}],
    ["a file that is gone", envelope(...UPDATE_A, "*** Delete File: ./a", ...UPDATE_A), "not_found", {}],
    ["a file below a new one", envelope("*** Add File: new", "+x", "*** Add File: new/x", "+x"), "command_failed", {}],
    ["a denied path", envelope(...UPDATE_A, "*** Add File: .env", "+x"), "permission_denied", {}],
    ["a way out", envelope(...UPDATE_A, "*** Add File: ../x", "+x"), "outside_workspace", {}],
    ["an absolute path", envelope(...UPDATE_A, "*** Delete File: /etc/passwd"), "outside_workspace", {}],
    ["no envelope", "hello", "patch_parse_error", { line: 1 }],
    ["no section", envelope(), "patch_parse_error", {}],
    ["an empty hunk", envelope(...UPDATE_A, "*** Update File: b", "@@", "*** Delete File: c"), "patch_parse_error", {}],
  ])("is all or nothing: %s", async (_what, patch, kind, details) => {
    const desk = deskOn(make({ ...FILES, twice: "x\nx\n" }));
    const refused = await desk.no("apply_patch", { patch });
    expect(refused).toMatchObject({ kind, details });
    expect(refused.text.startsWith("Patch rejected, no file changed. ")).toBe(true);
    expect(await texts(desk)).toEqual(UNTOUCHED);
  });

  it("compares whole lines: another line that contains the removed one is no second match", async () => {
    const desk = deskOn(make({ a: "foobar\nfoo\n" }));
    await desk.ok("apply_patch", { patch: envelope("*** Update File: a", "@@", "-foo", "+bar") });
    expect(await desk.textAt("a")).toBe("foobar\nbar\n");
  });

  it("keeps CRLF and byte order mark", async () => {
    const desk = deskOn(make({ a: "\ufeffone\r\ntwo\r\n" }));
    await desk.ok("apply_patch", { patch: envelope("*** Update File: a", "@@", " one", "-two", "+TWO", "+three") });
    expect(await desk.textAt("a")).toBe("\ufeffone\r\nTWO\r\nthree\r\n");
  });

  it.each([
    ["a patch with CRLF", ALL.replaceAll("\n", "\r\n")],
    ["*** Move to", envelope("*** Update File: c", "*** Move to: d", "@@", "-see", "+SEE")],
  ])("accepts %s", async (_what, patch) => {
    const desk = deskOn(make(FILES));
    await desk.ok("apply_patch", { patch });
    expect(await desk.textAt("d")).toBe("SEE\nyou\n");
  });

  it("accepts a unified diff", async () => {
    const desk = deskOn(make(FILES));
    const patch = "--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n";
    expect((await desk.ok("apply_patch", { patch })).text).toMatch(/^M a — sha256=[0-9a-f]{64}$/);
    expect(await desk.textAt("a")).toBe("one\nTWO\nthree\n");
  });

  it("moves and deletes binary files as they are", async () => {
    const desk = deskOn(make({ x: Uint8Array.of(1, 0, 2), y: Uint8Array.of(3, 0, 4) }));
    const sha = await desk.sha("x");
    await desk.ok("apply_patch", { patch: envelope("*** Move File: x -> z", "*** Delete File: y") });
    expect(await desk.sha("z")).toBe(sha);
    expect((await desk.ok("list_trash", {})).data.entries).toMatchObject([{ originalPath: "y" }]);
    const update = envelope("*** Update File: z", "@@", "-a", "+b");
    expect((await desk.no("apply_patch", { patch: update })).kind).toBe("binary_file");
  });

  it("atomic false stops at the first failure, keeps what is done and says what that is", async () => {
    const desk = deskOn(make(FILES));
    const patch = envelope(...UPDATE_A, "*** Delete File: nope", "*** Delete File: b");
    const refused = await desk.no("apply_patch", { patch, atomic: false });
    expect(refused).toMatchObject({
      kind: "not_found",
      path: "nope",
      details: { atomic: false, committed: 1, changedFiles: [{ path: "a", operation: "update" }] },
    });
    expect(refused.text.startsWith("Patch stopped: 1 of its files changed before, the rest did not. ")).toBe(true);
    const sha = await desk.sha("a");
    expect(refused.text.endsWith(`\n\nDone, and not to be sent again:\nM a — sha256=${sha}`)).toBe(true);
    expect(await texts(desk)).toEqual({ ...UNTOUCHED, a: "one\nTWO\nthree\n" });
  });

  it("atomic false that fails at once, or does not parse, changes nothing and says so", async () => {
    const desk = deskOn(make(FILES));
    for (const patch of [
      envelope("*** Delete File: nope", ...UPDATE_A),
      "*** Begin Patch\n*** Delete File: a\nrubbish\n*** End Patch",
    ]) {
      expect((await desk.no("apply_patch", { patch, atomic: false })).text).toMatch(
        /^Patch rejected, no file changed\./,
      );
    }
    expect(await texts(desk)).toEqual(UNTOUCHED);
    expect((await desk.ok("apply_patch", { patch: ALL, atomic: false })).data).toMatchObject({
      atomic: false,
      hunkCount: 2,
    });
  });
});

describe("seed 000: apply_patch on a real disk", () => {
  it("keeps mode bits, and knows one file under two names", async () => {
    const root = directoryWith(FILES);
    chmodSync(join(root, "a"), 0o755);
    symlinkSync("a", join(root, "alias"));
    const desk = deskOn(disk({ root, durability: "fast" }));
    await desk.ok("apply_patch", { patch: envelope(...UPDATE_A) });
    expect(statSync(join(root, "a")).mode & 0o777).toBe(0o755);
    const patch = envelope("*** Update File: a", "@@", "-one", "+1", "*** Update File: alias", "@@", "-three", "+3");
    const { data } = await desk.ok("apply_patch", { patch });
    expect(data.changedFiles).toMatchObject([{ path: "a", operation: "update" }]);
    expect(await desk.textAt("a")).toBe("1\nTWO\n3\n");
    expect(statSync(join(root, "a")).mode & 0o777).toBe(0o755);
  });

  it("no tool makes a file through a link that leads nowhere", async () => {
    const root = directoryWith(FILES);
    symlinkSync("nowhere", join(root, "dangling"));
    const desk = deskOn(disk({ root, durability: "fast" }));
    const expectedSha256 = await desk.sha("a");
    for (const refused of [
      await desk.no("apply_patch", { patch: envelope("*** Add File: dangling", "+x") }),
      await desk.no("apply_patch", { patch: envelope("*** Move File: a -> dangling") }),
      await desk.no("create_file", { path: "dangling", content: "x" }),
      await desk.no("move_file", { fromPath: "a", toPath: "dangling", expectedSha256 }),
    ]) {
      expect(refused.kind).toBe("already_exists");
      expect(refused.message).toBe("dangling is a symbolic link that leads to nowhere, where nothing is.");
    }
    expect(await desk.textAt("nowhere")).toBeNull();
    expect(await desk.textAt("a")).toBe(FILES.a);
  });
});
