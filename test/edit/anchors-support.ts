// What the tests of the anchor engine share.

import { expect } from "vitest";
import { type Failure, Refusal } from "../../src/core/failure.ts";
import { type AnchorEditOptions, type AnchorOperation, editByAnchors, lineHash } from "../../src/edit/anchors/index.ts";

export const hash = lineHash;

/** Lines, each ended by a newline. */
export function text(...lines: string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

export function edited(before: string, operations: readonly AnchorOperation[], options?: AnchorEditOptions): string {
  return editByAnchors(before, operations, options).text;
}

export function refused(before: string, operations: unknown, options?: AnchorEditOptions): Failure {
  try {
    editByAnchors(before, operations as readonly AnchorOperation[], options);
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    return (error as Refusal).failure;
  }
  throw new Error("the edit was not refused");
}
