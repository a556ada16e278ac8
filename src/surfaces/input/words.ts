// What is wrong with an input, in words that a model can act on: which place, what is expected there, what was given.
import * as z from "zod";
import { plural } from "../../words/plural.ts";
import type { Fault } from "../../words/workspace.ts";
import type { AnyTool } from "../tool.ts";
import { entryNames, schemaAt, unwrap } from "./zod-shape.ts";

export type Issue = z.core.$ZodIssue;
export type Place = readonly PropertyKey[];

/** `edits[1].newText` */
export function placeName(place: Place): string {
  const [first, ...rest] = place.map((key) => (typeof key === "number" ? `[${key}]` : key));
  return rest.reduce<string>((name, key) => name + nameBelow(String(key)), String(first ?? ""));
}

/** Something that is wrong with an input, in a sentence. */
export interface Problem {
  readonly words: string;
  readonly fault: Fault;
  /** The name of a parameter that is required. */
  readonly missing?: string;
}

/** Never the words of the schema library: they say what a check found, not what to write instead. */
export function problemOf(
  issue: Issue,
  { input, words }: Pick<AnyTool, "input" | "words">,
  given: Readonly<Record<string, unknown>>,
): Problem {
  const name = placeName(issue.path);
  const schema = schemaAt(input, issue.path);
  const value = valueAt(given, issue.path);
  if (value === undefined) {
    const described = schema?.description && (words?.(schema.description) ?? schema.description);
    const about = described?.replace(/\.$/, "") || (schema && expected(schema));
    const isParameter = issue.path.length === 1;
    const says = `${isParameter ? "The required parameter " : ""}\`${name}\` is missing`;
    return {
      words: `${says}${about === undefined ? "" : ` (${about})`}.`,
      fault: "missing",
      ...(isParameter && { missing: name }),
    };
  }
  // A schema that says itself what must be says it better.
  if (issue.message.startsWith("must "))
    return { words: `\`${name}\` ${issue.message}; you gave ${shown(value)}.`, fault: "type" };
  const isChoice = schema !== undefined && unwrap(schema) instanceof z.ZodEnum;
  return { words: mustBe(`\`${name}\``, schema, value), fault: isChoice ? "value" : "type" };
}

export function mustBe(what: string, schema: z.ZodType | undefined, given: unknown): string {
  return `${what} must be ${expected(schema)}; you gave ${shown(given)}.`;
}

function expected(schema: z.ZodType | undefined): string {
  const inner = schema && unwrap(schema);
  if (inner instanceof z.ZodString) return (inner.minLength ?? 0) > 0 ? "text that is not empty" : "text";
  if (inner instanceof z.ZodNumber) return `a ${inner.isInt ? "whole number" : "number"}${boundsOf(inner)}`;
  if (inner instanceof z.ZodBoolean) return "true or false";
  if (inner instanceof z.ZodEnum) return `one of ${inner.options.map((option) => JSON.stringify(option)).join(", ")}`;
  if (inner instanceof z.ZodArray) return `a list such as ${JSON.stringify(exampleOf(inner))}`;
  if (inner instanceof z.ZodObject) return `an object such as ${JSON.stringify(exampleOf(inner))}`;
  if (inner instanceof z.ZodRecord) return `a map such as ${JSON.stringify(exampleOf(inner))}`;
  return "something else";
}

function boundsOf({ minValue, maxValue }: z.ZodNumber): string {
  const from = minValue === null || minValue <= Number.MIN_SAFE_INTEGER ? undefined : minValue;
  const to = maxValue === null || maxValue >= Number.MAX_SAFE_INTEGER ? undefined : maxValue;
  if (from === undefined) return to === undefined ? "" : ` up to ${to}`;
  return to === undefined ? ` from ${from} up` : ` from ${from} to ${to}`;
}

/** What must be there, with a value of the right kind. */
function exampleOf(schema: z.ZodType): unknown {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodNumber) return Math.max(inner.minValue ?? 1, 1);
  if (inner instanceof z.ZodBoolean) return true;
  if (inner instanceof z.ZodEnum) return inner.options[0];
  if (inner instanceof z.ZodArray) return [exampleOf(inner.element as z.ZodType)];
  if (inner instanceof z.ZodRecord) return Object.fromEntries([entryNames(inner)]);
  if (!(inner instanceof z.ZodObject)) return "…";
  const required = Object.entries(inner.shape as Record<string, z.ZodType>).filter(
    ([, field]) => !field.safeParse(undefined).success,
  );
  return Object.fromEntries(required.map(([name, field]) => [name, exampleOf(field)]));
}

const LONGEST_GIVEN = 60;

function shown(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${plural(value.length, "item")}`;
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") return String(value);
  const start = value.slice(0, LONGEST_GIVEN).replace(/[\uD800-\uDBFF]$/, "");
  return value.length > LONGEST_GIVEN ? `${JSON.stringify(start)} and more` : JSON.stringify(value);
}

function valueAt(given: unknown, place: Place): unknown {
  return place.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    given,
  );
}

function nameBelow(key: string): string {
  if (key.startsWith("[")) return key;
  return /^[\w$]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
