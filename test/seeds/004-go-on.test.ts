// Seed 004: going on from an answer. The anchors that an edit gives mean the lines they were given for, also after the
// file was changed by another hand between the read and the edit.
import { anchors } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { agentWith } from "../support/agent.ts";
import { hash, numbered, text } from "./004-lines.ts";

const READ = ["alpha", "beta", "gamma", "beta", "delta", "beta"];
const THEIRS = ["x", "y", ...READ];

const FIRST: readonly (readonly [string, readonly object[]])[] = [
  ["replace_line", [{ op: "replace_line", hash: hash("alpha"), content: "ALPHA" }]],
  ["insert_after", [{ op: "insert_after", hash: hash("gamma"), content: "beta\nnew" }]],
  ["replace_range", [{ op: "replace_range", start_hash: hash("gamma"), end_hash: hash("delta"), content: "beta" }]],
  [
    "several operations",
    [
      { op: "insert_before", hash: hash("alpha"), content: "beta" },
      { op: "delete_line", hash: hash("gamma") },
      { op: "replace_line", hash: hash("delta"), content: "DELTA\nbeta" },
    ],
  ],
];

describe("going on from an edit of a file that had changed", () => {
  async function afterFirst(operations: readonly object[]) {
    const made = agentWith(anchors, { "a.txt": text(...READ) });
    await made.done("read_file", { path: "a.txt", hashes: true });
    await made.theyWrite("a.txt", text(...THEIRS));
    // Lines that are there twice are the point here.
    const edit = { path: "a.txt", operations, safety_check: "off" };
    expect((await made.refused("edit", edit)).kind).toBe("anchor_stale");
    const first = await made.done("edit", edit);
    return { ...made, given: givenIn(first.data.diff_preview as string[]) };
  }

  it.each(FIRST)("%s: every anchor of the answer changes the line it stands for", async (_op, operations) => {
    const { given } = await afterFirst(operations);
    expect(given.filter(({ content }) => content === "beta").length).toBeGreaterThan(1);
    for (const { anchor, line, content } of given) {
      for (const named of [{ hash: anchor }, { hash: anchor.split("#")[1]!, line }]) {
        const { done, content: now } = await afterFirst(operations);
        const lines = (await now("a.txt"))!.split("\n");
        expect(lines[line - 1]).toBe(content);
        const { data, warnings } = await done("edit", {
          path: "a.txt",
          operations: [{ op: "replace_line", ...named, content: "MINE" }],
        });
        expect(await now("a.txt"), `${anchor} ${content}`).toBe(lines.with(line - 1, "MINE").join("\n"));
        expect(data.auto_corrections).toBeUndefined();
        expect(warnings).toEqual([]);
      }
    }
  });

  it("ranges, insertions and several operations go on from it as well", async () => {
    const { done, content, given } = await afterFirst([{ op: "replace_line", hash: hash("alpha"), content: "ALPHA" }]);
    const beta = hash("beta");
    const at = (line: number) => given.find((one) => one.line === line)!.anchor;
    await done("edit", {
      path: "a.txt",
      operations: [
        { op: "insert_after", hash: at(4), content: "inserted" },
        { op: "replace_range", start_hash: `5#${hash("gamma")}`, end_hash: at(6), content: "range" },
      ],
    });
    expect(await content("a.txt")).toBe(text("x", "y", "ALPHA", "beta", "inserted", "range", "delta", "beta"));
    await done("read_file", { path: "a.txt", hashes: true });
    await done("edit", { path: "a.txt", operations: [{ op: "delete_line", hash: `8#${beta}` }] });
    expect(await content("a.txt")).toBe(text("x", "y", "ALPHA", "beta", "inserted", "range", "delta"));
  });

  it("what the answer did not show is found by a hash of its own, and never by an old number", async () => {
    const far = ["same", ...numbered(20), "same", ...numbered(45).slice(20), "same"];
    const made = agentWith(anchors, { "a.txt": text(...far) });
    const { done, refused, theyWrite, content } = made;
    await done("read_file", { path: "a.txt", hashes: true });
    await theyWrite("a.txt", text("same", ...far));
    const operations = [{ op: "delete_line", hash: hash("statement 40;") }];
    await refused("edit", { path: "a.txt", operations });
    await done("edit", { path: "a.txt", operations });
    const second = { op: "replace_line", hash: `1#${hash("same")}`, content: "MINE" };
    const failure = await refused("edit", { path: "a.txt", operations: [second] });
    expect(failure).toMatchObject({ kind: "anchor_stale", details: { suggested_action: "re-read_file" } });
    expect(failure.text).toContain("Line 1 has not been shown to you in this version");
    const range = { op: "delete_range", start_hash: hash("statement 20;"), end_hash: hash("statement 21;") };
    expect((await refused("edit", { path: "a.txt", operations: [range] })).text).toContain(
      "Line 23, inside the range of operation 1, has not been shown to you in this version",
    );
    const moved = { op: "replace_line", hash: `2#${hash("statement 1;")}`, content: "ONE" };
    const { suggestedAction } = await refused("edit", { path: "a.txt", operations: [moved] });
    expect(suggestedAction).toContain("Read lines 2-3 with read_file");
    await done("edit", { path: "a.txt", operations: [{ ...moved, hash: `3#${hash("statement 1;")}` }] });
    expect(await content("a.txt")).toBe(text("same", ...far.with(1, "ONE").filter((line) => line !== "statement 40;")));
  });
});

/** The lines of the file as it is now that the answer shows. */
function givenIn(preview: readonly string[]) {
  return preview.flatMap((shown) => {
    const [, line, own, context, content] = /^[ +](\d+)#([0-9a-f]{6}) \[\w+\](?: ctx=(\w+))?\|(.*)$/.exec(shown) ?? [];
    if (content === undefined) return [];
    return { anchor: `${line}#${context ?? own}`, line: Number(line), content };
  });
}
