// What is wrong with an input, in words that a model can act on: which place, what is expected there, what was given. A
// name that nothing has is ignored where it only says why a call is made, and refused where it would change its meaning.
import * as z from "zod";
import { printable } from "../../core/printable.ts";
import { listed, plural } from "../../words/plural.ts";
import type { Fault } from "../../words/workspace.ts";
import type { AnyTool } from "../tool.ts";

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
  { input }: Pick<AnyTool, "input">,
  given: Readonly<Record<string, unknown>>,
): Problem {
  const name = placeName(issue.path);
  const schema = schemaAt(input, issue.path);
  const value = valueAt(given, issue.path);
  if (value === undefined) {
    const about = schema?.description?.replace(/\.$/, "") || (schema && expected(schema));
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

/** The schema without what only says that a value may be missing, or is put right before it is looked at. */
export function unwrap(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return unwrap(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodPipe && schema.in instanceof z.ZodTransform) return unwrap(schema.out as z.ZodType);
  return schema;
}

/** The schema of what lies at a place below; undefined where the schema knows no such place. */
export function schemaAt(schema: z.ZodType, [first, ...rest]: readonly PropertyKey[]): z.ZodType | undefined {
  if (first === undefined) return schema;
  const below = belowOf(unwrap(schema), String(first));
  return below === undefined ? undefined : schemaAt(below, rest);
}

/** How the entries of a map are named where it is written as a list: the titles of its keys and values. */
export function entryNames(map: z.ZodRecord): readonly [key: string, value: string] {
  const titleOf = (schema: unknown): string | undefined => (schema as z.ZodType).meta()?.title;
  return [titleOf(map.keyType) ?? "key", titleOf(map.valueType) ?? "value"];
}

function belowOf(schema: z.ZodType, name: string): z.ZodType | undefined {
  if (schema instanceof z.ZodArray) return schema.element as z.ZodType;
  if (schema instanceof z.ZodRecord) return schema.valueType as z.ZodType;
  return schema instanceof z.ZodObject && Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
}

export interface Extra {
  /** The object it stands in. */
  readonly place: Place;
  readonly name: string;
  readonly value: unknown;
}

/** Without it a tool that changes files could change something else, or more, than its caller means. */
export function isMeant({ name, value }: Extra, { effect }: Pick<AnyTool, "effect">): boolean {
  if (effect === "read" || asksForNothing(value) || (value === 1 && ONCE.test(name))) return false;
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return words.split(/[^a-z0-9]+/).some((word) => MEANT.has(word) || /^shas?\d*$/.test(word));
}

/** Text is replaced in one place, or not at all, where nothing else is said. */
const ONCE = /^expected_?(?:replacements|occurrences|matches)$/i;

function asksForNothing(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === false || value === "";
}

const list = (words: string): readonly string[] => words.split(" ");
const MEANT: ReadonlySet<string> = new Set([
  // where
  ...list("at after before line lines start end from to range offset limit position column index anchor occurrence"),
  ...list("nth cwd root base dir directory folder workspace"),
  // what
  ...list("old new text content contents op operation operations edit edits changes patch diff replacement template"),
  // how
  ...list("append prepend insert mode all regex pattern count encoding recursive permanent overwrite atomic create"),
  ...list("exclusive noclobber flag flags"),
  // whether
  ...list(
    "checksum digest proof dry dryrun preview simulate check command only if unless stale strict expect expected hash etag version revision mtime backup",
  ),
]);

/** One sentence for each object that holds such names. */
export function ignoredWords(extras: readonly Extra[]): string[] {
  return byPlace(extras).map(({ place, names }) => {
    const it = names.length === 1 ? "it was" : "they were";
    return `${lacks(place, names)}; ${it} ignored.`;
  });
}

/** `meant`: nothing else is wrong with the call. */
export function refusedWords(extras: readonly Extra[], input: z.ZodObject, meant: boolean): string[] {
  return byPlace(extras).map(({ place, names }) => {
    const owner = schemaAt(input, place);
    const there = owner === undefined ? undefined : unwrap(owner);
    const known = there instanceof z.ZodObject ? `; there are ${quoted(Object.keys(there.shape))}` : "";
    const it = names.length === 1 ? "it" : "them";
    const without = meant ? `, and without ${it} the call could do something else than you mean` : "";
    return `${lacks(place, names)}${without}${known}.`;
  });
}

function lacks(place: Place, names: readonly string[]): string {
  const [is, s] = names.length === 1 ? ["is", ""] : ["are", "s"];
  const none = place.length === 0 ? `There ${is} no parameter` : `\`${placeName(place)}\` has no field`;
  return `${none}${s} ${quoted(names)}`;
}

/** The first few objects: of a thousand, the same would be said of each. */
function byPlace(extras: readonly Extra[]): { readonly place: Place; readonly names: readonly string[] }[] {
  const places = new Map<string, { readonly place: Place; readonly names: string[] }>();
  for (const { place, name } of extras) {
    const key = placeName(place);
    const known = places.get(key);
    if (known !== undefined) known.names.push(name);
    else if (places.size < MAX_PLACES) places.set(key, { place, names: [name] });
  }
  return [...places.values()];
}

const MAX_PLACES = 5;
const MOST_NAMES = 20;
const LONGEST_NAME = 60;

function quoted(names: readonly string[]): string {
  const all = names.map((name) => `\`${printable(name.slice(0, LONGEST_NAME))}\``);
  return listed(all, MOST_NAMES);
}
