// Seed 000: the stale-file protocol.
import { createHash } from "node:crypto";
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { bind } from "../../src/surfaces/bind.ts";
import { workspace } from "../../src/surfaces/workspace/index.ts";
import { all } from "../../src/testing/assertions.ts";
import { BACKENDS, directoryWith } from "../support/workspace.ts";
import { deskOn } from "./000-calls.ts";

const TEXT = "one\ntwo\nthree\nfour\nfive\nsix\n";
const OTHER = "0".repeat(64);
const ACTION = "Re-read the file to obtain the current sha256 and re-apply your edit.";
/** What is not an edit is not applied again. */
const ACTIONS: Readonly<Record<string, string>> = {
  delete_file: "Re-read the file to obtain the current sha256, and delete it if that is still right.",
  move_file: "Re-read the file to obtain the current sha256, and move it if that is still right.",
};
const shaOf = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const updatePatch = (path: string) => `*** Begin Patch\n*** Update File: ${path}\n@@\n-six\n+SIX\n*** End Patch\n`;

describe.each(BACKENDS)("seed 000: stale files on %s", (_name, make) => {
  const changing = (sha: string) =>
    [
      ["write_file", { path: "a", content: "x\n", expectedSha256: sha }],
      ["edit_file", { path: "a", edits: [{ oldText: "six", newText: "SIX" }], expectedSha256: sha }],
      ["apply_patch", { patch: updatePatch("a"), expectedSha256ByPath: { a: sha } }],
      ["delete_file", { path: "a", expectedSha256: sha }],
      ["move_file", { fromPath: "a", toPath: "b", expectedSha256: sha }],
    ] as const;

  it.each(changing(OTHER).map(([name]) => name))(
    "%s refuses unless the caller proves the current state",
    async (name) => {
      const desk = deskOn(make({ a: TEXT }));
      const [, input] = changing(OTHER).find(([each]) => each === name)!;
      const refused = await desk.no(name, input);
      expect(refused).toMatchObject({
        kind: "stale_file",
        recoverable: true,
        suggestedAction: ACTIONS[name] ?? ACTION,
        details: { expectedSha256: OTHER },
      });
      expect(JSON.stringify(refused)).not.toContain(shaOf(TEXT));
      expect(refused.text).toContain(ACTIONS[name] ?? ACTION);
      expect(await desk.textAt("a")).toBe(TEXT);
    },
  );

  it.each(changing("").map(([name]) => name))("%s goes ahead with the sha256 of the current bytes", async (name) => {
    const desk = deskOn(make({ a: TEXT }));
    const { data } = await desk.ok("read_file", { path: "a" });
    const [, input] = changing(data.sha256).find(([each]) => each === name)!;
    await desk.ok(name, input);
    expect(await desk.textAt("a")).not.toBe(TEXT);
  });

  it("a refusal starts with what did not happen and carries the repair: what changed and who changed it", async () => {
    const desk = deskOn(make({ a: TEXT }));
    const sha = await desk.sha("a");
    const bob = desk.colleague("bob");
    await bob.ok("edit_file", { path: "a", edits: [{ oldText: "two", newText: "TWO" }], expectedSha256: sha });
    const { text, details } = await desk.no("write_file", { path: "a", content: "x", expectedSha256: sha });
    expect(text.startsWith("Write rejected, file unchanged. a is not the version you saw.")).toBe(true);
    expect(text).toContain("-two\n+TWO\n");
    expect(details).toMatchObject({
      currentSha256: await desk.sha("a"),
      changedBy: { session: "bob", agent: "agent bob", tool: "edit_file" },
    });
  });

  it.each([
    ["startLine and endLine", { startLine: 2, endLine: 3 }],
    ["maxBytes", { maxBytes: 5 }],
    ["a start behind the end", { startLine: 99 }],
  ])("the sha256 covers the full bytes although the read was sliced by %s, and serves a write", async (_how, slice) => {
    const desk = deskOn(make({ a: TEXT }));
    const { data } = await desk.ok("read_file", { path: "a", ...slice });
    expect(data.sha256).toBe(shaOf(TEXT));
    const { data: written } = await desk.ok("write_file", { path: "a", content: "x\n", expectedSha256: data.sha256 });
    expect(written).toMatchObject({ beforeSha256: data.sha256, afterSha256: shaOf("x\n") });
  });

  it("the sha256 is that of the bytes on disk: byte order mark, line ends and encoding included", async () => {
    const bytes = Buffer.from("\ufeffeins\r\nzwei\r\n");
    expect(await deskOn(make({ a: bytes })).sha("a")).toBe(shaOf(bytes));
  });

  it("every result gives the sha256 for the next change", async () => {
    const desk = deskOn(make({}));
    const created = await desk.ok("create_file", { path: "a", content: "1\n" });
    const edit = { path: "a", edits: [{ oldText: "1", newText: "2" }], expectedSha256: created.data.sha256 };
    const edited = await desk.ok("edit_file", edit);
    const written = await desk.ok("write_file", { path: "a", content: "3\n", expectedSha256: edited.data.afterSha256 });
    await desk.ok("move_file", { fromPath: "a", toPath: "b", expectedSha256: written.data.afterSha256 });
    expect(await desk.textAt("b")).toBe("3\n");
  });

  it("overwriting after a partial read is allowed, and says which lines were never shown; strict refuses", async () => {
    const desk = deskOn(make({ a: TEXT }));
    const { data } = await desk.ok("read_file", { path: "a", startLine: 2, endLine: 3 });
    const { warnings } = await desk.ok("write_file", { path: "a", content: "x\n", expectedSha256: data.sha256 });
    expect(warnings.join()).toContain("lines 1, 4-6 were never shown");

    const strict = deskOn(make({ a: TEXT }), { strict: true });
    const { data: cut } = await strict.ok("read_file", { path: "a", maxBytes: 10 });
    const refused = await strict.no("write_file", { path: "a", content: "x\n", expectedSha256: cut.sha256 });
    expect(refused).toMatchObject({
      kind: "stale_file",
      details: { cause: "unseen_content", neverShown: [{ from: 3, to: 6 }] },
    });
    await strict.ok("read_file", { path: "a", startLine: 3 });
    await strict.ok("write_file", { path: "a", content: "x\n", expectedSha256: cut.sha256 });
  });

  it("onStale rebase replays an edit on the newer version: rebased, base sha256, the other side's diff", async () => {
    const desk = deskOn(make({ a: TEXT }));
    const sha = await desk.sha("a");
    const theirs = { path: "a", edits: [{ oldText: "two", newText: "TWO" }], expectedSha256: sha };
    await desk.colleague("bob").ok("edit_file", theirs);
    const mine = { path: "a", edits: [{ oldText: "six", newText: "SIX" }], expectedSha256: sha };
    await desk.no("edit_file", mine);
    const { data, warnings } = await desk.ok("edit_file", { ...mine, onStale: "rebase" });
    expect(data).toMatchObject({ rebased: true, baseSha256: sha });
    expect(data.otherDiff).toContain("-two\n+TWO\n");
    expect(warnings).toHaveLength(1);
    expect(await desk.textAt("a")).toBe(TEXT.replace("two", "TWO").replace("six", "SIX"));
  });

  it("onStale rebase means the places that the version had, not others that read the same now", async () => {
    const desk = deskOn(make({ a: TEXT }));
    const sha = await desk.sha("a");
    const content = TEXT.replace("two", "six");
    await desk.colleague("bob").ok("write_file", { path: "a", content, expectedSha256: sha });
    const edit = { oldText: "six", newText: "SIX" };
    const call = { path: "a", expectedSha256: sha, onStale: "rebase" };
    expect((await desk.no("edit_file", { ...call, edits: [{ oldText: "two", newText: "2" }] })).kind).toBe(
      "stale_file",
    );
    expect((await desk.no("delete_file", { path: "a", expectedSha256: sha })).kind).toBe("stale_file");
    expect(await desk.textAt("a")).toBe(content);
    await desk.ok("edit_file", { ...call, edits: [{ ...edit, replaceAll: true }] });
    expect(await desk.textAt("a")).toBe(TEXT.replace("six", "SIX").replace("two", "six"));
  });

  it("onStale rebase leaves text alone that others put in, also where it reads like what was meant", async () => {
    const desk = deskOn(make({ a: "one\nport = 1\ntwo\n" }));
    const sha = await desk.sha("a");
    const content = "one\nport = 9\ntwo\nother\nport = 1\n";
    await desk.colleague("bob").ok("write_file", { path: "a", content, expectedSha256: sha });
    const call = { path: "a", expectedSha256: sha, onStale: "rebase" };
    const edits = [{ oldText: "port = 1", newText: "port = 2" }];
    expect((await desk.no("edit_file", { ...call, edits })).kind).toBe("stale_file");
    const hunk = ["*** Begin Patch", "*** Update File: a", "@@", "-port = 1", "+port = 2", "*** End Patch"];
    const patch = { patch: hunk.join("\n"), expectedSha256ByPath: { a: sha }, onStale: "rebase" };
    expect((await desk.no("apply_patch", patch)).kind).toBe("stale_file");
    expect(await desk.textAt("a")).toBe(content);
  });

  it("onStale rebase makes the same change once", async () => {
    const desk = deskOn(make({ a: "import a\nrun()\n" }));
    const sha = await desk.sha("a");
    const edits = [{ oldText: "import a\n", newText: "import a\nimport b\n" }];
    for (const _time of [1, 2])
      await desk.ok("edit_file", { path: "a", expectedSha256: sha, onStale: "rebase", edits });
    expect(await desk.textAt("a")).toBe("import a\nimport b\nrun()\n");
  });

  it("onStale rebase of a whole file merges, and a conflict is a stale file", async () => {
    const desk = deskOn(make({ a: TEXT }), { onStale: "rebase" });
    const sha = await desk.sha("a");
    const bob = desk.colleague("bob");
    await bob.ok("write_file", { path: "a", content: TEXT.replace("two", "TWO"), expectedSha256: sha });
    const conflict = { path: "a", content: TEXT.replace("two", "2"), expectedSha256: sha };
    expect(await desk.no("write_file", conflict)).toMatchObject({
      kind: "stale_file",
      details: { cause: "merge_conflict" },
    });
    expect((await desk.no("write_file", { ...conflict, onStale: "reject" })).details.cause).toBeUndefined();
    const { data } = await desk.ok("write_file", {
      path: "a",
      content: TEXT.replace("six", "SIX"),
      expectedSha256: sha,
    });
    expect(data.rebased).toBe(true);
    expect(await desk.textAt("a")).toBe(TEXT.replace("two", "TWO").replace("six", "SIX"));
  });

  it("of many edits with the same sha256 at the same moment one is applied, the others are stale", async () => {
    const desk = deskOn(make({ a: TEXT }));
    const tool = bind(workspace, desk.session);
    const expectedSha256 = await desk.sha("a");
    const edit = (n: number) =>
      tool.edit_file({ path: "a", expectedSha256, edits: [{ oldText: "one", newText: `one ${n}` }] });
    const results = await Promise.all(Array.from({ length: 8 }, (_, n) => edit(n)));
    const winners = results.flatMap((result, n) => (result.ok ? [n] : []));
    const kinds = results.flatMap((result) => (result.ok ? [] : [result.error.kind]));
    expect(kinds).toEqual(Array(7).fill("stale_file"));
    expect(await desk.textAt("a")).toBe(TEXT.replace("one", `one ${winners[0]}`));
  });

  it("the proof is written into the journal", async () => {
    const desk = deskOn(make({ a: TEXT, b: TEXT }));
    await desk.ok("apply_patch", { patch: updatePatch("a"), expectedSha256ByPath: { a: await desk.sha("a") } });
    await desk.ok("apply_patch", { patch: updatePatch("b") });
    const proofs = (await all(desk.workspace.log())).map(({ changes }) => changes[0]?.proof);
    expect(proofs).toEqual(["sha256", "waived"]);
  });
});

describe("seed 000: why not last-modified time", () => {
  it("a file whose content changed under the same mtime is stale; one that was only touched is not", async () => {
    const root = directoryWith({ a: TEXT });
    const file = join(root, "a");
    const when = new Date("2020-01-01T00:00:00Z");
    utimesSync(file, when, when);
    const desk = deskOn(disk({ root, durability: "fast" }));
    const sha = await desk.sha("a");
    utimesSync(file, new Date(), new Date());
    const edit = { path: "a", edits: [{ oldText: "two", newText: "TWO" }] };
    const { data } = await desk.ok("edit_file", { ...edit, expectedSha256: sha });
    writeFileSync(file, TEXT.replace("six", "SIX"));
    utimesSync(file, when, when);
    expect((await desk.no("edit_file", { ...edit, expectedSha256: data.afterSha256 })).kind).toBe("stale_file");
  });
});
