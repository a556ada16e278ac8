// Seed 000: a patch that names one file several times, the directories that it makes, what makes it fail, and real ones.
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { workspace } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { type Agent, agentIn, agentWith, patchOf } from "../support/agent.ts";
import { all } from "../support/assertions.ts";
import { directoryWith, workspaceIn } from "../support/workspace.ts";

const FILES = { a: "one\ntwo\nthree\n", b: "bye\n", bin: Uint8Array.of(1, 0, 2) };

const update = (path: string, ...hunk: readonly string[]) => [`*** Update File: ${path}`, "@@", ...hunk];
const TWICE = patchOf(...update("a", "-one", "+1"), ...update("a", "-1", "+I", " two", "+2.5"));
const AFTER_TWICE = "I\ntwo\n2.5\nthree\n";

describe("seed 000: one file in several sections", () => {
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
      const agent = agentWith(workspace, FILES);
      const texts = async () =>
        Object.fromEntries(await Promise.all(PATHS.map(async (p) => [p, await agent.content(p)])));
      const before = await texts();
      const proofs = { a: await agent.sha("a"), b: await agent.sha("b") };
      const expectedSha256ByPath = Object.fromEntries(
        Object.entries(proofs).filter(([path]) => sections.some((line) => line.split(/[ /]/).includes(path))),
      );
      const done = await agent.done("apply_patch", { patch: patchOf(...sections), atomic, expectedSha256ByPath });
      expect(done.data.changedFiles).toEqual(changedFiles.map((each) => expect.objectContaining(each)));
      expect(done.text).not.toBe("");
      expect(await texts()).toEqual({ ...before, ...after });
      const entries = (await all(agent.workspace.log())).filter(({ outcome }) => outcome === "applied");
      expect(entries).toHaveLength(Object.keys(after).length === 0 ? 0 : 1);
      for (const { seq } of entries) await agent.session.undo({ entry: seq });
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
      const agent = agentWith(workspace, FILES);
      expect((await agent.refused("apply_patch", { patch: patchOf(...sections), atomic })).kind).toBe(kind);
      expect(await agent.content("a")).toBe(FILES.a);
      expect((await agent.done("list_directory", {})).data.entries.map(({ name }) => name)).toEqual(["a", "b", "bin"]);
    }
  });

  it("a binary file can be deleted and made anew as text", async () => {
    const agent = agentWith(workspace, FILES);
    await agent.done("apply_patch", { patch: patchOf("*** Delete File: bin", "*** Add File: bin", "+text") });
    expect(await agent.content("bin")).toBe("text\n");
  });

  it("one proof holds for all sections of a file, and lines never shown stay unseen", async () => {
    for (const atomic of [true, false]) {
      const agent = agentWith(workspace, { a: `${FILES.a}four\nfive\n` });
      const { data } = await agent.done("read_file", { path: "a", startLine: 1, endLine: 2 });
      const patch = { patch: TWICE, atomic, expectedSha256ByPath: { a: data.sha256 } };
      const done = await agent.done("apply_patch", patch);
      expect(done.warnings).toEqual([]);
      expect(await agent.content("a")).toBe(`${AFTER_TWICE}four\nfive\n`);
      expect((await agent.refused("apply_patch", patch)).kind).toBe("stale_file");
      const whole = { path: "a", content: "x\n", expectedSha256: done.data.changedFiles[0]!.afterSha256 };
      expect((await agent.done("write_file", whole)).warnings).toEqual([
        expect.stringContaining("lines 4-6 were never"),
      ]);
    }
  });

  it("a rebase carries all sections over", async () => {
    const agent = agentWith(workspace, FILES);
    const sha = await agent.sha("a");
    const theirs = { path: "a", edits: [{ oldText: "three", newText: "3" }], expectedSha256: sha };
    await agent.another("bob").done("edit_file", theirs);
    const rebase = { patch: TWICE, expectedSha256ByPath: { a: sha }, onStale: "rebase" };
    expect((await agent.done("apply_patch", rebase)).data.changedFiles).toMatchObject([{ path: "a", rebased: true }]);
    expect(await agent.content("a")).toBe("I\ntwo\n2.5\n3\n");
  });

  it("stray bytes and line ends outside the hunks stay", async () => {
    const agent = agentWith(workspace, { a: Buffer.from("one\r\ntwo\nna\xefve\r\nend", "latin1") });
    const patch = patchOf(...update("a", "-one", "+1"), ...update("a", "-end", "+END", "+more"));
    await agent.done("apply_patch", { patch });
    const { version } = await agent.session.readBytes("a");
    expect(Buffer.concat(version.parts).toString("latin1")).toBe("1\r\ntwo\nna\xefve\r\nEND\r\nmore");
  });
});

