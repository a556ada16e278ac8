// Seed 000: a patch that names one file several times, and the directories that a patch makes.
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { all } from "../../src/testing/assertions.ts";
import { BACKENDS, directoryWith } from "../support/workspace.ts";
import { deskOn } from "./000-calls.ts";

const FILES = { a: "one\ntwo\nthree\n", b: "bye\n", bin: Uint8Array.of(1, 0, 2) };
const envelope = (...lines: readonly string[]) => ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");
const update = (path: string, ...hunk: readonly string[]) => [`*** Update File: ${path}`, "@@", ...hunk];
const TWICE = envelope(...update("a", "-one", "+1"), ...update("a", "-1", "+I", " two", "+2.5"));
const AFTER_TWICE = "I\ntwo\n2.5\nthree\n";

describe.each(BACKENDS)("seed 000: one file in several sections, on %s", (_name, make) => {
  const PATHS = ["a", "b", "new", "c"];
  const rows: readonly (readonly [string, readonly string[], Record<string, string | null>, readonly object[]])[] = [
    [
      "Update + Update",
      [...update("a", "-one", "+1"), ...update("./a", "-1", "+I")],
      { a: "I\ntwo\nthree\n" },
      [{ path: "a", operation: "update" }],
    ],
    [
      "Delete + Add",
      ["*** Delete File: b", "*** Add File: b", "+hi"],
      { b: "hi\n" },
      [{ path: "b", operation: "update" }],
    ],
    [
      "Add + Update",
      ["*** Add File: new", "+1", ...update("new", "-1", "+2")],
      { new: "2\n" },
      [{ path: "new", operation: "add" }],
    ],
    ["Add + Delete", ["*** Add File: new", "+1", "*** Delete File: new"], {}, []],
    [
      "Update + Delete",
      [...update("a", "-one", "+1"), "*** Delete File: a"],
      { a: null },
      [{ path: "a", operation: "delete", trashedTo: expect.any(String) }],
    ],
    [
      "Move + Update",
      ["*** Move File: a -> c", ...update("c", "-one", "+1")],
      { a: null, c: "1\ntwo\nthree\n" },
      [{ path: "a", toPath: "c", operation: "move", diff: expect.stringContaining("-one\n+1\n") }],
    ],
    [
      "Update + Move",
      [...update("a", "-one", "+1"), "*** Move File: a -> c"],
      { a: null, c: "1\ntwo\nthree\n" },
      [{ path: "a", toPath: "c", operation: "move" }],
    ],
    [
      "Move + Add",
      ["*** Move File: b -> c", "*** Add File: b", "+hi"],
      { b: "hi\n", c: "bye\n" },
      [
        { path: "b", operation: "update" },
        { path: "b", toPath: "c", operation: "move" },
      ],
    ],
    [
      "Delete + Move",
      ["*** Delete File: a", "*** Move File: b -> a"],
      { a: "bye\n", b: null },
      [{ path: "b", toPath: "a", operation: "move", trashedTo: expect.any(String) }],
    ],
    [
      "a swap",
      ["*** Move File: a -> c", "*** Move File: b -> a", "*** Move File: c -> b"],
      { a: "bye\n", b: "one\ntwo\nthree\n" },
      [
        { path: "b", toPath: "a", operation: "move" },
        { path: "a", toPath: "b", operation: "move" },
      ],
    ],
    ["there and back", ["*** Move File: a -> c", "*** Move File: c -> a"], {}, [{ path: "a", operation: "update" }]],
  ];

  it.each(rows)("%s, in order and as one change that undo takes back", async (_what, sections, after, changedFiles) => {
    for (const atomic of [true, false]) {
      const desk = deskOn(make(FILES));
      const texts = async () =>
        Object.fromEntries(await Promise.all(PATHS.map(async (p) => [p, await desk.textAt(p)])));
      const before = await texts();
      const proofs = { a: await desk.sha("a"), b: await desk.sha("b") };
      const expectedSha256ByPath = Object.fromEntries(
        Object.entries(proofs).filter(([path]) => sections.some((line) => line.split(/[ /]/).includes(path))),
      );
      const done = await desk.ok("apply_patch", { patch: envelope(...sections), atomic, expectedSha256ByPath });
      expect(done.data.changedFiles).toEqual(changedFiles.map((each) => expect.objectContaining(each)));
      expect(done.text).not.toBe("");
      expect(await texts()).toEqual({ ...before, ...after });
      const entries = (await all(desk.workspace.log())).filter(({ outcome }) => outcome === "applied");
      expect(entries).toHaveLength(Object.keys(after).length === 0 ? 0 : 1);
      for (const { seq } of entries) await desk.session.undo({ entry: seq });
      expect(await texts()).toEqual(before);
    }
  });

  it.each([
    ["an update of what a section before deleted", ["*** Delete File: a", ...update("a", "-one", "+1")], "not_found"],
    ["two additions", ["*** Add File: new", "+1", "*** Add File: new", "+2"], "already_exists"],
    ["a hunk of the file as it was", [...update("a", "-one", "+1"), ...update("a", "-one", "+I")], "patch_apply_error"],
    ["text in a moved binary file", ["*** Move File: bin -> c", ...update("c", "+x")], "binary_file"],
  ])("refuses %s, and changes nothing", async (_what, sections, kind) => {
    for (const atomic of [true, false]) {
      const desk = deskOn(make(FILES));
      expect((await desk.no("apply_patch", { patch: envelope(...sections), atomic })).kind).toBe(kind);
      expect(await desk.textAt("a")).toBe(FILES.a);
      expect((await desk.ok("list_directory", {})).data.entries.map(({ name }) => name)).toEqual(["a", "b", "bin"]);
    }
  });

  it("a binary file can be deleted and made anew as text", async () => {
    const desk = deskOn(make(FILES));
    await desk.ok("apply_patch", { patch: envelope("*** Delete File: bin", "*** Add File: bin", "+text") });
    expect(await desk.textAt("bin")).toBe("text\n");
  });

  it("one proof holds for all sections of a file, and lines never shown stay unseen", async () => {
    for (const atomic of [true, false]) {
      const desk = deskOn(make({ a: `${FILES.a}four\nfive\n` }));
      const { data } = await desk.ok("read_file", { path: "a", startLine: 1, endLine: 2 });
      const patch = { patch: TWICE, atomic, expectedSha256ByPath: { a: data.sha256 } };
      const done = await desk.ok("apply_patch", patch);
      expect(done.warnings).toEqual([]);
      expect(await desk.textAt("a")).toBe(`${AFTER_TWICE}four\nfive\n`);
      expect((await desk.no("apply_patch", patch)).kind).toBe("stale_file");
      const whole = { path: "a", content: "x\n", expectedSha256: done.data.changedFiles[0]!.afterSha256 };
      expect((await desk.ok("write_file", whole)).warnings).toEqual([expect.stringContaining("lines 4-6 were never")]);
    }
  });

  it("a rebase carries all sections over", async () => {
    const desk = deskOn(make(FILES));
    const sha = await desk.sha("a");
    const theirs = { path: "a", edits: [{ oldText: "three", newText: "3" }], expectedSha256: sha };
    await desk.colleague("bob").ok("edit_file", theirs);
    const rebase = { patch: TWICE, expectedSha256ByPath: { a: sha }, onStale: "rebase" };
    expect((await desk.ok("apply_patch", rebase)).data.changedFiles).toMatchObject([{ path: "a", rebased: true }]);
    expect(await desk.textAt("a")).toBe("I\ntwo\n2.5\n3\n");
  });

  it("the policy is asked for what every section does", async () => {
    const policy = { allowedActions: ["read", "edit", "delete"] } as const;
    const desk = deskOn(make(FILES), { policy });
    const patch = envelope("*** Delete File: b", "*** Add File: b", "+hi");
    expect((await desk.no("apply_patch", { patch })).kind).toBe("permission_denied");
    expect(await desk.textAt("b")).toBe("bye\n");
  });

  it("stray bytes and line ends outside the hunks stay", async () => {
    const desk = deskOn(make({ a: Buffer.from("one\r\ntwo\nna\xefve\r\nend", "latin1") }));
    const patch = envelope(...update("a", "-one", "+1"), ...update("a", "-end", "+END", "+more"));
    await desk.ok("apply_patch", { patch });
    const { version } = await desk.session.readBytes("a");
    expect(Buffer.concat(version.parts).toString("latin1")).toBe("1\r\ntwo\nna\xefve\r\nEND\r\nmore");
  });
});

