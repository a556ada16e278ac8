// JSON Schemas as models and protocols see them: a plain object at the root, the same order every time, no noise.
import * as z from "zod";
import type { AnyTool } from "./tool.ts";

/** A JSON Schema. */
export type JsonSchema = { readonly [key: string]: unknown };

/** The parameters of a tool, as models see them. */
export function inputSchema(tool: AnyTool): JsonSchema {
  const hidden = Object.fromEntries((tool.hidden ?? []).map((name) => [name, true as const]));
  return clean(z.toJSONSchema(tool.shown ?? tool.input.omit(hidden), { io: "input" })) as JsonSchema;
}

/** Of what the tool itself says. */
export function dataSchema(tool: AnyTool): JsonSchema {
  return clean(z.toJSONSchema(tool.output as z.ZodType, { io: "output" })) as JsonSchema;
}

/** Of `data`: what the tool itself says, and the warnings of every result. */
export function outputSchema(tool: AnyTool): JsonSchema {
  const schema = dataSchema(tool);
  const { properties = {}, required = [] } = schema as { properties?: object; required?: readonly string[] };
  const warnings = { type: "array", items: { type: "string" } };
  return { ...schema, properties: { ...properties, warnings }, required: [...required, "warnings"] };
}

/**
 * For APIs with a strict mode: every field required, absent ones null, nothing else allowed, maps as lists of entries, no
 * bounds. `parseInput` holds the bounds all the same.
 */
export function strictSchema(given: JsonSchema): JsonSchema {
  const schema = withoutBounds(given);
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: schema.anyOf.map(strictSchema) };
  if (schema.type === "array") return { ...schema, items: strictSchema(schema.items as JsonSchema) };
  if (isMap(schema)) return listOfEntries(schema);
  if (schema.type !== "object" || schema.properties === undefined) return schema;
  const required = new Set(schema.required as readonly string[] | undefined);
  const properties = Object.entries(schema.properties as Record<string, JsonSchema>).map(([name, field]) => {
    const { default: _default, ...strict } = strictSchema(field);
    return [name, required.has(name) ? strict : orNull(strict)];
  });
  return {
    ...schema,
    properties: Object.fromEntries(properties),
    required: properties.map(([name]) => name),
    additionalProperties: false,
  };
}

/** Some strict modes refuse a schema that has one of these. */
const BOUND = /^(?:min|max|exclusiveM|multipleOf$|uniqueItems$)/;

function withoutBounds(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !BOUND.test(keyword)));
}

interface MapSchema extends JsonSchema {
  readonly propertyNames?: JsonSchema;
  readonly additionalProperties: JsonSchema;
}

function isMap(schema: JsonSchema): schema is MapSchema {
  return schema.type === "object" && typeof schema.additionalProperties === "object";
}

/** Strict modes know no maps. The names of an entry are the titles of keys and values; `parseInput` reads both forms. */
function listOfEntries({ propertyNames = {}, additionalProperties: values, ...schema }: MapSchema): JsonSchema {
  const { title: keyName = "key", ...key } = { type: "string", ...withoutBounds(propertyNames) };
  const { title: valueName = "value", ...value } = strictSchema(values);
  const names = [String(keyName), String(valueName)];
  const properties = { [names[0]!]: key, [names[1]!]: value };
  const items = { type: "object", properties, required: names, additionalProperties: false };
  return { ...schema, type: "array", items };
}

function orNull(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema.enum)) return { ...schema, type: [schema.type, "null"], enum: [...schema.enum, null] };
  return typeof schema.type === "string"
    ? { ...schema, type: [schema.type, "null"] }
    : { anyOf: [schema, { type: "null" }] };
}

/** Without dialect, without bounds that only say "a safe integer", without what every reader assumes. */
function clean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, each]) =>
      key !== "$schema" &&
      !(key === "additionalProperties" && typeof each !== "object") &&
      !(key === "maximum" && each === Number.MAX_SAFE_INTEGER) &&
      !(key === "minimum" && each === Number.MIN_SAFE_INTEGER),
  );
  return Object.fromEntries(kept.map(([key, each]) => [key, clean(each)]));
}
