// Arguments that do not fit, at every parameter of every tool: refused in plain words, wherever the call comes from.
import { type AnyTool, files, type Surface, surfaceNamed, surfaceNames } from "stet/surfaces";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { agentWith } from "../support/agent.ts";

const WRONG = [[7], { a: 1 }, -1, 1.5, 1e99, "", "zz", true, '{"a'];
/** As the schema library speaks. */
const RAW =
  /Invalid (?:input|option|string|key|type|element)|expected (?:string|number|int|boolean|array|object|record)|Too (?:small|big)|Unrecognized|received|>=|<=|must match pattern|something else[;.]|undefined|NaN/;

/** Without what only says that a value may be missing, or is put right before it is looked at. */
function unwrap(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return unwrap(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodPipe && schema.in instanceof z.ZodTransform) return unwrap(schema.out as z.ZodType);
  return schema;
}

/** The names of all parameters, at any depth. */
function placesOf(schema: z.ZodType, place: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodObject)
    return Object.keys(inner.shape).flatMap((name) => {
      const below = [...place, name];
      return [below, ...placesOf(inner.shape[name] as z.ZodType, below)];
    });
  return inner instanceof z.ZodArray ? placesOf(inner.element as z.ZodType, [...place, 0]) : [];
}

/** A call that fits, as far as the schema says. */
function fitting(schema: z.ZodType): unknown {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodArray) return [fitting(inner.element as z.ZodType)];
  if (inner instanceof z.ZodEnum) return inner.options[0];
  if (inner instanceof z.ZodNumber) return 1;
  if (!(inner instanceof z.ZodObject)) return "a".repeat(64);
  const needed = Object.entries(inner.shape).filter(([, field]) => !(field as z.ZodType).safeParse(undefined).success);
  return Object.fromEntries(needed.map(([name, field]) => [name, fitting(field as z.ZodType)]));
}

function withValue(tool: AnyTool, place: readonly (string | number)[], value: unknown): Record<string, unknown> {
  const input = fitting(tool.input) as Record<string, unknown>;
  let at = input as Record<string | number, unknown>;
  let schema: z.ZodType = tool.input;
  for (const key of place.slice(0, -1)) {
    const inner = unwrap(schema);
    schema = (inner instanceof z.ZodArray ? inner.element : (inner as z.ZodObject).shape[key]) as z.ZodType;
    at[key] ??= fitting(schema);
    at = at[key] as Record<string, unknown>;
  }
  at[place.at(-1)!] = value;
  return input;
}

const SURFACES: readonly (readonly [string, Surface])[] = [
  ...surfaceNames.map((name) => [name, surfaceNamed(name)] as const),
  ["files with its older tools", files({ legacy: true, env: {} })],
];

describe.each(SURFACES)("%s", (_name, surface) => {
  const { tools } = surface as Surface;
  const asking = tools.filter(({ input }) => Object.keys(input.shape).length > 0);
  it.each(asking.map((tool) => [tool.name, tool] as const))("%s", async (name, tool) => {
    const agent = agentWith(surface as Surface, { a: "x\n" });
    let refused = 0;
    for (const place of placesOf(tool.input)) {
      for (const value of WRONG) {
        const result = await agent.call(name, withValue(tool, place, value));
        if (result.ok || result.error.details?.problems === undefined) continue;
        refused++;
        expect(result.text, JSON.stringify({ place, value })).not.toMatch(RAW);
        const [problem] = result.error.details.problems as readonly unknown[];
        // What a command of `files` lacks, or does not take, is said of the command.
        if (typeof problem === "string") expect(problem).toContain(place.findLast((key) => typeof key === "string"));
        expect(result.error.suggestedAction).toMatch(/^Call \w+ again/);
      }
    }
    expect(refused).toBeGreaterThan(0);
  });
});
