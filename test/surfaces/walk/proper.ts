// What every refusal must be like, whatever it is about and whoever says it.
import type { Failure } from "stet";
import { type AnyTool, type Surface, surfaceNamed, surfaceNames } from "stet/surfaces";
import { expect } from "vitest";
import { expectFollowable } from "../../support/followable.ts";
import type { SurfaceName } from "./world.ts";

/** What a refusal can be lacking in. */
export type Lack = "next" | "tools" | "schema" | "end" | "grammar" | "first";

/** A refusal as a caller gets it. */
type Said = { readonly error: Failure; readonly text: string };

const RAW =
  /Invalid (?:input|option|string|key|type|element)\b|expected (?:string|number|int|boolean|array|object|record)\b|Too (?:small|big)|Unrecognized key|>=|<=|must match pattern/;
const ONE_OF_MANY =
  /\b1 (?:lines|bytes|files|places|times|matches|results|characters|occurrences|operations|edits|hunks|versions)\b/;
const BROKEN = /\bundefined\b|\[object |\bNaN\b|[^./\w]\.\.(?![./\w])|\w\.\.(?![./\w])| {2}\S+ {2}\./;

const NOT_KNOWN = "It is not known whether this was done.";

const ALL_TOOLS: ReadonlySet<string> = new Set(
  surfaceNames.flatMap((name) => surfaceNamed(name).tools.map((tool) => tool.name)),
);
/** "Read the file" is English; "with Read", "use Write" and names that nobody writes by chance are tools. */
const NAMED = /\b(?:(?:[Ww]ith|[Uu]se|[Cc]all|[Bb]y|[Ff]rom) (Read|Write|Edit)|(Glob|Grep)|([a-z]+_[a-z_]+))\b/g;

export function lacksOf(surface: Surface, offered: readonly AnyTool[], name: string, said: Said): Lack[] {
  const { error, text } = said;
  const tool = offered.find((each) => each.name === name);
  const { suggestedAction = "" } = error;
  const lacks = new Set<Lack>();
  if (suggestedAction.trim() === "" || !text.includes(suggestedAction.trim())) lacks.add("next");
  if (RAW.test(text)) lacks.add("schema");
  if (ONE_OF_MANY.test(text) || BROKEN.test(withoutQuotes(text))) lacks.add("grammar");
  if (!endsProperly(text)) lacks.add("end");
  const isKnown = ![error.kind, error.details?.cause].includes("outcome_unknown");
  if (tool !== undefined && !text.startsWith(isKnown ? tool.refused : NOT_KNOWN)) lacks.add("first");
  if (namesOthers(text, offered) || !isFollowable({ ...surface, tools: offered }, name, error)) lacks.add("tools");
  return [...lacks];
}

/** A diff, a list of lines or a fence may follow; the last sentence is whole. */
function endsProperly(text: string): boolean {
  const last = text.trimEnd().split("\n").at(-1)!;
  return /[.?!]$/.test(last) || last === "```" || /^(?:[ +\-@\\]|diff )/.test(last);
}

function withoutQuotes(text: string): string {
  return text.replace(/`[^`]*`|"[^"]*"|'[^']*'/g, "…");
}

function namesOthers(text: string, offered: readonly AnyTool[]): boolean {
  const names = [...withoutQuotes(text).matchAll(NAMED)].map(
    ([, ...found]) => found.find((each) => each !== undefined)!,
  );
  return names.some((name) => ALL_TOOLS.has(name) && !offered.some((tool) => tool.name === name));
}

function isFollowable(surface: Surface, name: string, failure: Failure): boolean {
  try {
    expectFollowable(surface, name, failure);
    return true;
  } catch {
    return false;
  }
}

export function expectNoLacks(found: readonly Lack[], known: readonly Lack[], text: string): void {
  expect(
    found.filter((lack) => !known.includes(lack)),
    text,
  ).toEqual([]);
}

/** What seeds fix, although it is said otherwise elsewhere: the first line. */
const FIXED: Partial<Record<SurfaceName, readonly Lack[]>> = { tracked: ["first"], files: ["first"] };

/** One line that says all, without a full stop. */
const COMPLETE = /^refusing to (?:edit|overwrite) .+: Read it first$/;

export function knownFor(name: SurfaceName, text: string): readonly Lack[] {
  if (name === "tracked" && COMPLETE.test(text)) return ["first", "next", "end"];
  // The text goes on from what it shows; the data keeps the words of the seed.
  if (name === "workspace" && text.includes("with the sha256 below")) return ["next"];
  return FIXED[name] ?? [];
}
