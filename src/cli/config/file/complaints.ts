// What is wrong with a configuration, in words: where, what was expected, what was found.
import type { JSONPath } from "jsonc-parser";
import type { z } from "zod";
import { nearest } from "../../options/usage.ts";
import { KNOWN_KEYS } from "./schema.ts";

type Issue = z.core.$ZodIssue;

export interface Complaint {
  readonly at: JSONPath;
  /** About the key rather than its value. */
  readonly key?: boolean;
  readonly what: string;
}

export function complaintsAbout(issues: readonly Issue[], value: unknown): Complaint[] {
  return issues.flatMap((issue) => complaintsOf(issue, [], value));
}

function complaintsOf(issue: Issue, above: JSONPath, whole: unknown): Complaint[] {
  const at = [...above, ...(issue.path as JSONPath)];
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(at, key));
  if (issue.code === "invalid_union") {
    const closest = closestBranch(issue.errors);
    if (closest !== undefined) return closest.flatMap((inner) => complaintsOf(inner, at, whole));
  }
  const found = at.includes("tokens") ? "something else" : describe(valueAt(whole, at));
  return [{ at, what: `${keyOf(at)}: expected ${expectation(issue)}, found ${found}` }];
}

/** The branch whose own kind of value was given: what is wrong lies inside it, or is a key too many. */
function closestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  return branches.find((issues) => issues.every(({ path, code }) => path.length > 0 || code === "unrecognized_keys"));
}

function unknownKey(at: JSONPath, key: string): Complaint {
  const near = nearest(key, knownBeside(at));
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  return { at: [...at, key], key: true, what: `${keyOf([...at, key])} is no known key${hint}` };
}

function knownBeside(at: JSONPath): readonly string[] {
  const names = at.filter((part) => typeof part === "string");
  return KNOWN_KEYS[names.at(-1) ?? ""] ?? [];
}

function expectation(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return KINDS[issue.expected] ?? issue.expected;
    case "invalid_value":
      return issue.values.map((value) => JSON.stringify(value)).join(" or ");
    case "too_small":
      return tooSmall(issue);
    case "too_big":
      return issue.maximum === Number.MAX_SAFE_INTEGER ? "a smaller number" : `a number of at most ${issue.maximum}`;
    case "invalid_format":
      return FORMATS[String(issue.path.at(-1))] ?? "another form of text";
    case "invalid_union":
      return String(issue.path[0]) === "roots" ? "a path or { path, … }" : "false, a list of rules, or { add, remove }";
    default:
      return issue.message;
  }
}

function tooSmall({ origin, minimum, inclusive }: Extract<Issue, { code: "too_small" }>): string {
  if (origin === "array") return "a list that is not empty";
  if (origin !== "string") return `a number ${inclusive ? "of at least" : "greater than"} ${minimum}`;
  return minimum === 1 ? "a text that is not empty" : `at least ${minimum} characters`;
}

const KINDS: Readonly<Record<string, string>> = {
  string: "a text",
  boolean: "true or false",
  number: "a number",
  int: "a whole number",
  array: "a list",
  object: "an object",
};

const FORMATS: Readonly<Record<string, string>> = {
  surface: "workspace, tracked, compact, files or anchors, or several joined by commas",
  name: "a name of letters, digits, dots, hyphens and underscores",
};

/** ["roots", 0, "path"] → "roots[0].path". */
export function keyOf(at: JSONPath): string {
  const parts = at.map((part, n) => (typeof part === "number" ? `[${part}]` : `${n === 0 ? "" : "."}${part}`));
  return parts.join("") || "the file";
}

function valueAt(whole: unknown, at: JSONPath): unknown {
  return at.reduce<unknown>((value, part) => (value as Record<string | number, unknown> | undefined)?.[part], whole);
}

function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "string" ? JSON.stringify(value.slice(0, 100)) : String(value);
}
