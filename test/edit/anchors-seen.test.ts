import { editByAnchors, fileVersion } from "stet/edit";
import { describe, expect, it } from "vitest";
import type { AnchorOperation } from "../support/anchors.ts";
import { hash, refused, text } from "../support/anchors.ts";

// What the caller read; each test changes it behind the caller's back.
const seenText = text("if a", "  return;", "done a", "if b", "  return;", "done b", "tail");

function edit(current: string, ...operations: AnchorOperation[]) {
  return editByAnchors(current, operations, { seenText });
}

describe("a line number of the version that was read", () => {
  const shifted = `new 1\nnew 2\n${seenText}`;

  it("means the line that was there, wherever it is now", () => {
    const result = edit(shifted, { op: "replace_line", hash: "5#505b97", content: "  stop;" });
    expect(result.targets[0]?.startLine).toBe(7);
    expect(result.autoCorrections).toEqual([
      {
        type: "line_followed_from_seen_version",
        detail: "505b97 was line 5 of the version you read and is line 7 now.",
      },
    ]);
    expect(result.crossVersion).toBe(true);
  });

  it("also when another equal line has come to stand at that number", () => {
    const current = text(
      "if 0",
      "  return;",
      "done 0",
      "if a",
      "  return;",
      "done a",
      "if b",
      "  return;",
      "done b",
      "tail",
    );
    const result = edit(current, { op: "replace_line", hash: "5#505b97", content: "  stop;" });
    expect(result.targets[0]?.startLine).toBe(8);
  });

  it("an occurrence is counted in the version that was read", () => {
    const current = text("if 0", "  return;", ...seenText.trimEnd().split("\n"));
    const result = edit(current, { op: "replace_line", hash: "505b97", occurrence: 1, content: "  stop;" });
    expect(result.targets[0]?.startLine).toBe(4);
  });

  it("a number that the read version has for another line is refused, also where it fits in the current text", () => {
    const operation = { op: "replace_line", hash: "4#505b97", content: "  stop;" } as const;
    expect(refused(shifted, [operation], { seenText }).kind).toBe("anchor_stale");
  });

  it("so is one of a line that was not shown, also where a line with this hash has that number now", () => {
    const shown = [{ from: 1, to: 3 }];
    for (const anchor of [{ hash: "5#505b97" }, { hash: "505b97", line: 5 }, { hash: "505b97", occurrence: 2 }]) {
      for (const current of [shifted, text("top", ...seenText.trimEnd().split("\n").toSpliced(3, 0, "  return;"))]) {
        const failure = refused(current, [{ op: "delete_line", ...anchor }], { seenText, shown });
        expect(failure.kind).toBe("anchor_stale");
        expect(failure.message).toContain("line 5 has not been shown to you in this version");
      }
    }
  });

  it("so is a number beside a hash that the read version lacks, where several lines have it now", () => {
    const twins = `new\n${shifted}new\n`;
    const operation = { op: "replace_line", hash: `1#${hash("new")}`, content: "x" } as const;
    expect(refused(twins, [operation], { seenText }).kind).toBe("anchor_stale");
  });

  it("an anchor that the read version lacks is looked up in the current text", () => {
    const result = edit(shifted, { op: "replace_line", hash: hash("new 2"), content: "newer" });
    expect(result.targets[0]?.startLine).toBe(2);
  });
});

describe("a line that changed since", () => {
  it("is refused with what it was and what stands there now", () => {
    const failure = refused(
      seenText.replace("done b", "finished b"),
      [{ op: "replace_line", hash: `6#${hash("done b")}`, content: "x" }],
      { seenText },
    );
    expect(failure.kind).toBe("anchor_stale");
    expect(failure.details).toMatchObject({
      suggested_action: "re-read_file",
      missingHashes: [`6#${hash("done b")}`],
      changed: [{ line: 6, was: "done b", now_lines: [6, 6], now: "finished b" }],
    });
  });

  it("is not mistaken for its equal elsewhere", () => {
    const current = seenText.replace("if a\n  return;", "if a\n  throw;");
    for (const anchor of [{ hash: "2#505b97" }, { hash: "505b97", occurrence: 1 }, { hash: "505b97" }]) {
      expect(refused(current, [{ op: "replace_line", ...anchor, content: "x" }], { seenText }).kind).toBe(
        "anchor_stale",
      );
    }
    const other = edit(current, { op: "replace_line", hash: "5#505b97", content: "  stop;" });
    expect(other.targets[0]?.startLine).toBe(5);
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

  it("a distinctive line that moved is followed", () => {
    const current = text("tail", ...seenText.trimEnd().split("\n").slice(0, -1));
    const result = edit(current, { op: "replace_line", hash: `7#${hash("tail")}`, content: "head" });
    expect(result.targets[0]?.startLine).toBe(1);
    expect(result.autoCorrections).toHaveLength(1);
  });

  it("a line that was only re-indented is edited, with a warning", () => {
    const result = edit(seenText.replace("done a", "    done a"), { op: "delete_line", hash: hash("done a") });
    expect(result.warnings).toContain("Line 3 has other leading or trailing whitespace than when you read it.");
  });
});

describe("a range whose inside changed since", () => {
  const range = { op: "delete_range", start_hash: hash("if a"), end_hash: hash("done b") } as const;

  it.each([
    ["a line was changed", seenText.replace("done a", "changed")],
    ["a line was added", seenText.replace("done a", "done a\nadded")],
    ["a line was removed", seenText.replace("done a\n", "")],
  ])("is refused when %s", (_, current) => {
    const failure = refused(current, [range], { seenText });
    expect(failure.kind).toBe("anchor_stale");
    expect(failure.message).toContain("inside the range of operation 1");
  });

  it("is applied when only the outside changed", () => {
    expect(edit(`top\n${seenText}`, range).text).toBe(text("top", "tail"));
  });

  it("is refused when its ends have changed places", () => {
    const current = text("done b", "x", "if a");
    expect(refused(current, [range], { seenText }).kind).toBe("anchor_stale");
  });
});

describe("the version the caller names", () => {
  const current = `new\n${seenText}`;
  const operation = { op: "replace_line", hash: "505b97", line: 3, content: "  stop;" } as const;

  it("being the current one, line numbers are those of the current text", () => {
    const result = editByAnchors(current, [operation], { seenText, expectedFileVersion: fileVersion(current) });
    expect(result.targets[0]?.startLine).toBe(3);
    expect(result.crossVersion).toBe(true);
  });

  it("being a third one, the text that was read proves nothing", () => {
    const options = { seenText, expectedFileVersion: fileVersion("something else") };
    expect(refused(current, [operation], options).kind).toBe("anchor_stale");
  });

  it("a file that was emptied since is not taken for a new one", () => {
    const insert = { op: "insert_after", hash: "d41d8c", content: "x" };
    expect(refused("", [insert], { seenText: "a\n\nb\n" }).kind).toBe("anchor_stale");
  });
});
