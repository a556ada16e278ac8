import { describe, expect, it } from "vitest";
import { edited, hash, refused, text } from "../support/anchors.ts";

const before = text("first", "second", "third");
const h = hash("second");

describe("operations as sent", () => {
  it("null counts as absent, and numbers may be written as digits", () => {
    const operation = { op: "delete_line", hash: h, occurrence: " 1 ", line: "2", content: null };
    expect(edited(before, [operation as never])).toBe(text("first", "third"));
  });

  it("a deletion may carry empty content", () => {
    expect(edited(before, [{ op: "delete_line", hash: h, content: "" } as never])).toBe(text("first", "third"));
  });

  it("no operations", () => {
    const failure = refused(before, []);
    expect(failure.kind).toBe("empty_operations");
    expect(failure.details).toEqual({ suggested_action: "provide_at_least_one_operation" });
  });

  it.each([
    ["not an array", { op: "delete_line", hash: h }, "must be an array"],
    ["not an object", ["delete"], "must be an object"],
    ["an array inside", [[]], "must be an object"],
    ["no op", [{ hash: h }], 'needs an "op" that is one of replace_line'],
    ["an unknown op", [{ op: "move_line", hash: h }], 'needs an "op"'],
    ["an op named like a property of every object", [{ op: "constructor", hash: h }], 'needs an "op"'],
    [
      "start_hash on a single-line operation",
      [{ op: "replace_line", start_hash: h, content: "x" }],
      'does not take "start_hash"',
    ],
    [
      "hash on a range",
      [{ op: "delete_range", hash: h, start_hash: h, end_hash: h }],
      'does not take "hash". Range operations take',
    ],
    [
      "occurrence on a range",
      [{ op: "delete_range", start_hash: h, end_hash: h, occurrence: 1 }],
      'does not take "occurrence"',
    ],
    ["content on a deletion", [{ op: "delete_line", hash: h, content: "x" }], 'does not take "content"'],
    ["an unknown field", [{ op: "delete_line", hash: h, why: "x" }], 'does not take "why"'],
    ["no hash", [{ op: "delete_line" }], 'needs "hash"'],
    ["a number as hash", [{ op: "delete_line", hash: 123456 }], 'needs "hash"'],
    ["half a range", [{ op: "delete_range", start_hash: h }], 'needs "end_hash"'],
    ["no content", [{ op: "replace_line", hash: h }], 'needs "content"'],
    ["lines as content", [{ op: "replace_line", hash: h, content: ["x"] }], 'needs "content"'],
    ["occurrence 0", [{ op: "delete_line", hash: h, occurrence: 0 }], '"occurrence" must be a whole number'],
    ["half an occurrence", [{ op: "delete_line", hash: h, occurrence: 1.5 }], '"occurrence" must be'],
    ["a negative line", [{ op: "delete_line", hash: h, line: -1 }], '"line" must be'],
    ["a line in words", [{ op: "delete_line", hash: h, line: "two" }], '"line" must be'],
  ])("%s is refused in words", (_, operations, message) => {
    const failure = refused(before, operations);
    expect(failure.kind).toBe("invalid_input");
    expect(failure.message).toContain(message);
  });

  it("says which operation is wrong", () => {
    const good = { op: "delete_line", hash: hash("first") };
    expect(refused(before, [good, { op: "replace_line", hash: h }]).message).toMatch(/^Operation 2 \(replace_line\)/);
  });
});
