// Whether the next action of a refusal can be done with the tools at hand: it names no parameter, tool or verb they lack.
import type { Failure } from "stet";
import type { AnyTool, Surface } from "stet/surfaces";
import { expect } from "vitest";
import { z } from "zod";

export function expectFollowable(surface: Surface, name: string, { suggestedAction = "" }: Failure): void {
  const tool = surface.tools.find((each) => each.name === name);
  if (tool === undefined) return;
  const named = surface.tools.filter((each) => new RegExp(`\\b${each.name}\\b`).test(suggestedAction));
  const known = new Set([
    ...surface.tools.map((each) => each.name),
    ...[tool, ...named].flatMap((each) => wordsOf(each)),
  ]);
  const missing = identifiersIn(suggestedAction).filter((word) => !known.has(word));
  expect(missing, `${name}: ${suggestedAction}`).toEqual([]);
  const actions = new Set<string>(surface.tools.flatMap((each) => each.actions));
  for (const [verb, ...needed] of VERBS) {
    if (!new RegExp(`\\b${verb}\\b`, "i").test(suggestedAction)) continue;
    expect(
      needed.some((action) => actions.has(action)),
      `${name}: ${suggestedAction}`,
    ).toBe(true);
  }
}

const VERBS = [
  ["lists?", "list", "glob", "search"],
  ["search", "grep", "search"],
  ["delete", "delete"],
] as const;

/** What is written as code, and plain words that are parameters somewhere. */
function identifiersIn(text: string): string[] {
  const code = text.matchAll(/`(\w+)`|"(\w+)":|\b([a-z]+_[a-z_]+)\b|(?<!\\)\b([a-z]+[A-Z]\w*)\b/g);
  const plain = text.matchAll(/\b(offset|limit|encoding|multiline|literal|occurrence|hash)\b/g);
  return [...code, ...plain].map(([, ...found]) => found.find((word) => word !== undefined)!);
}

/** Names of parameters at any depth, and the values of enumerations. */
function wordsOf(tool: AnyTool): string[] {
  const words: string[] = [];
  JSON.stringify(z.toJSONSchema(tool.input, { io: "input" }), (key, value) => {
    if (key === "properties") words.push(...Object.keys(value));
    if (key === "enum") words.push(...value);
    return value;
  });
  return words;
}
