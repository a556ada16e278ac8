// Seed 004, where the anchors surface meets the kernel: lost versions, rebase, hostile names and bytes, calls at once.
import { describe, expect, it } from "vitest";
import { fileVersion } from "../../src/edit/anchors/index.ts";
import { anchors } from "../../src/surfaces/anchors/index.ts";
import { call } from "../../src/surfaces/call.ts";
import { all } from "../../src/testing/assertions.ts";
import { BACKENDS } from "../support/workspace.ts";
import { desk, hash, numbered, text } from "./004-desk.ts";

const [, onDisk] = BACKENDS[1]!;

describe("a version that was read and that nobody has any more, on disk", () => {
  const read = async () => {
    const made = desk(
      onDisk,
      { "a.txt": text("begin", "x = 1", "mid", "x = 1", "end") },
      { limits: { recentBytes: 1 }, onStale: "rebase" },
    );
    await made.done("read_file", { path: "a.txt", hashes: true });
    made.outside("a.txt", text("begin", "new", "x = 1", "x = 1", "mid", "end"));
    return made;
  };

  it("a unique hash is still a proof", async () => {
    const { done, content } = await read();
    const { data } = await done("edit", {
      path: "a.txt",
      operations: [{ op: "replace_line", hash: hash("mid"), content: "MID" }],
    });
    expect(data.cross_version).toBe(true);
    expect(await content("a.txt")).toContain("MID");
  });

  it.each([{ line: 4 }, { occurrence: 2 }])(
    "which of several lines %o means cannot be told: anchor_stale",
    async (which) => {
      const { refused } = await read();
      const operations = [{ op: "replace_line", hash: hash("x = 1"), content: "x = 2", ...which }];
      expect((await refused("edit", { path: "a.txt", operations })).kind).toBe("anchor_stale");
    },
  );
});

describe.each(BACKENDS)("edges on %s", (_name, make) => {
  it("write_file with onStale rebase merges what others changed elsewhere, and refuses a conflict", async () => {
    const lines = numbered(9);
    const { done, refused, other, content } = desk(make, { "a.txt": text(...lines) }, { onStale: "rebase" });
    const { data } = await done("read_file", { path: "a.txt" });
    await other("a.txt", text(...lines.with(1, "theirs")));
    const input = { path: "a.txt", expected_file_version: data.file_version };
    const { warnings } = await done("write_file", { ...input, content: text(...lines.with(7, "mine")) });
    expect(await content("a.txt")).toBe(text(...lines.with(1, "theirs").with(7, "mine")));
    expect(warnings.join()).toContain("newer version");
    await done("read_file", { path: "a.txt" });
    await other("a.txt", text(...lines.with(1, "again")));
    const expected = fileVersion(text(...lines.with(1, "theirs").with(7, "mine")));
    const failure = await refused("write_file", {
      path: "a.txt",
      expected_file_version: expected,
      content: text(...lines.with(1, "mine")),
    });
    expect(failure.kind).toBe("merge_conflict");
  });

  it.each([
    ["read_file", {}],
    ["write_file", { content: "x" }],
    ["edit", { operations: [{ op: "delete_line", hash: "a1b2c3" }] }],
  ])("%s outside the workspace is refused and recorded", async (name, input) => {
    const { refused, workspace } = desk(make, {});
    expect((await refused(name, { path: "../../etc/passwd", ...input })).kind).toBe("outside_workspace");
    expect((await all(workspace.log())).map(({ tool, error }) => [tool, error])).toEqual([[name, "outside_workspace"]]);
  });

  it("stray bytes in the lines that a refusal quotes are escaped", async () => {
    const before = Buffer.concat([
      Buffer.from("a1\n"),
      Buffer.from([0x63, 0xc3, 0x28, 0x80, 0x0a]),
      Buffer.from("é ü ñ 日本\nb2\n"),
      Buffer.from([0x63, 0xc3, 0x28, 0x80, 0x0a]),
    ]);
    const { done, refused } = desk(make, { "a.txt": before });
    const { text: said } = await done("read_file", { path: "a.txt", hashes: true });
    const [, anchor] = /^2#([0-9a-f]{6})/m.exec(said)!;
    const failure = await refused("edit", { path: "a.txt", operations: [{ op: "delete_line", hash: anchor }] });
    expect(failure.kind).toBe("anchor_ambiguous");
    expect(said + failure.text + JSON.stringify(failure.details)).not.toMatch(/\p{Surrogate}|\uFFFD|\\ud[cd]/u);
    expect(failure.text).toContain("\\xC3");
  });

  it("a name that would reorder the text around it is escaped", async () => {
    const path = "evil\u202Etxt.a";
    const { done } = desk(make, { [path]: text("one", "two") });
    const { text: said } = await done("edit", { path, operations: [{ op: "delete_line", hash: hash("one") }] });
    expect(said).not.toContain("\u202E");
    expect(said).toContain("evil\\u{202e}txt.a");
  });

  it("an empty file gets its first lines by the hash of nothing", async () => {
    const { done, content } = desk(make, { "a.txt": "" });
    await done("read_file", { path: "a.txt", hashes: true });
    await done("edit", {
      path: "a.txt",
      operations: [{ op: "insert_after", hash: "d41d8c", content: "first\nsecond\n" }],
    });
    expect(await content("a.txt")).toBe(text("first", "second"));
  });

  it("edits of one file that are sent at once all land, each on the version it finds", async () => {
    const lines = numbered(8);
    const { done, content } = desk(make, { "a.txt": text(...lines) });
    await done("read_file", { path: "a.txt", hashes: true });
    await Promise.all(
      lines.map((line, n) =>
        done("edit", {
          path: "a.txt",
          operations: [{ op: "replace_line", hash: hash(line), content: `changed ${n}` }],
        }),
      ),
    );
    expect(await content("a.txt")).toBe(text(...lines.map((_, n) => `changed ${n}`)));
  });

  it("where only create is allowed, of two writes at once only the first lands", async () => {
    const { session, content } = desk(make, {}, { policy: { allowedActions: ["read", "create"] } });
    const write = (content: string) => call(session, anchors, "write_file", { path: "a.txt", content });
    const results = await Promise.all([write("one\n"), write("two\n")]);
    expect(results.map((result) => (result.ok ? "ok" : result.error.kind)).sort()).toEqual(["ok", "permission_denied"]);
    expect(await content("a.txt")).toBe(results[0]?.ok ? "one\n" : "two\n");
  });

  it("a binary file is refused by all three tools and stays", async () => {
    const bytes = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3, 0, 0, 255]);
    const { refused, workspace } = desk(make, { "a.png": bytes });
    const operations = [{ op: "delete_line", hash: "a1b2c3" }];
    for (const [name, input] of [
      ["read_file", {}],
      ["edit", { operations }],
      ["write_file", { content: "x" }],
    ] as const) {
      expect((await refused(name, { path: "a.png", ...input })).kind).toBe("binary_file");
    }
    expect(Buffer.concat((await workspace.backend.read("a.png" as never))!.parts)).toEqual(Buffer.from(bytes));
  });
});
