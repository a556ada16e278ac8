// Seed 004: what the tools tell and take, lines with one hash, and versions that nobody has any more.

import { anchorIndex, editByAnchors, fileVersion } from "stet/edit";
import { anchors, anchorsSurface, call, inputSchema } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentOnDisk, agentWith } from "../support/agent.ts";
import { all } from "../support/assertions.ts";
import { hash, numbered, text } from "./004-lines.ts";

describe("read_file", () => {
  it("last_writer is the tool of the journal, no checkpoint is open", async () => {
    const { done } = agentWith(anchors, { "a.txt": text("one", "two"), "a.txt2": text("x") });
    await done("write_file", { path: "a.txt", content: text("one", "three") });
    expect((await done("read_file", { path: "a.txt" })).data).toMatchObject({
      last_writer: "write_file",
      is_dirty: false,
    });
    expect((await done("read_file", { path: "a.txt2" })).data).toMatchObject({ last_writer: null, is_dirty: false });
    await done("edit", { path: "a.txt", operations: [{ op: "delete_line", hash: hash("one") }] });
    expect((await done("read_file", { path: "a.txt" })).data).toMatchObject({ last_writer: "edit", is_dirty: false });
  });
});

describe("write_file", () => {
  const lines = [...numbered(59), "x".repeat(100)];

  it("replaces the file, invalidates its anchors and gives the new ones: 10 with previews, 50 in all", async () => {
    const { done, content } = agentWith(anchors, { "a.txt": "old\n" });
    await done("read_file", { path: "a.txt", hashes: true });
    const { data, text: said } = await done("write_file", { path: "a.txt", content: text(...lines) });
    const index = anchorIndex((await content("a.txt"))!);
    expect(data).toMatchObject({
      anchors_invalidated: true,
      created: false,
      lines: 60,
      file_version: fileVersion(index.text),
      writer_type: "write_file",
    });
    expect(data.preview_anchors).toEqual(
      lines.slice(0, 10).map((line, n) => ({ line: n + 1, hash: hash(line), content_preview: line })),
    );
    expect(data.anchors).toEqual(index.lines.slice(0, 50).map((line) => index.anchor(line.number)));
    expect(said).toContain("Anchors read before are invalid.");
    expect(said).toContain(`New file version: ${fileVersion(index.text)}`);
  });

  it("previews are cut at 60 characters", async () => {
    const { data } = await agentWith(anchors, {}).done("write_file", { path: "a.txt", content: text("x".repeat(100)) });
    expect((data.preview_anchors as { content_preview: string }[])[0]?.content_preview).toBe(`${"x".repeat(59)}…`);
  });

  it("expected_file_version is checked if it is passed: write_conflict with the repair", async () => {
    const { done, refused, theyWrite, content } = agentWith(anchors, { "a.txt": text("one", "two") });
    const { data } = await done("read_file", { path: "a.txt" });
    await theyWrite("a.txt", text("one", "theirs"));
    const failure = await refused("write_file", {
      path: "a.txt",
      content: "mine\n",
      expected_file_version: data.file_version,
    });
    expect(failure.kind).toBe("stale_file");
    expect(failure.details).toMatchObject({
      error: "write_conflict",
      suggested_action: "re-read_file",
      expected_file_version: data.file_version,
      file_version: fileVersion(text("one", "theirs")),
      changedBy: { session: "theirs", tool: "shell" },
    });
    expect(failure.text).toMatch(/^Write rejected, file unchanged\. .*Read the file again/s);
    expect(failure.text).toContain("+theirs");
    expect(await content("a.txt")).toBe(text("one", "theirs"));
  });

  it("the right expected_file_version is accepted; one for a file that is gone is not_found", async () => {
    const { done, refused } = agentWith(anchors, { "a.txt": text("one") });
    await done("write_file", { path: "a.txt", content: "two\n", expected_file_version: fileVersion(text("one")) });
    const failure = await refused("write_file", {
      path: "b.txt",
      content: "x",
      expected_file_version: fileVersion(""),
    });
    expect(failure).toMatchObject({ kind: "not_found", details: { suggested_action: "check_path" } });
  });

  it("keeps the line ends and the byte order mark of the file, and the version it names is the one that is read next", async () => {
    const { done, content } = agentWith(anchors, { "a.txt": "\uFEFFone\r\ntwo\r\n" });
    const { data } = await done("write_file", { path: "a.txt", content: "1\n2\n" });
    expect(await content("a.txt")).toBe("\uFEFF1\r\n2\r\n");
    expect((await done("read_file", { path: "a.txt" })).data.file_version).toBe(data.file_version);
  });

  it("the same text again changes nothing", async () => {
    const { done, workspace } = agentWith(anchors, { "a.txt": "one\n" });
    expect((await done("write_file", { path: "a.txt", content: "one\n" })).data.anchors_invalidated).toBe(false);
    expect(await all(workspace.log())).toEqual([]);
  });

  it("where only create is allowed an existing file is not overwritten", async () => {
    const { done, refused } = agentWith(
      anchors,
      { "a.txt": "one\n" },
      { policy: { allowedActions: ["read", "create"] } },
    );
    expect((await refused("write_file", { path: "a.txt", content: "x" })).kind).toBe("permission_denied");
    await done("write_file", { path: "b.txt", content: "x" });
  });
});

