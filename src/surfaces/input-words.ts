// What is wrong with an input, in words that a model can act on: which place, and what is expected there.
import { z } from "zod";
import { schemaAt, unwrap } from "./zod-shape.ts";

export type Issue = z.core.$ZodIssue;
export type Place = readonly PropertyKey[];

/** `edits[1].newText` */
export function placeName(place: Place): string {
  const [first, ...rest] = place.map((key) => (typeof key === "number" ? `[${key}]` : key));
  return rest.reduce<string>((name, key) => name + nameBelow(String(key)), String(first ?? ""));
}

export function sentenceFor(issue: Issue, input: z.ZodObject, given: Readonly<Record<string, unknown>>): string {
  if (issue.code === "unrecognized_keys") return unknownNames(issue.path, issue.keys, input);
  const name = placeName(issue.path);
  if (valueAt(given, issue.path) !== undefined) return `\`${name}\`: ${issue.message}.`;
  const about = schemaAt(input, issue.path)?.description;
  const what = issue.path.length === 1 ? "The required parameter " : "";
  return `${what}\`${name}\` is missing${about === undefined ? "" : ` (${about})`}.`;
}

function unknownNames(place: Place, keys: readonly string[], input: z.ZodObject): string {
  const names = (list: readonly string[]): string => list.map((key) => `\`${key}\``).join(", ");
  const owner = schemaAt(input, place);
  const there = owner === undefined ? undefined : unwrap(owner);
  const known = there instanceof z.ZodObject ? `; there are ${names(Object.keys(there.shape))}` : "";
  if (place.length === 0) return `There is no parameter ${names(keys)}${known}.`;
  return `\`${placeName(place)}\` has no field ${names(keys)}${known}.`;
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
