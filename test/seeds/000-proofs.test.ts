// Seed 000: the sha256 that proves what was seen, the empty one that expects no file, and changes carried over.
import { createHash } from "node:crypto";
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bind, workspace } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentIn, agentWith, patchOf } from "../support/agent.ts";
import { directoryWith, workspaceIn } from "../support/workspace.ts";

const TWO = { a: "one\n", b: "two\n" };
const OTHER = "0".repeat(64);

const ADD = patchOf("*** Add File: new", "+fresh");
const ADD_OVER = patchOf("*** Add File: a", "+fresh");
const UPDATE = patchOf("*** Update File: a", "@@", "-one", "+ONE");
const DELETE = patchOf("*** Delete File: a");
const MOVE = patchOf("*** Move File: a -> new");
const MOVE_OVER = patchOf("*** Move File: a -> b");
const SHA_OF_A = createHash("sha256").update("one\n").digest("hex");
const STALE_ACTION = "Re-read the file to obtain the current sha256 and re-apply your edit.";
const THERE = { exists: true };
const PASS_NONE = 'Pass "" for new in expectedSha256ByPath';
const USE_UPDATE = "Use *** Update File to change the file that is there";
const DELETE_IF = "and delete it if that is still right.";

describe("seed 000: expectedSha256ByPath", () => {
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
      const agent = agentWith(workspace, TWO, options);
      const rebases =
        options.onStale === "rebase" && text === UPDATE && Object.values(expectedSha256ByPath)[0] === OTHER;
      if (rebases) continue;
      const refused = await agent.refused("apply_patch", { patch: text, expectedSha256ByPath });
      expect(refused.kind).toBe("stale_file");
      expect(refused.details).toMatchObject(details);
      expect(JSON.stringify(refused)).not.toContain(SHA_OF_A);
      expect(refused.suggestedAction).toContain(next);
      expect([await agent.content("a"), await agent.content("new")]).toEqual(["one\n", null]);
    }
  });

  it("two keys for one file must agree, in the map and in the list of its entries", async () => {
    const agent = agentWith(workspace, TWO);
    const list = [
      { path: "a", sha256: await agent.sha("a") },
      { path: "a", sha256: OTHER },
    ];
    const refused = await agent.refused("apply_patch", { patch: UPDATE, expectedSha256ByPath: list });
    expect(refused.text).toContain('`expectedSha256ByPath` names "a" twice');
    const stale = [{ path: "./a", sha256: OTHER }];
    expect((await agent.refused("apply_patch", { patch: UPDATE, expectedSha256ByPath: stale })).kind).toBe(
      "stale_file",
    );
    const expectedSha256ByPath = { a: await agent.sha("a"), "./a": OTHER };
    expect((await agent.refused("apply_patch", { patch: UPDATE, expectedSha256ByPath })).kind).toBe("command_failed");
  });
});

describe("seed 000: no file expected", () => {
  it.each([
    ["write_file", { path: "a", content: "x" }, STALE_ACTION],
    ["edit_file", { path: "a", edits: [{ oldText: "one", newText: "x" }] }, STALE_ACTION],
    ["delete_file", { path: "a" }, DELETE_IF],
    ["delete_file", { path: "a", permanent: true }, DELETE_IF],
    ["move_file", { fromPath: "a", toPath: "new" }, "and move it if that is still right."],
  ] as const)('"" as proof for a file that exists is stale_file: %s %o', async (tool, input, next) => {
    for (const onStale of ["reject", "rebase"] as const) {
      const agent = agentWith(workspace, TWO, { onStale });
      const refused = await agent.refused(tool, { ...input, expectedSha256: "" });
      expect(refused.kind).toBe("stale_file");
      expect(refused.details).toMatchObject({ ...THERE, expectedSha256: "" });
      expect(refused.text).toContain("a exists, and you expect no file there.");
      expect(refused.suggestedAction).toContain(next);
      expect([await agent.content("a"), await agent.content("new")]).toEqual(["one\n", null]);
    }
    expect((await agentWith(workspace, { b: "" }).refused(tool, { ...input, expectedSha256: "" })).kind).toBe(
      "not_found",
    );
  });

  it("create_file on a directory is already_exists, and so is all else that would be made there", async () => {
    const agent = agentWith(workspace, { "d/x": "in it\n", a: "one\n" });
    const { data } = await agent.done("delete_file", { path: "a" });
    await agent.done("create_file", { path: "b", content: "two\n" });
    const expectedSha256 = await agent.sha("b");
    for (const [tool, input] of [
      ["create_file", { path: "d", content: "" }],
      ["create_file", { path: "./d/", content: "" }],
      ["create_file", { path: ".", content: "" }],
      ["apply_patch", { patch: patchOf("*** Add File: d", "+x") }],
      ["apply_patch", { patch: patchOf("*** Move File: b -> d") }],
      ["move_file", { fromPath: "b", toPath: "d", expectedSha256 }],
      ["restore_file", { trashedPath: data.trashedTo, targetPath: "d" }],
    ] as const) {
      const refused = await agent.refused(tool, input);
      expect([tool, refused.kind]).toEqual([tool, "already_exists"]);
      expect(refused.text).toContain("is a directory.");
    }
    expect(await agent.content("d/x")).toBe("in it\n");
  });
});

