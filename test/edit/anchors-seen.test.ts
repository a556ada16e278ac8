// What the caller knows of the text: the lines and numbers it was shown, and the hashes that its own edits made doubtful.
import { editByAnchors } from "stet/edit";
import { describe, expect, it } from "vitest";
import type { AnchorOperation } from "../support/anchors.ts";
import { hash, refused, text } from "../support/anchors.ts";

const now = text("new", "if a", "  return;", "done a", "if b", "  return;", "done b", "tail");
const all = [{ from: 1, to: 8 }];
const stop = (anchor: object) => ({ op: "replace_line", content: "  stop;", ...anchor }) as AnchorOperation;
const RETURN = hash("  return;");

describe("a hash that one line has", () => {
  it("is followed from an old number, and says so", () => {
    const { targets, autoCorrections } = editByAnchors(now, [stop({ hash: `3#${hash("done a")}` })], { shown: all });
    expect(targets[0]?.startLine).toBe(4);
    expect(autoCorrections).toEqual([
      { type: "line_followed_from_seen_version", detail: `${hash("done a")} is line 4 now, not line 3.` },
    ]);
  });

  it("is stale with a number that does not fit, where the number may be of an older version", () => {
    const anchor = stop({ hash: `3#${hash("done a")}` });
    expect(refused(now, [anchor], { shown: all, older: true }).kind).toBe("anchor_stale");
    expect(editByAnchors(now, [stop({ hash: hash("done a") })], { shown: all, older: true }).targets).toHaveLength(1);
  });

  it("is stale where the line was not shown", () => {
    const failure = refused(now, [stop({ hash: hash("done b") })], { shown: [{ from: 1, to: 6 }] });
    expect(failure).toMatchObject({ kind: "anchor_stale", suggestedAction: expect.stringContaining("Read line 7 ") });
  });
});

describe("a hash that several lines have, or had", () => {
  it("counts with a number or an occurrence that a read gave, of lines that nothing has moved", () => {
    for (const [anchor, line] of [
      [{ hash: `6#${RETURN}` }, 6],
      [{ hash: RETURN, line: 6 }, 6],
      [{ hash: RETURN, occurrence: 2 }, 6],
    ] as const) {
      expect(editByAnchors(now, [stop(anchor)], { shown: all }).targets[0]?.startLine).toBe(line);
      const moved = refused(now, [stop(anchor)], { shown: all, numbered: [{ from: 1, to: 4 }] });
      expect(moved).toMatchObject({
        kind: "anchor_stale",
        suggestedAction: expect.stringContaining("Read lines 3-6 "),
      });
    }
  });

  it("needs a number once the caller's edits have added such a line, or taken one", () => {
    const { text: after, repeated } = editByAnchors(now, [stop({ hash: `6#${RETURN}` })], { shown: all });
    expect(repeated).toEqual([RETURN]);
    const known = { shown: all, repeated };
    for (const anchor of [{ hash: RETURN }, { hash: RETURN, occurrence: 1 }, { hash: `6#${RETURN}` }])
      expect(refused(after, [stop(anchor)], known).kind).toBe("anchor_stale");
    expect(editByAnchors(after, [stop({ hash: `3#${RETURN}` })], known).targets[0]?.startLine).toBe(3);

    const copied = editByAnchors(now, [{ op: "insert_after", hash: hash("tail"), content: "done a\nmore" }]);
    expect(copied.repeated).toEqual([hash("done a")]);
    expect(editByAnchors(now, [stop({ hash: hash("done a") })]).repeated).toEqual([]);
  });
});

it("a file that was emptied since is not taken for a new one", () => {
  const insert = { op: "insert_after", hash: "d41d8c", content: "x" };
  expect(refused("", [insert], { repeated: ["d41d8c"] }).kind).toBe("anchor_stale");
});

it("anchors are valid up to the first line that was shown and has no number any more", () => {
  const known = { shown: all, numbered: [{ from: 1, to: 2 }] };
  const operation = stop({ hash: hash("tail") });
  expect(editByAnchors(now, [operation], known)).toMatchObject({ anchorsValidThrough: 2 });
  expect(editByAnchors(now, [operation])).toMatchObject({ anchorsValidThrough: 7 });
});