const lines = numbered(40);
const at = (number: number) => hash(lines[number - 1]!);
const two = [
  { op: "replace_line", hash: at(12), content: "replaced;" },
  { op: "insert_after", hash: at(20), content: "new one;\nnew two;" },
];

describe("the result of an edit", () => {
  it("WHEN start_hash is line 30 and end_hash line 7 THEN auto_corrections tells of the swap, in data and text", async () => {
    const { done } = agentWith(anchors, { "a.txt": text(...lines) });
    const operation = { op: "delete_range", start_hash: at(30), end_hash: at(7) };
    const { data, text: said } = await done("edit", { path: "a.txt", operations: [operation] });
    const detail = "start_line (30) was after end_line (7). Swapped automatically.";
    expect(data.auto_corrections).toEqual([{ type: "range_order_swapped", detail }]);
    expect(said).toContain(detail);
  });

  it("the version before the edit is kept under snapshot_id", async () => {
    const { done, workspace, session } = agentWith(anchors, { "a.txt": text(...lines) });
    const { sha } = await session.read("a.txt");
    const { data } = await done("edit", { path: "a.txt", operations: two });
    expect(data.snapshot_id).toBe(sha);
    expect(await workspace.backend.recall(sha)).not.toBeNull();
  });
});

const before = text("alpha", "beta", "gamma");
const operations = [{ op: "replace_line" as const, hash: hash("beta"), content: "BETA" }];
const files = { "app/foo.ts": before };
const [readTool, editTool] = anchors.tools;

describe("parameters", () => {
  it("a host may reject file_path", async () => {
    const { refused, content } = agentWith(anchorsSurface({ filePath: "reject" }), files);
    const failure = await refused("edit", { file_path: "app/foo.ts", operations });
    expect(failure).toMatchObject({ kind: "invalid_input", details: { suggested_action: "provide_path" } });
    expect(await content("app/foo.ts")).toBe(before);
  });

  it("lowEntropy tolerant takes a unique brace as anchor, the default refuses it", async () => {
    const tolerant = agentWith(anchorsSurface({ lowEntropy: "tolerant" }), { "a.txt": text("one", "}", "two") });
    await tolerant.done("edit", {
      path: "a.txt",
      operations: [{ op: "insert_before", hash: hash("}"), content: "x" }],
    });
    expect(await tolerant.content("a.txt")).toBe(text("one", "x", "}", "two"));
  });
});

