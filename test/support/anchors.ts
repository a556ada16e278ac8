// What the tests of the anchor engine share.
import { type Failure, Refusal } from "stet";
import { type AnchorEditOptions, editByAnchors, lineHash } from "stet/edit";
import { expect } from "vitest";

export type AnchorOperation = Parameters<typeof editByAnchors>[1][number];

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
