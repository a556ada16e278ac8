// Validates objects of options against strict schemas: a misspelt one would otherwise count as never given.
import { closest, distance } from "fastest-levenshtein";
import * as z from "zod";
import { Refusal } from "../core/failure.ts";

export type Schema = z.ZodObject;

/** A check for every option of T, which the compiler sees to. `true` accepts any value. */
export type Shape<T> = Readonly<Record<T extends unknown ? keyof T : never, true | z.ZodType>>;

export function strictOptions<T>(shape: Shape<T>, required: readonly (keyof Shape<T>)[] = []): Schema {
  const fields = Object.entries<true | z.ZodType>(shape).map(([name, given]) => {
    const type = given === true ? z.unknown() : given;
    return [name, required.some((each) => each === name) ? type : type.optional()];
  });
  return z.strictObject(Object.fromEntries(fields));
}

/** The same schema with more options, of any value. */
export function withOptions(names: readonly string[], schema: Schema): Schema {
  return schema.extend(Object.fromEntries(names.map((name) => [name, z.unknown().optional()])));
}

/** The options that the schema knows: a caller may hand over an object with more than the call below takes. */
export function only<T extends object>(given: T, { shape }: Schema): T {
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(shape, name))) as T;
}

/** Throws for the first option that is unknown or has the wrong type. */
export function validate(
  given: unknown,
  schema: Schema,
  { noObject = "Options are given as an object.", noun = "option" } = {},
): void {
  const issue = schema.safeParse(given, { reportInput: true }).error?.issues[0];
  if (issue === undefined) return;
  const all = `The ${noun}s are ${Object.keys(schema.shape).join(", ")}.`;
  if (issue.code === "unrecognized_keys") {
    const name = issue.keys[0]!;
    const near = nearest(name, Object.keys(schema.shape));
    throw new Refusal("invalid_input", `There is no ${noun} ${JSON.stringify(name)} here.`, {
      next: near === undefined ? all : `Did you mean ${near}?`,
    });
  }
  if (issue.path.length === 0) throw new Refusal("invalid_input", noObject, { next: all });
  const message = `${issue.path.join(".")} ${issue.message}, not ${formatValue(issue.input)}.`;
  throw new Refusal("invalid_input", message, { next: "Correct it, or leave it out." });
}

/** A typo leaves most of a name as it is, and is short. */
function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_NAME) return undefined;
  const near = closest(
    name.toLowerCase(),
    known.map((each) => each.toLowerCase()),
  );
  const isTypo = distance(name.toLowerCase(), near) <= MAX_WRONG * Math.max(name.length, near.length);
  return isTypo ? known.find((each) => each.toLowerCase() === near) : undefined;
}

const MAX_NAME = 100;
const MAX_WRONG = 0.4;

/** Short enough for a message, whatever the value is. */
export function formatValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 100));
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  return String(value);
}

/** A value that `fits`; `words` say what it must be. */
export function value(words: string, fits: (value: unknown) => boolean): z.ZodType {
  return z.custom(fits, `must be ${words}`);
}

export const FLAG = z.boolean("must be true or false");
export const TEXT = z.string("must be a text");
export const TEXTS = value("a list of texts", (given) => isListOf(given, (each) => typeof each === "string"));
export const COUNT = atLeast(0);
export const CALLED = value("a function", (given) => typeof given === "function");

/** Accepts Infinity too, for no limit. */
export function atLeast(min: number): z.ZodType {
  const fits = (given: unknown): boolean =>
    given === Number.POSITIVE_INFINITY || (Number.isSafeInteger(given) && (given as number) >= min);
  return value(`a whole number from ${min} on`, fits);
}

export function oneOf(...words: readonly string[]): z.ZodType {
  return z.enum(words, `must be ${words.map((each) => JSON.stringify(each)).join(" or ")}`);
}

export function listOf(...words: readonly string[]): z.ZodType {
  const names = words.map((each) => JSON.stringify(each)).join(", ");
  return value(`a list of ${names}`, (given) => isListOf(given, (each) => words.some((word) => word === each)));
}

/** An object with this method. */
export function having(method: string, words: string): z.ZodType {
  return value(words, (given) => typeof given === "object" && given !== null && method in given);
}

function isListOf(given: unknown, fits: (each: unknown) => boolean): boolean {
  return Array.isArray(given) && given.every(fits);
}