describe("the schema that models see", () => {
  it("defaults: safety_check strict, dry_run false, offset 0, limit 200, hashes false", () => {
    const defaults = (tool: typeof editTool | typeof readTool) =>
      Object.fromEntries(
        Object.entries((inputSchema(tool) as { properties: Record<string, { default?: unknown }> }).properties)
          .filter(([, field]) => "default" in field)
          .map(([name, field]) => [name, field.default]),
      );
    expect(defaults(editTool)).toEqual({ safety_check: "strict", dry_run: false });
    expect(defaults(readTool)).toEqual({ offset: 0, limit: 200, hashes: false });
  });
});

const LINES = ["line one", "line two", "line three", "line four", "line five"];
const insertAfter = (line: number, content: string) =>
  ({ op: "insert_after", hash: hash(LINES[line - 1]!), content }) as const;
const insertBefore = (line: number, content: string) =>
  ({ op: "insert_before", hash: hash(LINES[line - 1]!), content }) as const;

describe("immediately after and immediately before", () => {
  const orders = permutations([
    insertBefore(4, "B4"),
    insertAfter(3, "A3"),
    insertAfter(3, "A3 too"),
    insertBefore(4, "B4 too"),
  ]);

  it("insertions at the same anchor keep their order, whatever stands between them in the batch", () => {
    for (const operations of orders) {
      const { text: now } = editByAnchors(text(...LINES), operations);
      const sides = [
        operations.filter(({ op }) => op === "insert_after"),
        operations.filter(({ op }) => op === "insert_before"),
      ];
      expect(now).toBe(text(...LINES.toSpliced(3, 0, ...sides.flat().map(({ content }) => content))));
    }
  });
});

describe("operations that exclude each other: the next action works", () => {
  const at3 = { hash: hash(LINES[2]!) };
  const range = { start_hash: hash(LINES[1]!), end_hash: hash(LINES[3]!) };

  const del = { op: "delete_line", ...at3 } as const;
  const put = (content: string) => ({ op: "replace_line", ...at3, content }) as const;
  const delRange = { op: "delete_range", ...range } as const;
  const rows: [what: string, operations: Parameters<typeof editByAnchors>[1], next: string][] = [
    ["both sides of one line", [insertBefore(3, "B3"), insertAfter(3, "A3")], "as one replace_line"],
    ["two deletions", [del, del], "only one of them"],
    ["two contents", [put("1"), put("2")], "only one of them"],
    ["a line and a range", [insertAfter(3, "A3"), delRange], "as one replace_range"],
  ];

  it.each(rows)("%s", (_what, operations, next) => {
    expect(() => editByAnchors(text(...LINES), operations)).toThrow(
      expect.objectContaining({
        failure: expect.objectContaining({
          kind: "overlapping_operations",
          suggestedAction: expect.stringContaining(next),
        }),
      }),
    );
  });
});

describe("several candidates of one hash", () => {
  it("the hashes in brackets are taken as they are printed", async () => {
    const lines = ["first head", "same call();", "first foot", "second head", "same call();", "second foot"];
    const { refused, done, content } = agentWith(anchors, { "a.txt": text(...lines) });
    const operation = { op: "delete_line", hash: hash("same call();") };
    const { message } = await refused("edit", { path: "a.txt", operations: [operation] });
    const printed = [...message.matchAll(/\((ctx=[0-9a-f]{8})\)/g)];
    expect(printed).toHaveLength(2);
    for (const given of printed[1]!) {
      const dry = { path: "a.txt", operations: [{ ...operation, hash: given }], dry_run: true };
      expect((await done("edit", dry)).data).toMatchObject({ valid: true });
    }
    await done("edit", { path: "a.txt", operations: [{ ...operation, hash: printed[1]![1] }] });
    expect(await content("a.txt")).toBe(text(...lines.toSpliced(4, 1)));
  });
});

