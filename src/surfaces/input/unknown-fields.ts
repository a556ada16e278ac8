// Names in an input that nothing has: what says why a call is made is ignored, what would change its meaning is not.
import * as z from "zod";
import { printable } from "../../core/printable.ts";
import { listed } from "../../words/plural.ts";
import type { AnyTool } from "../tool.ts";
import { type Place, placeName } from "./words.ts";
import { schemaAt, unwrap } from "./zod-shape.ts";

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
