// A text of very many lines is refused before anything is done.
import { editByAnchors, lineHash } from "stet/edit";
import { expect, it } from "vitest";
import { refusalOf } from "../support/edits.ts";

it("a text with more lines than anchors are made for is refused, and the refusal names the limit", () => {
  const text = `first\n${"\n".repeat(4_000_000)}`;
  const operation = { op: "insert_after", hash: lineHash("first"), content: "second" } as const;
  const { kind, message } = refusalOf(() => editByAnchors(text, [operation]));
  expect([kind, message]).toEqual([
    "file_too_large",
    expect.stringMatching(/has 4000001 lines; anchors are made for files of up to \d+\./),
  ]);
});
