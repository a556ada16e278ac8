// Seed 000: what a record of the audit log says, sentence by sentence.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disk } from "../../src/backends/disk/index.ts";
import { BACKENDS, directoryWith } from "../support/workspace.ts";
import { type Desk, deskIn, deskOn } from "./000-calls.ts";

const patch = (...lines: readonly string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");

async function newest(desk: Desk) {
  return (await desk.ok("audit_log", { maxResults: 1 })).data.entries[0]!;
}

describe.each(BACKENDS)("seed 000: records of the audit log on %s", (_name, make) => {
  it.each([
    ["a header that is none", patch("*** Update File: a", "@@", "-1", "+2", "*** Bogus"), "update a"],
    ["an Add", patch("*** Update File: a", "@@", "-1", "+2", "*** Add File: new", "oops"), "create new"],
    ["no end", "*** Begin Patch\n*** Delete File: a\n", "delete a"],
    ["a Move", patch("*** Delete File: b", "*** Move File: a -> c", "oops"), "move a -> c"],
    ["a move below an Update", patch("*** Update File: a", "*** Move to: c", "oops"), "move a -> c"],
    ["a unified diff", "--- a/a\n+++ b/a\n@@ nonsense @@\n-1\n+2\n", "update a"],
    ["a unified diff of a new file", "--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+1\n", "create new"],
    ["nothing that can be read", "garbage", "update "],
  ])("a patch that cannot be read names what can be named: %s", async (_what, text, told) => {
    const desk = deskOn(make({ a: "1\n", b: "2\n" }));
    const refused = await desk.no("apply_patch", { patch: text });
    expect(refused.kind).toBe("patch_parse_error");
    const { operation, path, toPath, success, errorKind } = await newest(desk);
    expect([operation, path, success, errorKind]).toEqual([
      told.split(" ")[0],
      told.split(" ")[1],
      false,
      "patch_parse_error",
    ]);
    expect(toPath).toBe(told.split(" -> ")[1]);
    expect((await desk.ok("audit_log", {})).text).toContain(path === "" ? "update (no file named) REFUSED" : told);
  });

  it.each([
    ["write_file", { filename: "a", content: "" }, "update a"],
    ["move_file", { to: "c", from: "a" }, "move a -> c"],
    ["delete_file", JSON.stringify({ file_path: "a", permanent: "perhaps" }), "delete a"],
    ["apply_patch", { input: patch("*** Delete File: a"), atomic: "perhaps" }, "delete a"],
    ["restore_file", { id: "a", targetPath: 7 }, "restore a"],
  ] as const)("arguments that are wrong name what can be named: %s", async (tool, input, told) => {
    const desk = deskOn(make({ a: "1\n" }));
    await desk.no(tool, input as never);
    const { operation, path, toPath } = await newest(desk);
    expect(`${operation} ${path}${toPath === undefined ? "" : ` -> ${toPath}`}`).toBe(told);
  });

  it("a refused patch of many files is told for the file that it was refused for", async () => {
    const names = Array.from({ length: 30 }, (_, n) => `f${n}`);
    const desk = deskOn(make(Object.fromEntries(names.map((name) => [name, `${name}\n`]))));
    for (const at of [0, 18, 19, 20, 29]) {
      const sections = names.map((name, n) => `*** ${n % 2 === 0 ? "Update" : "Delete"} File: ${name}\n${hunk(n)}`);
      const bad = at % 2 === 0 ? `*** Update File: f${at}\n@@\n-no\n+x` : `*** Delete File: gone${at}`;
      await desk.no("apply_patch", { patch: patch(...sections.with(at, bad).map((each) => each.trimEnd())) });
      const { operation, path } = await newest(desk);
      expect(`${operation} ${path}`).toBe(at % 2 === 0 ? `update f${at}` : `delete gone${at}`);
    }
    const moves = names.map((name) => `*** Move File: ${name} -> ${name}.new`);
    await desk.no("apply_patch", {
      patch: patch("*** Delete File: f0", ...moves.slice(1, -1), "*** Move File: x -> y"),
    });
    expect(await newest(desk)).toMatchObject({ operation: "move", path: "x", toPath: "y" });

    function hunk(n: number): string {
      return n % 2 === 0 ? `@@\n-f${n}\n+F` : "";
    }
  });

  it("a move's beforeSha256 is the source's, and what it overwrote has its own fields", async () => {
    const desk = deskOn(make({ a: "of a\n", b: "of b\n" }));
    const [a, b] = [await desk.sha("a"), await desk.sha("b")];
    const { data } = await desk.ok("move_file", { fromPath: "a", toPath: "b", expectedSha256: a, overwrite: true });
    const record = await newest(desk);
    expect(record).toMatchObject({
      operation: "move",
      path: "a",
      toPath: "b",
      beforeSha256: a,
      afterSha256: a,
      overwroteSha256: b,
      overwroteTrashedTo: data.overwroteTrashedTo,
      proof: "sha256",
    });
    expect(data.overwroteTrashedTo).toBeDefined();
    expect((await desk.ok("audit_log", {})).text).toContain(
      `move a -> b (over a file, which is in the trash as ${data.overwroteTrashedTo})`,
    );
    await desk.ok("restore_file", { trashedPath: record.overwroteTrashedTo!, targetPath: "c" });
    expect(await desk.textAt("c")).toBe("of b\n");
  });

  it("a move that also edits, or overwrites nothing, has the source's beforeSha256 too", async () => {
    const desk = deskOn(make({ a: "1\n" }));
    const before = await desk.sha("a");
    await desk.ok("apply_patch", { patch: patch("*** Move File: a -> b", "@@", "-1", "+2") });
    const record = await newest(desk);
    expect(record).toMatchObject({ operation: "move", beforeSha256: before, afterSha256: await desk.sha("b") });
    expect(Object.keys(record)).not.toContain("overwroteSha256");
  });

  it("a delete names where the old version is, as long as it is there", async () => {
    const desk = deskOn(make({ a: "1\n", b: "2\n", c: "3\n" }));
    await desk.ok("apply_patch", { patch: patch("*** Delete File: a", "*** Delete File: b") });
    const [ofA, ofB] = (await desk.ok("audit_log", {})).data.entries;
    expect([ofA!.path, ofB!.path]).toEqual(["a", "b"]);
    expect((await desk.ok("audit_log", { path: "a" })).text).toContain(
      `(without proof; in the trash as ${ofA!.trashedTo})`,
    );
    await desk.ok("restore_file", { trashedPath: ofB!.trashedTo! });
    expect(await desk.textAt("b")).toBe("2\n");
    await desk.ok("delete_file", { path: "c", permanent: true, expectedSha256: await desk.sha("c") });
    const { data } = await desk.ok("audit_log", {});
    const told = data.entries.map(({ operation, path, trashedTo }) => [operation, path, trashedTo]);
    expect(told).toEqual([
      ["delete", "c", undefined],
      ["restore", "b", undefined],
      ["delete", "a", ofA!.trashedTo],
      ["delete", "b", undefined],
    ]);
    const listed = (await desk.ok("list_trash", {})).data.entries.map(({ trashedPath }) => trashedPath);
    expect(listed).toEqual([ofA!.trashedTo]);
  });

  it("a waived proof is shown, and so is any other", async () => {
    const desk = deskOn(make({ a: "1\n", b: "2\n" }));
    const update = (from: string, to: string) => patch("*** Update File: a", "@@", `-${from}`, `+${to}`);
    await desk.ok("apply_patch", { patch: update("1", "2") });
    await desk.ok("apply_patch", { patch: update("2", "3"), expectedSha256ByPath: { a: await desk.sha("a") } });
    await desk.ok("create_file", { path: "new", content: "" });
    await desk.no("delete_file", { path: "none" });
    const { data, text } = await desk.ok("audit_log", {});
    expect(data.entries.map(({ path, proof }) => [path, proof])).toEqual([
      ["none", "waived"],
      ["new", "absence"],
      ["a", "sha256"],
      ["a", "waived"],
    ]);
    expect(text.split("\n").filter((line) => line.includes("without proof"))).toEqual([
      expect.stringMatching(/update a \(without proof\)$/),
    ]);
  });
});

describe("seed 000: records of what other programs did", () => {
  it("an external change is not shown under the session that noticed it", async () => {
    const root = directoryWith({ a: "1\n" });
    const desk = deskOn(disk({ root, durability: "fast" }));
    await desk.ok("write_file", { path: "a", content: "2\n", expectedSha256: await desk.sha("a") });
    writeFileSync(join(root, "a"), "3\n");
    await deskIn(desk.workspace, "noticing").ok("read_file", { path: "a" });
    const { data, text } = await desk.ok("audit_log", {});
    expect(data.entries.map(({ toolName, sessionId }) => [toolName, sessionId])).toEqual([
      ["external", undefined],
      ["write_file", "mine"],
    ]);
    expect(Object.keys(data.entries[0]!)).not.toContain("agentName");
    expect(text).not.toContain("noticing");
    expect((await desk.ok("audit_log", { sessionId: "noticing" })).data.entries).toEqual([]);
  });

  it("the text names a session at the first record of each run of its records", async () => {
    const root = directoryWith({ a: "1\n", b: "1\n" });
    const desk = deskOn(disk({ root, durability: "fast" }));
    const write = async (by: Desk, path: string, content: string) =>
      by.ok("write_file", { path, content, expectedSha256: await by.sha(path) });
    await write(deskIn(desk.workspace, "other"), "b", "2\n");
    await write(desk, "a", "2\n");
    await write(desk, "a", "3\n");
    writeFileSync(join(root, "a"), "4\n");
    await write(desk, "a", "5\n");
    const lines = (await desk.ok("audit_log", {})).text.split("\n");
    const told = lines.map(
      (line) => `${/ (external|write_file)/.exec(line)?.[1]} ${/\(session (.*?)\)/.exec(line)?.[1]}`,
    );
    expect(told).toEqual([
      "write_file mine",
      "external undefined",
      "write_file mine",
      "write_file undefined",
      "write_file other",
    ]);
  });
});
