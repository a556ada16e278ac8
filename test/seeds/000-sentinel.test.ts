// Seed 000: expectedSha256ByPath and its sentinel.
import { createHash } from "node:crypto";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { STALE_ACTION } from "../../src/core/failure.ts";
import { BACKENDS, directoryWith } from "../support/workspace.ts";
import { deskOn } from "./000-calls.ts";

const FILES = { a: "one\n", b: "two\n" };
const OTHER = "0".repeat(64);
const patch = (...lines: readonly string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
const ADD = patch("*** Add File: new", "+fresh");
const ADD_OVER = patch("*** Add File: a", "+fresh");
const UPDATE = patch("*** Update File: a", "@@", "-one", "+ONE");
const DELETE = patch("*** Delete File: a");
const MOVE = patch("*** Move File: a -> new");
const MOVE_OVER = patch("*** Move File: a -> b");
const SHA_OF_A = createHash("sha256").update("one\n").digest("hex");
const THERE = { exists: true };
const PASS_NONE = 'Pass "" for new in expectedSha256ByPath';
const USE_UPDATE = "Use *** Update File to change the file that is there";
const DELETE_IF = "and delete it if that is still right.";

describe.each(BACKENDS)("seed 000: expectedSha256ByPath on %s", (_name, make) => {
  it.each([
    ["Add with the sentinel: the destination must not exist", ADD, { new: "" }, { new: "fresh\n" }],
    ["Add of a path that is not in the map", ADD, {}, { new: "fresh\n" }],
    ["Move to a path with the sentinel", MOVE, { new: "" }, { a: null, new: "one\n" }],
    ["paths not in the map skip the check: Update", UPDATE, {}, { a: "ONE\n" }],
    ["paths not in the map skip the check: Delete", DELETE, {}, { a: null }],
    ["the map as a JSON string", ADD, JSON.stringify({ new: "" }), { new: "fresh\n" }],
    ["the map as a list of its entries", ADD, [{ path: "new", sha256: "" }], { new: "fresh\n" }],
  ])("goes ahead: %s", async (_what, text, expectedSha256ByPath, changed) => {
    const desk = deskOn(make(FILES));
    await desk.ok("apply_patch", { patch: text, expectedSha256ByPath });
    for (const [path, content] of Object.entries({ ...FILES, ...changed }))
      expect([path, await desk.textAt(path)]).toEqual([path, content]);
  });

  it.each([
    ["Add with any other value", ADD, { new: OTHER }, { expectedSha256: OTHER, exists: false }, PASS_NONE],
    ["Add with a value that is no sha256", ADD, { new: "absent" }, { expectedSha256: "absent" }, PASS_NONE],
    ["Add with another value over a file", ADD_OVER, { a: OTHER }, { ...THERE, expectedSha256: OTHER }, USE_UPDATE],
    ["Move to a path with any other value", MOVE, { new: OTHER }, { exists: false }, PASS_NONE],
    ["Update with the sentinel of an existing file", UPDATE, { a: "" }, { ...THERE, expectedSha256: "" }, STALE_ACTION],
    ["Delete with the sentinel of an existing file", DELETE, { a: "" }, THERE, DELETE_IF],
    ["Update with another sha256", UPDATE, { a: OTHER }, { expectedSha256: OTHER }, STALE_ACTION],
    ["Delete with another sha256", DELETE, { a: OTHER }, { expectedSha256: OTHER }, DELETE_IF],
    ["Move with another sha256", MOVE, { a: OTHER }, { expectedSha256: OTHER }, "and move it if that is still right."],
    ["Add with the sentinel over a file", ADD_OVER, { a: "" }, THERE, "Read it to see what is there"],
    ["Move with the sentinel onto a file", MOVE_OVER, { b: "" }, { exists: true }, "Read it to see what is there"],
  ])("refuses: %s", async (_what, text, expectedSha256ByPath: Readonly<Record<string, string>>, details, next) => {
    for (const options of [{}, { onStale: "rebase" }] as const) {
      const desk = deskOn(make(FILES), options);
      const rebases =
        options.onStale === "rebase" && text === UPDATE && Object.values(expectedSha256ByPath)[0] === OTHER;
      if (rebases) continue;
      const refused = await desk.no("apply_patch", { patch: text, expectedSha256ByPath });
      expect(refused.kind).toBe("stale_file");
      expect(refused.details).toMatchObject(details);
      expect(JSON.stringify(refused)).not.toContain(SHA_OF_A);
      expect(refused.suggestedAction).toContain(next);
      expect([await desk.textAt("a"), await desk.textAt("new")]).toEqual(["one\n", null]);
    }
  });

  it("refuses: Add over a file that is not in the map, as a file that is in the way", async () => {
    const refused = await deskOn(make(FILES)).no("apply_patch", { patch: ADD_OVER });
    expect(refused.kind).toBe("already_exists");
    expect(refused.suggestedAction).toContain("*** Update File");
  });

  it("what a refused Add is told to do works", async () => {
    const desk = deskOn(make(FILES));
    const { suggestedAction } = await desk.no("apply_patch", { patch: ADD, expectedSha256ByPath: { new: OTHER } });
    expect(suggestedAction).toContain(PASS_NONE);
    await desk.ok("apply_patch", { patch: ADD, expectedSha256ByPath: { new: "" } });
  });

  it.each(["./a", "b/../a", "a"])("a key that spells the path differently (%s) is still checked", async (key) => {
    const desk = deskOn(make({ a: "one\n", "b/x": "" }));
    expect((await desk.no("apply_patch", { patch: UPDATE, expectedSha256ByPath: { [key]: OTHER } })).kind).toBe(
      "stale_file",
    );
    await desk.ok("apply_patch", { patch: UPDATE, expectedSha256ByPath: { [key]: await desk.sha("a") } });
  });

  it("a file whose name cannot be a key is refused, not left unchecked", async () => {
    const desk = deskOn(make(FILES));
    const expectedSha256ByPath = `{"__proto__":"${OTHER}"}`;
    const refused = await desk.no("apply_patch", { patch: UPDATE, expectedSha256ByPath });
    expect(refused.text).toContain("A key cannot be named `__proto__`");
  });

  it("keys that name no file of the patch are told in a warning", async () => {
    const desk = deskOn(make(FILES));
    const { warnings, text } = await desk.ok("apply_patch", {
      patch: UPDATE,
      expectedSha256ByPath: { a: SHA_OF_A, b: OTHER, "../x": OTHER },
    });
    expect(warnings).toEqual([
      "expectedSha256ByPath names b, which the patch does not touch.",
      "expectedSha256ByPath names ../x, which the patch does not touch.",
    ]);
    expect(text).toContain("Warning: expectedSha256ByPath names b");
  });

  it("such a key is refused where a file that the patch changes has none: it may be that file's, misspelled", async () => {
    for (const text of [
      UPDATE,
      DELETE,
      MOVE,
      patch("*** Delete File: b", "*** Update File: a", "@@", "-one", "+ONE"),
    ]) {
      const desk = deskOn(make(FILES));
      const refused = await desk.no("apply_patch", { patch: text, expectedSha256ByPath: { A: SHA_OF_A, b: OTHER } });
      expect(refused.kind).toBe("command_failed");
      expect(refused.text).toContain("expectedSha256ByPath names A, which the patch does not touch, and not a,");
      expect(refused.suggestedAction).toBe("Name a in place of A, or leave that key out.");
      expect(await desk.textAt("a")).toBe("one\n");
      const expectedSha256ByPath = { a: SHA_OF_A, ...(text.includes("File: b") && { b: await desk.sha("b") }) };
      await desk.ok("apply_patch", { patch: text, expectedSha256ByPath });
    }
    const { warnings } = await deskOn(make(FILES)).ok("apply_patch", {
      patch: ADD,
      expectedSha256ByPath: { b: OTHER },
    });
    expect(warnings).toEqual(["expectedSha256ByPath names b, which the patch does not touch."]);
  });

  it("two keys for one file must agree, in the map and in the list of its entries", async () => {
    const desk = deskOn(make(FILES));
    const list = [
      { path: "a", sha256: await desk.sha("a") },
      { path: "a", sha256: OTHER },
    ];
    const refused = await desk.no("apply_patch", { patch: UPDATE, expectedSha256ByPath: list });
    expect(refused.text).toContain('`expectedSha256ByPath` names "a" twice');
    const stale = [{ path: "./a", sha256: OTHER }];
    expect((await desk.no("apply_patch", { patch: UPDATE, expectedSha256ByPath: stale })).kind).toBe("stale_file");
    const expectedSha256ByPath = { a: await desk.sha("a"), "./a": OTHER };
    expect((await desk.no("apply_patch", { patch: UPDATE, expectedSha256ByPath })).kind).toBe("command_failed");
  });

  it("strict refuses existing files without proof, and takes a read as proof", async () => {
    const desk = deskOn(make(FILES), { strict: true });
    for (const [patch, suggestedAction] of [
      [UPDATE, STALE_ACTION],
      [DELETE, expect.stringMatching(/, and delete it if that is still right\.$/)],
      [MOVE, expect.stringMatching(/, and move it if that is still right\.$/)],
    ]) {
      expect(await desk.no("apply_patch", { patch })).toMatchObject({ kind: "stale_file", suggestedAction });
    }
    await desk.ok("apply_patch", { patch: ADD });
    await desk.sha("a");
    await desk.ok("apply_patch", { patch: UPDATE });
  });

  it("onStale rebase carries a patch over to the newer version and says so", async () => {
    const desk = deskOn(make({ a: "zero\none\n" }));
    const sha = await desk.sha("a");
    const theirs = { path: "a", edits: [{ oldText: "zero", newText: "null" }], expectedSha256: sha };
    await desk.colleague("bob").ok("edit_file", theirs);
    const { data } = await desk.ok("apply_patch", {
      patch: UPDATE,
      expectedSha256ByPath: { a: sha },
      onStale: "rebase",
    });
    expect(data.changedFiles[0]).toMatchObject({
      rebased: true,
      baseSha256: sha,
      otherDiff: expect.stringContaining("+null"),
    });
    expect(await desk.textAt("a")).toBe("null\nONE\n");
  });
});

describe.each(BACKENDS)("seed 000: no file expected, on %s", (_name, make) => {
  it.each([
    ["write_file", { path: "a", content: "x" }, STALE_ACTION],
    ["edit_file", { path: "a", edits: [{ oldText: "one", newText: "x" }] }, STALE_ACTION],
    ["delete_file", { path: "a" }, DELETE_IF],
    ["delete_file", { path: "a", permanent: true }, DELETE_IF],
    ["move_file", { fromPath: "a", toPath: "new" }, "and move it if that is still right."],
  ] as const)('"" as proof for a file that exists is stale_file: %s %o', async (tool, input, next) => {
    for (const onStale of ["reject", "rebase"] as const) {
      const desk = deskOn(make(FILES), { onStale });
      const refused = await desk.no(tool, { ...input, expectedSha256: "" });
      expect(refused.kind).toBe("stale_file");
      expect(refused.details).toMatchObject({ ...THERE, expectedSha256: "" });
      expect(refused.text).toContain("a exists, and you expect no file there.");
      expect(refused.suggestedAction).toContain(next);
      expect([await desk.textAt("a"), await desk.textAt("new")]).toEqual(["one\n", null]);
    }
    expect((await deskOn(make({ b: "" })).no(tool, { ...input, expectedSha256: "" })).kind).toBe("not_found");
  });

  it("what is neither empty nor a sha256 is a mistake in the arguments", async () => {
    const refused = await deskOn(make(FILES)).no("write_file", { path: "a", content: "", expectedSha256: "abc" });
    expect(refused.kind).toBe("command_failed");
    expect(refused.text).toContain("`expectedSha256` must be the 64 lowercase hex digits");
  });

  it("create_file on a directory is already_exists, and so is all else that would be made there", async () => {
    const desk = deskOn(make({ "d/x": "in it\n", a: "one\n" }));
    const { data } = await desk.ok("delete_file", { path: "a" });
    await desk.ok("create_file", { path: "b", content: "two\n" });
    const expectedSha256 = await desk.sha("b");
    for (const [tool, input] of [
      ["create_file", { path: "d", content: "" }],
      ["create_file", { path: "./d/", content: "" }],
      ["create_file", { path: ".", content: "" }],
      ["apply_patch", { patch: patch("*** Add File: d", "+x") }],
      ["apply_patch", { patch: patch("*** Move File: b -> d") }],
      ["move_file", { fromPath: "b", toPath: "d", expectedSha256 }],
      ["restore_file", { trashedPath: data.trashedTo, targetPath: "d" }],
    ] as const) {
      const refused = await desk.no(tool, input);
      expect([tool, refused.kind]).toEqual([tool, "already_exists"]);
      expect(refused.text).toContain("is a directory.");
    }
    expect(await desk.textAt("d/x")).toBe("in it\n");
  });
});

describe("seed 000: expectedSha256ByPath and links", () => {
  it("a key may name the file that the patch reaches through a link", async () => {
    const root = directoryWith(FILES);
    symlinkSync("a", join(root, "alias"));
    const desk = deskOn(disk({ root, durability: "fast" }));
    const text = patch("*** Update File: alias", "@@", "-one", "+ONE");
    expect((await desk.no("apply_patch", { patch: text, expectedSha256ByPath: { a: OTHER } })).kind).toBe("stale_file");
    await desk.ok("apply_patch", { patch: text, expectedSha256ByPath: { a: await desk.sha("a") } });
    expect(await desk.textAt("a")).toBe("ONE\n");
  });
});
