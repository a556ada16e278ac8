// A call, and the next one that is made of what its text says.
import { expect } from "vitest";

export type Step = readonly [tool: string, input: Record<string, unknown>];

export interface Walk {
  readonly before?: readonly Step[];
  readonly input: Record<string, unknown>;
  readonly next: (text: string) => Step;
  readonly answer: RegExp;
}

export function asked(text: string, pattern: RegExp): string {
  const found = pattern.exec(text)?.[1];
  expect(found, `${pattern} in: ${text.slice(-400)}`).toBeDefined();
  return found!;
}

export function numberIn(text: string, pattern: RegExp): number {
  return Number(asked(text, pattern));
}
