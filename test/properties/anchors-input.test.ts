import fc from "fast-check";
import { Refusal } from "stet";
import { type AnchorEditOptions, anchoredDiff, anchorIndex, editByAnchors, renderAnchors } from "stet/edit";
import { describe, it } from "vitest";
import type { AnchorOperation } from "../support/anchors.ts";
import { anyCharacter } from "../support/any-character.ts";

const hostileText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc
    .array(fc.constantFrom("", "}", "x", "\uD800", "\uDC00", "\0", "\uFEFF", "\n", "\r", "\r\n", "y z", "\u2028"), {
      maxLength: 30,
    })
    .map((parts) => parts.join("")),
);
const hostileValue = fc.oneof(
  fc.constantFrom(
    null,
    undefined,
    "",
    "0",
    "1",
    "1e3",
    " 2 ",
    0,
    -1,
    1,
    2,
    1.5,
    Number.NaN,
    Infinity,
    2 ** 53,
    true,
    [],
    {},
  ),
  fc.constantFrom(
    "d41d",
    "d41d8c",
    "cbb184",
    "1#cbb184",
    "9dd4e461268c8034f5c8564e155c67a6",
    "CBB184 [low]",
    "zz",
    "#cbb184",
  ),
  fc.jsonValue(),
);
const nearlyAnOperation = fc.record(
  {
    op: fc.oneof(
      {
        weight: 8,
        arbitrary: fc.constantFrom(
          "replace_line",
          "replace_range",
          "insert_after",
          "insert_before",
          "delete_line",
          "delete_range",
        ),
      },
      { weight: 1, arbitrary: hostileValue },
    ),
    hash: hostileValue,
    start_hash: hostileValue,
    end_hash: hostileValue,
    content: fc.oneof(hostileText, hostileValue),
    occurrence: hostileValue,
    line: hostileValue,
  },
  { requiredKeys: ["op"] },
);
const options: fc.Arbitrary<AnchorEditOptions> = fc.record(
  {
    lowEntropy: fc.constantFrom("explicit", "tolerant", "strict"),
    expectedFileVersion: fc.constantFrom("fv_00000000", "", "nonsense"),
    seenText: hostileText,
  },
  { requiredKeys: [] },
);

function onlyRefusals(text: string, operations: unknown, given: AnchorEditOptions): void {
  try {
    const { text: after } = editByAnchors(text, operations as readonly AnchorOperation[], given);
    anchoredDiff(text, after);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    JSON.stringify(error.failure);
  }
}

describe("no input throws anything but a refusal", () => {
  it("whatever JSON the operations are", () => {
    fc.assert(fc.property(hostileText, fc.jsonValue(), options, onlyRefusals), { numRuns: 200 });
  });

  it("operations with any values in the right fields", () => {
    fc.assert(fc.property(hostileText, fc.array(nearlyAnOperation, { maxLength: 4 }), options, onlyRefusals), {
      numRuns: 300,
    });
  });

  it("operations that do name lines of the text", () => {
    const named = fc.tuple(hostileText, fc.array(fc.tuple(nearlyAnOperation, fc.nat(), fc.nat()), { maxLength: 4 }));
    fc.assert(
      fc.property(named, options, ([text, drafts], given) => {
        const { lines } = anchorIndex(text);
        const hashAt = (n: number) => lines[n % Math.max(lines.length, 1)]?.digest.slice(0, 4 + (n % 8)) ?? "d41d8c";
        const operations = drafts.map(([{ op, occurrence, line }, first, last]) =>
          String(op).endsWith("range")
            ? {
                op,
                start_hash: hashAt(first),
                end_hash: hashAt(last),
                ...(op === "replace_range" && { content: text }),
              }
            : { op, hash: hashAt(first), occurrence, line, ...(op !== "delete_line" && { content: text }) },
        );
        onlyRefusals(text, operations, given);
      }),
      { numRuns: 200 },
    );
  });

  it("any text can be read, in any window", () => {
    fc.assert(
      fc.property(hostileText, fc.integer(), fc.integer(), (text, offset, limit) => {
        renderAnchors(anchorIndex(text), { offset, limit });
      }),
      { numRuns: 200 },
    );
  });

  it("a very long line, and twenty thousand lines of two kinds", () => {
    const long = `${"é x y z ".repeat(20_000)}\nend\n`;
    onlyRefusals(long, [{ op: "delete_line", hash: anchorIndex(long).line(1).hash }], {});
    const many = "}\nsame\n".repeat(10_000);
    onlyRefusals(many, [{ op: "delete_line", hash: anchorIndex("same").line(1).hash }], {});
    onlyRefusals(many, [{ op: "delete_line", hash: "cbb184" }], {});
    onlyRefusals(many, [{ op: "delete_line", hash: "19999#cbb184", occurrence: 10_000 }], { repeated: ["cbb184"] });
  });
});