describe.each(BACKENDS)("seed 000: directories of a patch, on %s", (_name, make) => {
  const PATCH = envelope("*** Add File: x/y/new", "+1", "*** Move File: b -> x/z/b", "*** Add File: x/y/too", "+2");

  it("are made for Add and Move", async () => {
    for (const atomic of [true, false]) {
      const desk = deskOn(make(FILES));
      await desk.ok("apply_patch", { patch: PATCH, atomic });
      expect([await desk.textAt("x/y/new"), await desk.textAt("x/z/b"), await desk.textAt("b")]).toEqual([
        "1\n",
        "bye\n",
        null,
      ]);
    }
  });

  it("are not made for a patch that is refused", async () => {
    for (const bad of [update("a", "-no", "+x"), update("no/where", "-no", "+x"), ["*** Add File: x", "+x"]]) {
      const desk = deskOn(make(FILES));
      await desk.no("apply_patch", { patch: PATCH.replace("*** End Patch", `${bad.join("\n")}\n*** End Patch`) });
      expect((await desk.ok("list_directory", {})).data.entries.map(({ name }) => name)).toEqual(["a", "b", "bin"]);
    }
  });

  it("are left by an undo, as those of create_file are", async () => {
    const [patched, created] = [deskOn(make(FILES)), deskOn(make(FILES))];
    await patched.ok("apply_patch", { patch: envelope("*** Add File: x/y/new", "+1") });
    await created.ok("create_file", { path: "x/y/new", content: "1\n", createParentDirectories: true });
    for (const desk of [patched, created]) await desk.session.undo({ entry: 1 });
    const listed = async (desk: typeof patched) =>
      (await desk.ok("list_directory", { recursive: true })).data.entries.map(({ relativePath }) => relativePath);
    expect(await listed(patched)).toEqual(await listed(created));
    await patched.ok("apply_patch", { patch: envelope("*** Add File: x/y/new", "+1") });
  });
});

describe("seed 000: sections and links", () => {
  it("nothing is made through a directory that leads outside", async () => {
    const [root, outside] = [directoryWith(FILES), directoryWith({})];
    symlinkSync(outside, join(root, "out"));
    const desk = deskOn(disk({ root, durability: "fast" }));
    expect((await desk.no("apply_patch", { patch: envelope("*** Add File: out/x/y", "+1") })).kind).toBe(
      "outside_workspace",
    );
    expect(existsSync(join(outside, "x"))).toBe(false);
  });

  it("a link and its file are two to a deletion, one to an update", async () => {
    const root = directoryWith(FILES);
    mkdirSync(join(root, "d"));
    symlinkSync("../a", join(root, "d/link"));
    const desk = deskOn(disk({ root, durability: "fast" }));
    const patch = envelope(...update("d/link", "-one", "+1"), "*** Delete File: d/link", ...update("a", "-1", "+I"));
    await desk.ok("apply_patch", { patch });
    expect(await desk.textAt("a")).toBe("I\ntwo\nthree\n");
    expect(existsSync(join(root, "d/link"))).toBe(false);
  });
});
