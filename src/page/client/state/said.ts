// What the page says aloud: one sentence at a time, for eyes and screen readers.
import { signal } from "@preact/signals";
import type { Refused } from "../../wire.ts";
import { Refusal } from "../api.ts";

export interface Said {
  readonly text: string;
  readonly bad: boolean;
}

export const said = signal<Said>({ text: "", bad: false });

export interface LockedOut {
  readonly why: string;
  /** A token would let in. */
  readonly tokens: boolean;
}

/** Not let in: nothing else can be done here. */
export const lockedOut = signal<LockedOut | undefined>(undefined);

export function say(text: string): void {
  said.value = { text, bad: false };
}

export function lockOut(error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  lockedOut.value = { why, tokens: error instanceof Refusal && error.refused.tokens === true };
}

/** Whether it was that this page is not let in. What else went wrong is told where it did. */
export function heed(error: unknown): boolean {
  const isOut = error instanceof Refusal && error.status === 401;
  if (isOut) lockOut(error);
  return isOut;
}

/** Of what was done here, and has no place of its own. */
export function complain(error: unknown): void {
  if (!heed(error)) said.value = { text: error instanceof Error ? error.message : String(error), bad: true };
}

export function refusedOf(error: unknown): Refused {
  if (error instanceof Refusal) return error.refused;
  return { kind: "unknown", message: error instanceof Error ? error.message : String(error) };
}
