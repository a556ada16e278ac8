// The flags of ripgrep that models know from other Grep tools, and the parameters that they are other names for.
import * as z from "zod";

const lines = z.int().min(0).max(20);

export const grepFlags = {
  context: lines.default(0).describe("Lines shown before and after a match"),
  before: lines.optional().describe("Lines shown before a match; default `context`"),
  after: lines.optional().describe("Lines shown after a match; default `context`"),
  case_insensitive: z.boolean().default(false).describe("Upper and lower case are one"),
};

export const GREP_FLAGS = {
  "-A": "after",
  "-B": "before",
  "-C": "context",
  "-i": "case_insensitive",
} as const;

/** Lines are always numbered. */
export function withoutNumbers({ "-n": _numbers, ...given }: Readonly<Record<string, unknown>>) {
  return given;
}
