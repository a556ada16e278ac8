// The interface of putting a server into a client's configuration, and the difference that this makes.
import { printableJson } from "../../core/printable.ts";
import { unifiedDiff } from "../../edit/diff/unified.ts";

export interface Merge {
  readonly file: string;
  readonly key: string;
  readonly name: string;
  readonly entry: Readonly<Record<string, unknown>>;
}

export interface Merged {
  readonly text: string;
  /** differs: another entry of this name is there; `text` has it replaced. */
  readonly state: "added" | "same" | "differs";
  readonly existing?: unknown;
}

/** The entry that is there and the one that takes its place, line by line. */
export function changeInWords(existing: unknown, wanted: unknown): string {
  const lines = (value: unknown): string => `${JSON.stringify(value, bigintAsText, 2)}\n`;
  const { text } = unifiedDiff(lines(existing), lines(wanted), { context: MAX_LINES });
  return printableJson(
    text
      .split("\n")
      .filter((line) => !/^(?:---|\+\+\+|@@)/.test(line))
      .join("\n"),
  );
}

/** All of it. */
const MAX_LINES = 1000;

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
