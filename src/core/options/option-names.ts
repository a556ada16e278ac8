// The names of options: a misspelt one is refused, since it would otherwise be one that was never given.
import { Refusal } from "../failure.ts";
import { isRecord } from "../is-record.ts";
import { similarity } from "../similarity.ts";
import { type ValueKind, valueInWords } from "./option-values.ts";

/** The compiler holds these lists: an option more, or one less, is one there. `true`: its value is looked at elsewhere. */
export type ByName<T> = Readonly<Record<T extends unknown ? keyof T : never, true | ValueKind>>;

/** Names, with what their values may be. */
export interface OptionNames extends ReadonlySet<string> {
  readonly kinds: ReadonlyMap<string, ValueKind>;
}

export function optionNames<T>(names: ByName<T>): OptionNames {
  const kinds = Object.entries<true | ValueKind>(names).flatMap(([name, kind]) =>
    kind === true ? [] : [[name, kind] as const],
  );
  return Object.assign(new Set(Object.keys(names)), { kinds: new Map(kinds) });
}

/** More names, whose values are looked at elsewhere. */
export function withNames(more: readonly string[], known: OptionNames): OptionNames {
  return Object.assign(new Set([...more, ...known]), { kinds: known.kinds });
}

/** What is known of these: a program may hand over an object with more in it than is meant for the call below. */
export function only<T extends object>(given: T, known: ReadonlySet<string>): T {
  return Object.fromEntries(Object.entries(given).filter(([name]) => known.has(name))) as T;
}

/** Before anything is done. */
export function refuseUnknownOptions(
  given: unknown,
  known: OptionNames,
  { noObject = "Options are given as an object.", noun = "option" } = {},
): void {
  if (!isPlain(given)) throw new Refusal("invalid_input", noObject, { next: all(known, noun) });
  for (const [name, value] of Object.entries(given)) {
    if (known.has(name)) {
      refuseMisfit(name, value, known.kinds.get(name));
      continue;
    }
    const near = nearest(name, known);
    throw new Refusal("invalid_input", `There is no ${noun} ${JSON.stringify(name)} here.`, {
      next: near === undefined ? all(known, noun) : `Did you mean ${near}?`,
    });
  }
}

/** Of a Map, or of what an object inherits, nothing would be found: it would count as never given. */
function isPlain(given: unknown): given is Record<string, unknown> {
  if (!isRecord(given)) return false;
  const parent: unknown = Object.getPrototypeOf(given);
  return parent === null || Object.getPrototypeOf(parent) === null;
}

/** `undefined` is what was left out. */
function refuseMisfit(name: string, value: unknown, kind: ValueKind | undefined): void {
  if (kind === undefined || value === undefined || kind.fits(value)) return;
  throw new Refusal("invalid_input", `${name} must be ${kind.words}, not ${valueInWords(value)}.`, {
    next: "Correct it, or leave it out.",
  });
}

function nearest(name: string, known: ReadonlySet<string>): string | undefined {
  const [best] = [...known]
    .map((each) => ({ each, alike: similarity(name.toLowerCase(), each.toLowerCase()) }))
    .sort((a, b) => b.alike - a.alike);
  return best !== undefined && best.alike >= ALIKE ? best.each : undefined;
}

const ALIKE = 0.6;

function all(known: ReadonlySet<string>, noun: string): string {
  return `The ${noun}s are ${[...known].join(", ")}.`;
}
