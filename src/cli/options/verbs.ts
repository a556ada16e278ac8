// Verbs of a command, as in stet trash restore ID: finds the one that is named and validates its arguments.
import type { Command, Given, Terminal } from "./command.ts";
import { expectPositionals, nearest, UsageError } from "./usage.ts";

export interface Verb<T> {
  /** The arguments behind its name; undefined where it validates them itself. */
  readonly takes?: readonly string[];
  run(terminal: Terminal, given: Given, on: T): Promise<number>;
}

/** The verb, and what is given to it. `usual`: where none is named. */
export function verbIn<T>(
  { name, usage }: Pick<Command, "name" | "usage">,
  verbs: Readonly<Record<string, Verb<T>>>,
  given: Given,
  usual = "",
): { readonly verb: Verb<T>; readonly rest: Given } {
  const [named = usual, ...positionals] = given.positionals;
  const rest = { ...given, positionals };
  const verb = Object.hasOwn(verbs, named) ? verbs[named] : undefined;
  if (verb !== undefined) {
    if (verb.takes !== undefined) expectPositionals({ name: `${name} ${named}`, usage }, rest, verb.takes);
    return { verb, rest };
  }
  const known = Object.keys(verbs);
  const near = named === "" ? undefined : nearest(named, known);
  const choice = `${known.slice(0, -1).join(", ")} or ${known.at(-1)}`;
  const what = named === "" ? `stet ${name} needs ${choice}.` : `stet ${name} cannot ${JSON.stringify(named)}.`;
  throw new UsageError(what, near === undefined ? `Usage: stet ${usage}` : `Did you mean stet ${name} ${near}?`);
}
