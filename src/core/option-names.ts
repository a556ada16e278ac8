// The names of options: a misspelt one is refused, since it would otherwise be one that was never given.
import { Refusal } from "./failure.ts";
import { isRecord } from "./is-record.ts";
import { similarity } from "./similarity.ts";

/** The compiler holds these lists: an option more, or one less, is one there. */
export type ByName<T> = Readonly<Record<T extends unknown ? keyof T : never, true>>;

export function optionNames<T>(names: ByName<T>): ReadonlySet<string> {
  return new Set(Object.keys(names));
}

/** What is known of these: a program may hand over an object with more in it than is meant for the call below. */
export function only<T extends object>(given: T, known: ReadonlySet<string>): T {
  return Object.fromEntries(Object.entries(given).filter(([name]) => known.has(name))) as T;
}

/** Before anything is done. */
export function refuseUnknownOptions(
  given: unknown,
  known: ReadonlySet<string>,
  { noObject = "Options are given as an object.", noun = "option" } = {},
): void {
  if (!isRecord(given)) throw new Refusal("invalid_input", noObject, { next: all(known, noun) });
  for (const name of Object.keys(given)) {
    if (known.has(name)) continue;
    const near = nearest(name, known);
    throw new Refusal("invalid_input", `There is no ${noun} ${JSON.stringify(name)} here.`, {
      next: near === undefined ? all(known, noun) : `Did you mean ${near}?`,
    });
  }
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