describe("seed 000: directories of a patch", () => {
  const PATCH = patchOf("*** Add File: x/y/new", "+1", "*** Move File: b -> x/z/b", "*** Add File: x/y/too", "+2");

  it("are not made for a patch that is refused", async () => {
    for (const bad of [update("a", "-no", "+x"), update("no/where", "-no", "+x"), ["*** Add File: x", "+x"]]) {
      const agent = agentWith(workspace, FILES);
      await agent.refused("apply_patch", { patch: PATCH.replace("*** End Patch", `${bad.join("\n")}\n*** End Patch`) });
      expect((await agent.done("list_directory", {})).data.entries.map(({ name }) => name)).toEqual(["a", "b", "bin"]);
    }
  });

  it("are left by an undo, as those of create_file are", async () => {
    const [patched, created] = [agentWith(workspace, FILES), agentWith(workspace, FILES)];
    await patched.done("apply_patch", { patch: patchOf("*** Add File: x/y/new", "+1") });
    await created.done("create_file", { path: "x/y/new", content: "1\n", createParentDirectories: true });
    for (const agent of [patched, created]) await agent.session.undo({ entry: 1 });
    const listed = async (agent: typeof patched) =>
      (await agent.done("list_directory", { recursive: true })).data.entries.map(({ relativePath }) => relativePath);
    expect(await listed(patched)).toEqual(await listed(created));
    await patched.done("apply_patch", { patch: patchOf("*** Add File: x/y/new", "+1") });
  });
});

describe("seed 000: sections and links", () => {
  it("a link and its file are two to a deletion, one to an update", async () => {
    const root = directoryWith(FILES);
    mkdirSync(join(root, "d"));
    symlinkSync("../a", join(root, "d/link"));
    const agent = agentIn(workspaceIn(root), workspace);
    const patch = patchOf(...update("d/link", "-one", "+1"), "*** Delete File: d/link", ...update("a", "-1", "+I"));
    await agent.done("apply_patch", { patch });
    expect(await agent.content("a")).toBe("I\ntwo\nthree\n");
    expect(existsSync(join(root, "d/link"))).toBe(false);
  });
});

const THREE = { a: "one\ntwo\nthree\n", b: "bye\n", c: "see\nyou\n" };

const UPDATE_A = ["*** Update File: a", "@@", " one", "-two", "+TWO"];
const ALL = patchOf(
  "*** Add File: new",
  "+fresh",
  ...UPDATE_A,
  "*** Delete File: b",
  "*** Move File: c -> d",
  "@@",
  "-see",
  "+SEE",
);

describe("seed 000: apply_patch", () => {
  const texts = async (agent: Agent<typeof workspace>) =>
    Object.fromEntries(
      await Promise.all(["a", "b", "c", "d", "new"].map(async (path) => [path, await agent.content(path)])),
    );
  const UNTOUCHED = { ...THREE, d: null, new: null };

  it.each([
    ["a file for a parent", patchOf(...UPDATE_A, "*** Add File: b/x", "+x"), "not_found"],
    ["no section", patchOf(), "patch_parse_error"],
    ["an empty hunk", patchOf(...UPDATE_A, "*** Update File: b", "@@", "*** Delete File: c"), "patch_parse_error"],
  ])("is all or nothing: %s", async (_what, patch, kind) => {
    const agent = agentWith(workspace, THREE);
    const refused = await agent.refused("apply_patch", { patch });
    expect(refused).toMatchObject({ kind });
    expect(refused.text.startsWith("Patch rejected, no file changed. ")).toBe(true);
    expect(await texts(agent)).toEqual(UNTOUCHED);
  });

  it("atomic false that fails at once, or does not parse, changes nothing and says so", async () => {
    const agent = agentWith(workspace, THREE);
    for (const patch of [
      patchOf("*** Delete File: nope", ...UPDATE_A),
      "*** Begin Patch\n*** Delete File: a\nrubbish\n*** End Patch",
    ]) {
      expect((await agent.refused("apply_patch", { patch, atomic: false })).text).toMatch(
        /^Patch rejected, no file changed\./,
      );
    }
    expect(await texts(agent)).toEqual(UNTOUCHED);
    expect((await agent.done("apply_patch", { patch: ALL, atomic: false })).data).toMatchObject({
      atomic: false,
      hunkCount: 2,
    });
  });
});

