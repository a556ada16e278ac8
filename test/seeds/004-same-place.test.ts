// Seed 004: "immediately after" and "immediately before", and several candidates of one hash.
import { describe, expect, it } from "vitest";
import { type AnchorOperation, anchorIndex, editByAnchors } from "../../src/edit/anchors/index.ts";
import { BACKENDS } from "../support/workspace.ts";
import { desk, hash, text } from "./004-desk.ts";

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

  it.each([[[insertBefore(4, "B4"), insertAfter(3, "A3")]], [[insertAfter(3, "A3"), insertBefore(4, "B4")]]])(
    "what is inserted after line 3 stands before what is inserted before line 4, in any order of operations",
    (operations) => {
      const { text: now } = editByAnchors(text(...LINES), operations);
      expect(now).toBe(text(...LINES.toSpliced(3, 0, "A3", "B4")));
    },
  );

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
  const rows: [what: string, operations: AnchorOperation[], next: string][] = [
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

  it("a line with new lines on both sides is one replace_line", () => {
    const operations = [put(`B3\n${LINES[2]}\nA3`)];
    expect(editByAnchors(text(...LINES), operations).text).toBe(text(...LINES.toSpliced(2, 1, "B3", LINES[2]!, "A3")));
  });
});

describe.each(BACKENDS)("several candidates of one hash, on %s", (_name, make) => {
  it("the hashes in brackets are taken as they are printed", async () => {
    const lines = ["first head", "same call();", "first foot", "second head", "same call();", "second foot"];
    const { refused, done, content } = desk(make, { "a.txt": text(...lines) });
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

  it("are anchor_ambiguous, with what tells them apart printed, and each of that leads to its line", async () => {
    const lines = ["first head", "same call();", "first foot", "second head", "same call();", "second foot"];
    const { refused, content } = desk(make, { "a.txt": text(...lines) });
    const failure = await refused("edit", {
      path: "a.txt",
      operations: [{ op: "delete_line", hash: hash("same call();") }],
    });
    expect(failure.details.error).toBe("anchor_ambiguous");
    const index = anchorIndex(text(...lines));
    const contexts = [2, 5].map((line) => index.contextHash(line));
    expect(failure.text).toContain(`#1 line 2 (ctx=${contexts[0]}): "same call();"`);
    expect(failure.text).toContain(`#2 line 5 (ctx=${contexts[1]}): "same call();"`);
    expect(await content("a.txt")).toBe(text(...lines));
    for (const [named, line] of [
      [{ hash: contexts[0] }, 2],
      [{ hash: contexts[1] }, 5],
      [{ occurrence: 2 }, 5],
    ] as const) {
      const { done, content: now } = desk(make, { "a.txt": text(...lines) });
      const operation = { op: "delete_line", hash: hash("same call();"), ...named };
      await done("edit", { path: "a.txt", operations: [operation], safety_check: "off" });
      expect(await now("a.txt")).toBe(text(...lines.toSpliced(line - 1, 1)));
    }
  });

  it("lines that differ and only share the 6 characters are told apart by 8", async () => {
    const lines = ["start", "value 745;", "middle", "value 945;", "stop"];
    expect(hash(lines[1]!)).toBe(hash(lines[3]!));
    const { refused } = desk(make, { "a.txt": text(...lines) });
    const failure = await refused("edit", {
      path: "a.txt",
      operations: [{ op: "delete_line", hash: hash(lines[1]!) }],
    });
    expect(failure.details.error).toBe("anchor_ambiguous");
    const index = anchorIndex(text(...lines));
    for (const line of [2, 4]) expect(failure.text).toContain(`hash=${index.line(line).digest.slice(0, 8)}`);
  });
});

describe.each(BACKENDS)("read_file and edit of large files, on %s", (_name, make) => {
  it("agree on what they take: above 2 MiB both, above the largest file neither", async () => {
    const row = "x".repeat(4000);
    const lines = Array.from({ length: 600 }, (_, n) => `${n} ${row}`);
    const { done, refused, content } = desk(
      make,
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