describe("read_file and edit of large files", () => {
  it("agree on what they take: above 2 MiB both, above the largest file neither", async () => {
    const row = "x".repeat(4000);
    const lines = Array.from({ length: 600 }, (_, n) => `${n} ${row}`);
    const { done, refused, content } = agentWith(
      anchors,
      { "a.txt": text(...lines), "b.txt": "x".repeat(3 * 1024 * 1024 + 1) },
      {
        policy: { maxFileBytes: 3 * 1024 * 1024 },
      },
    );
    expect(text(...lines).length).toBeGreaterThan(2 * 1024 * 1024);
    const { data } = await done("read_file", { path: "a.txt", hashes: true, offset: 500, limit: 1 });
    expect(data.content).toContain(`501#${hash(lines[500]!)}`);
    await done("edit", { path: "a.txt", operations: [{ op: "delete_line", hash: hash(lines[500]!) }] });
    expect(await content("a.txt")).toBe(text(...lines.toSpliced(500, 1)));
    for (const [tool, input] of [
      ["read_file", {}],
      ["edit", { operations: [{ op: "delete_line", hash: "a1b2c3" }] }],
    ] as const) {
      expect((await refused(tool, { path: "b.txt", ...input })).details.error).toBe("too_large");
    }
  });
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

describe("a version that was read and that nobody has any more, on disk", () => {
  const read = async () => {
    const made = agentOnDisk(
      anchors,
      { "a.txt": text("begin", "x = 1", "mid", "x = 1", "end") },
      { limits: { recentBytes: 1 } },
    );
    await made.done("read_file", { path: "a.txt", hashes: true });
    made.outside("a.txt", text("begin", "new", "x = 1", "x = 1", "mid", "end"));
    return made;
  };

  it.each([{ line: 4 }, { occurrence: 2 }])(
    "which of several lines %o means cannot be told: anchor_stale",
    async (which) => {
      const { refused } = await read();
      const operations = [{ op: "replace_line", hash: hash("x = 1"), content: "x = 2", ...which }];
      expect((await refused("edit", { path: "a.txt", operations })).kind).toBe("anchor_stale");
    },
  );
});

describe("edges", () => {
  it("stray bytes in the lines that a refusal quotes are escaped", async () => {
    const before = Buffer.concat([
      Buffer.from("a1\n"),
      Buffer.from([0x63, 0xc3, 0x28, 0x80, 0x0a]),
      Buffer.from("é ü ñ 日本\nb2\n"),
      Buffer.from([0x63, 0xc3, 0x28, 0x80, 0x0a]),
    ]);
    const { done, refused } = agentWith(anchors, { "a.txt": before });
    const { text: said } = await done("read_file", { path: "a.txt", hashes: true });
    const [, anchor] = /^2#([0-9a-f]{6})/m.exec(said)!;
    const failure = await refused("edit", { path: "a.txt", operations: [{ op: "delete_line", hash: anchor }] });
    expect(failure.kind).toBe("anchor_ambiguous");
    expect(said + failure.text + JSON.stringify(failure.details)).not.toMatch(/\p{Surrogate}|\uFFFD|\\ud[cd]/u);
    expect(failure.text).toContain("\\xC3");
  });

  it("where only create is allowed, of two writes at once only the first lands", async () => {
    const { session, content } = agentWith(anchors, {}, { policy: { allowedActions: ["read", "create"] } });
    const write = (content: string) => call(session, anchors, "write_file", { path: "a.txt", content });
    const results = await Promise.all([write("one\n"), write("two\n")]);
    expect(results.map((result) => (result.ok ? "ok" : result.error.kind)).sort()).toEqual(["ok", "permission_denied"]);
    expect(await content("a.txt")).toBe(results[0]?.ok ? "one\n" : "two\n");
  });

  it("a binary file is refused by all three tools and stays", async () => {
    const bytes = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3, 0, 0, 255]);
    const { refused, workspace } = agentWith(anchors, { "a.png": bytes });
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
