import { editByAnchors } from "stet/edit";
import { describe, expect, it } from "vitest";
import type { AnchorOperation } from "../support/anchors.ts";
import { hash, refused, text } from "../support/anchors.ts";

// The text that the caller read; each test changes it.
const seenText = text("if a", "  return;", "done a", "if b", "  return;", "done b", "tail");
const shifted = `new 1\nnew 2\n${seenText}`;
const stop = (anchor: object) => ({ op: "replace_line", content: "  stop;", ...anchor }) as AnchorOperation;

function edit(current: string, ...operations: AnchorOperation[]) {
  return editByAnchors(current, operations, { seenText });
}

describe("a hash that one line has in both versions", () => {
  it("is followed to where that line is now, whatever number stands beside it", () => {
    const result = edit(shifted, stop({ hash: `3#${hash("done a")}` }));
    expect(result.targets[0]?.startLine).toBe(5);
    expect(result.autoCorrections).toEqual([
      {
        type: "line_followed_from_seen_version",
        detail: `${hash("done a")} was line 3 of the version you read and is line 5 now.`,
      },
    ]);
    const moved = text("tail", ...seenText.trimEnd().split("\n").slice(0, -1));
    expect(edit(moved, stop({ hash: `7#${hash("tail")}` })).targets[0]?.startLine).toBe(1);
  });

  it("is stale with a number that the read version has for another line", () => {
    expect(refused(shifted, [stop({ hash: `4#${hash("done a")}` })], { seenText }).kind).toBe("anchor_stale");
  });

  it("is stale where the line is gone", () => {
    const failure = refused(seenText.replace("done b\n", ""), [stop({ hash: `6#${hash("done b")}` })], { seenText });
    expect(failure).toMatchObject({ kind: "anchor_stale", details: { suggested_action: "re-read_file" } });
    expect(failure.message).toContain(`line 6 (6#${hash("done b")}) is gone since you read it`);
  });

  it("in the current text only is found there", () => {
    expect(edit(shifted, stop({ hash: hash("new 2") })).targets[0]?.startLine).toBe(2);
  });
});

describe("a hash that several lines had, or have", () => {
  const anchors = [{ hash: "5#505b97" }, { hash: "505b97", line: 5 }, { hash: "505b97", occurrence: 2 }];

  it("is stale, unless what changed is the caller's own work", () => {
    for (const anchor of anchors) expect(refused(shifted, [stop(anchor)], { seenText }).kind).toBe("anchor_stale");
    const one = seenText.replace("if a\n  return;", "if a\n  throw;");
    for (const anchor of [...anchors, { hash: "505b97" }])
      expect(refused(one, [stop(anchor)], { seenText }).kind).toBe("anchor_stale");
    const twins = `new\n${shifted}new\n`;
    expect(refused(twins, [stop({ hash: `1#${hash("new")}` })], { seenText }).kind).toBe("anchor_stale");
  });

  it("after own edits counts at a number that nothing has moved", () => {
    const shown = [{ from: 1, to: 9 }];
    const below = seenText.replace("done b", "done");
    const options = { seenText, shown, numbered: [{ from: 1, to: 7 }] };
    for (const anchor of anchors) expect(editByAnchors(below, [stop(anchor)], options).targets[0]?.startLine).toBe(5);
    for (const anchor of anchors)
      expect(refused(shifted, [stop(anchor)], { seenText, shown, numbered: [] }).kind).toBe("anchor_stale");
  });

  it("one of two equal neighbours is gone: nobody can tell which", () => {
    const before = text("a", "same", "same", "b");
    const failure = refused(text("a", "same", "b"), [{ op: "delete_line", hash: `3#${hash("same")}` }], {
      seenText: before,
    });
    expect(failure.kind).toBe("anchor_stale");
  });

  it("one of two equal blocks is gone: nobody can tell which", () => {
    const block = ["open", "same", "close"];
    const current = text("top", ...block, "end");
    const options = { seenText: text("top", ...block, ...block, "end") };
    for (const line of [3, 6]) {
      expect(refused(current, [{ op: "delete_line", hash: hash("same"), line }], options).kind).toBe("anchor_stale");
    }
  });
});

it("a file that was emptied since is not taken for a new one", () => {
  const insert = { op: "insert_after", hash: "d41d8c", content: "x" };
  expect(refused("", [insert], { seenText: "a\n\nb\n" }).kind).toBe("anchor_stale");
});