const TEXT = "one\ntwo\nthree\nfour\nfive\nsix\n";
describe("seed 000: stale files", () => {
  it("onStale rebase means the places that the version had, not others that read the same now", async () => {
    const agent = agentWith(workspace, { a: TEXT });
    const sha = await agent.sha("a");
    const content = TEXT.replace("two", "six");
    await agent.another("bob").done("write_file", { path: "a", content, expectedSha256: sha });
    const edit = { oldText: "six", newText: "SIX" };
    const call = { path: "a", expectedSha256: sha, onStale: "rebase" };
    expect((await agent.refused("edit_file", { ...call, edits: [{ oldText: "two", newText: "2" }] })).kind).toBe(
      "stale_file",
    );
    expect((await agent.refused("delete_file", { path: "a", expectedSha256: sha })).kind).toBe("stale_file");
    expect(await agent.content("a")).toBe(content);
    await agent.done("edit_file", { ...call, edits: [{ ...edit, replaceAll: true }] });
    expect(await agent.content("a")).toBe(TEXT.replace("six", "SIX").replace("two", "six"));
  });

  it("onStale rebase leaves text alone that others put in, also where it reads like what was meant", async () => {
    const agent = agentWith(workspace, { a: "one\nport = 1\ntwo\n" });
    const sha = await agent.sha("a");
    const content = "one\nport = 9\ntwo\nother\nport = 1\n";
    await agent.another("bob").done("write_file", { path: "a", content, expectedSha256: sha });
    const call = { path: "a", expectedSha256: sha, onStale: "rebase" };
    const edits = [{ oldText: "port = 1", newText: "port = 2" }];
    expect((await agent.refused("edit_file", { ...call, edits })).kind).toBe("stale_file");
    const hunk = patchOf("*** Update File: a", "@@", "-port = 1", "+port = 2");
    const patch = { patch: hunk, expectedSha256ByPath: { a: sha }, onStale: "rebase" };
    expect((await agent.refused("apply_patch", patch)).kind).toBe("stale_file");
    expect(await agent.content("a")).toBe(content);
  });

  it("onStale rebase makes the same change once", async () => {
    const agent = agentWith(workspace, { a: "import a\nrun()\n" });
    const sha = await agent.sha("a");
    const edits = [{ oldText: "import a\n", newText: "import a\nimport b\n" }];
    for (const _time of [1, 2])
      await agent.done("edit_file", { path: "a", expectedSha256: sha, onStale: "rebase", edits });
    expect(await agent.content("a")).toBe("import a\nimport b\nrun()\n");
  });

  it("of many edits with the same sha256 at the same moment one is applied, the others are stale", async () => {
    const agent = agentWith(workspace, { a: TEXT });
    const tool = bind(workspace, agent.session);
    const expectedSha256 = await agent.sha("a");
    const edit = (n: number) =>
      tool.edit_file({ path: "a", expectedSha256, edits: [{ oldText: "one", newText: `one ${n}` }] });
    const results = await Promise.all(Array.from({ length: 8 }, (_, n) => edit(n)));
    const winners = results.flatMap((result, n) => (result.ok ? [n] : []));
    const kinds = results.flatMap((result) => (result.ok ? [] : [result.error.kind]));
    expect(kinds).toEqual(Array(7).fill("stale_file"));
    expect(await agent.content("a")).toBe(TEXT.replace("one", `one ${winners[0]}`));
  });
});

describe("seed 000: why not last-modified time", () => {
  it("a file whose content changed under the same mtime is stale; one that was only touched is not", async () => {
    const root = directoryWith({ a: TEXT });
    const file = join(root, "a");
    const when = new Date("2020-01-01T00:00:00Z");
    utimesSync(file, when, when);
    const agent = agentIn(workspaceIn(root), workspace);
    const sha = await agent.sha("a");
    utimesSync(file, new Date(), new Date());
    const edit = { path: "a", edits: [{ oldText: "two", newText: "TWO" }] };
    const { data } = await agent.done("edit_file", { ...edit, expectedSha256: sha });
    writeFileSync(file, TEXT.replace("six", "SIX"));
    utimesSync(file, when, when);
    expect((await agent.refused("edit_file", { ...edit, expectedSha256: data.afterSha256 })).kind).toBe("stale_file");
  });
});
