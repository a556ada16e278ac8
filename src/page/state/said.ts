// What the page says aloud: one sentence at a time, for eyes and screen readers.
import { signal } from "@preact/signals";
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

export function complain(error: unknown): void {
  if (error instanceof Refusal && error.status === 401) lockOut(error);
  said.value = { text: error instanceof Error ? error.message : String(error), bad: true };
}
