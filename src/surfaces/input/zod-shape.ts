// What a zod schema says about its own shape.
import * as z from "zod";

/** The schema without what only says that a value may be missing, or is put right before it is looked at. */
export function unwrap(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return unwrap(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodPipe && schema.in instanceof z.ZodTransform) return unwrap(schema.out as z.ZodType);
  return schema;
}

/** The schema of what lies at a place below; undefined where the schema knows no such place. */
export function schemaAt(schema: z.ZodType, [first, ...rest]: readonly PropertyKey[]): z.ZodType | undefined {
  if (first === undefined) return schema;
  const below = belowOf(unwrap(schema), String(first));
  return below === undefined ? undefined : schemaAt(below, rest);
}

/** How the entries of a map are named where it is written as a list: the titles of its keys and values. */
export function entryNames(map: z.ZodRecord): readonly [key: string, value: string] {
  const titleOf = (schema: unknown): string | undefined => (schema as z.ZodType).meta()?.title;
  return [titleOf(map.keyType) ?? "key", titleOf(map.valueType) ?? "value"];
}

function belowOf(schema: z.ZodType, name: string): z.ZodType | undefined {
  if (schema instanceof z.ZodArray) return schema.element as z.ZodType;
  if (schema instanceof z.ZodRecord) return schema.valueType as z.ZodType;
  return schema instanceof z.ZodObject && Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
}