describe("seed 000: apply_patch on a real disk", () => {
  it("keeps mode bits, and knows one file under two names", async () => {
    const root = directoryWith(THREE);
    chmodSync(join(root, "a"), 0o755);
    symlinkSync("a", join(root, "alias"));
    const agent = agentIn(workspaceIn(root), workspace);
    await agent.done("apply_patch", { patch: patchOf(...UPDATE_A) });
    expect(statSync(join(root, "a")).mode & 0o777).toBe(0o755);
    const patch = patchOf("*** Update File: a", "@@", "-one", "+1", "*** Update File: alias", "@@", "-three", "+3");
    const { data } = await agent.done("apply_patch", { patch });
    expect(data.changedFiles).toMatchObject([{ path: "a", operation: "update" }]);
    expect(await agent.content("a")).toBe("1\nTWO\n3\n");
    expect(statSync(join(root, "a")).mode & 0o777).toBe(0o755);
  });

  it("no tool makes a file through a link that leads nowhere", async () => {
    const root = directoryWith(THREE);
    symlinkSync("nowhere", join(root, "dangling"));
    const agent = agentIn(workspaceIn(root), workspace);
    const expectedSha256 = await agent.sha("a");
    for (const refused of [
      await agent.refused("apply_patch", { patch: patchOf("*** Add File: dangling", "+x") }),
      await agent.refused("apply_patch", { patch: patchOf("*** Move File: a -> dangling") }),
      await agent.refused("create_file", { path: "dangling", content: "x" }),
      await agent.refused("move_file", { fromPath: "a", toPath: "dangling", expectedSha256 }),
    ]) {
      expect(refused.kind).toBe("already_exists");
      expect(refused.message).toBe("dangling is a symbolic link that leads to nowhere, where nothing is.");
    }
    expect(await agent.content("nowhere")).toBeNull();
    expect(await agent.content("a")).toBe(THREE.a);
  });
});

type Files = Readonly<Record<string, string>>;

const recorded = new URL("../../../shared/data/real-edits/codex-patches.jsonl", import.meta.url);
/** Its recorded bytes are damage: lines without context went to the end of the file. */
const DAMAGED = "5627d09e0e";

describe.skipIf(!existsSync(recorded))("real patches (skipped where ../shared/data is absent)", () => {
  it("all but one give the recorded bytes", async () => {
    const rows = readFileSync(recorded, "utf8").trim().split("\n");
    const known = rows.map((row) => JSON.parse(row)).filter(({ files, after }) => files !== null && after !== null);
    const failed: string[] = [];
    for (const { id, patch, files, after } of known) {
      const { call, content } = agentWith(workspace, inPlace(files));
      const text = Object.keys({ ...files, ...after }).reduce((all, path) => all.replaceAll(path, local(path)), patch);
      const result = await call("apply_patch", { patch: text });
      const texts: Record<string, string | null> = {};
      for (const path of Object.keys(inPlace(after))) texts[path] = await content(path);
      if (!result.ok || JSON.stringify(texts) !== JSON.stringify(inPlace(after))) failed.push(`${id}: ${result.text}`);
    }
    expect(known).toHaveLength(54);
    expect(failed).toEqual([expect.stringContaining(DAMAGED)]);
  });
});

/** A workspace takes absolute paths of its own; where these lay, none is here. */
function local(path: string): string {
  const isAbsolute = /^(?:[A-Za-z]:|\/)/.test(path);
  return isAbsolute ? path.split(/[\\/]/).slice(3).join("/") : path;
}

function inPlace(files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [local(path), text]));
}
