// Input from models: lenient where they slip (null, numbers in quotes, JSON in strings, other names), exact in what it means.
import { z } from "zod";
import { Refusal } from "../kernel/failure.ts";
import type { AnyTool } from "./tool.ts";

export function parseInput(tool: AnyTool, raw: unknown): Record<string, unknown> {
  const fields: Readonly<Record<string, z.ZodType>> = tool.input.shape;
  const given = renamed(objectOf(tool, raw), tool.aliases ?? {}, fields);
  const coerced: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue;
    coerced[name] = fields[name] === undefined ? value : coerce(fields[name], value);
  }
  const parsed = tool.input.strict().safeParse(coerced);
  if (parsed.success) return parsed.data;
  throw invalid(
    tool,
    (parsed.error as z.ZodError).issues.map((issue) => sentence(issue, fields, given)),
  );
}

function objectOf(tool: AnyTool, raw: unknown): Record<string, unknown> {
  if (raw === undefined || raw === null) return {};
  if (typeof raw === "string") {
    try {
      return objectOf(tool, JSON.parse(raw));
    } catch {
      throw invalid(tool, [`The arguments are no complete JSON; they end with ${JSON.stringify(raw.slice(-40))}.`]);
    }
  }
  if (typeof raw === "object" && !Array.isArray(raw)) return { ...raw };
  throw invalid(tool, ["The arguments must be one JSON object."]);
}

/** A name that is there wins over its alias. An alias that is a parameter too stays, so that a tool can speak about it. */
function renamed(
  given: Record<string, unknown>,
  aliases: Readonly<Record<string, string>>,
  fields: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given))
    if (!Object.hasOwn(aliases, name) || Object.hasOwn(fields, name)) out[name] = value;
  for (const [alias, name] of Object.entries(aliases)) if (given[alias] != null) out[name] ??= given[alias];
  return out;
}

/** Only where the value cannot mean anything else: a string is never changed where the schema takes a string. */
function coerce(schema: z.ZodType, value: unknown): unknown {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value))
    return value.map((item) => coerce(inner.element as z.ZodType, item));
  if (inner instanceof z.ZodObject && isRecord(value)) return coerceFields(inner, value);
  if (typeof value !== "string") return value;
  const text = value.trim();
  if (inner instanceof z.ZodNumber && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (inner instanceof z.ZodBoolean && /^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
  const structured = inner instanceof z.ZodArray || inner instanceof z.ZodObject || inner instanceof z.ZodRecord;
  if (!structured || !/^[[{]/.test(text)) return value;
  try {
    return coerce(inner, JSON.parse(text));
  } catch {
    return value;
  }
}

function coerceFields(schema: z.ZodObject, value: Record<string, unknown>): Record<string, unknown> {
  const fields: Readonly<Record<string, z.ZodType>> = schema.shape;
  const present = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
  return Object.fromEntries(
    present.map(([name, each]) => [name, fields[name] === undefined ? each : coerce(fields[name], each)]),
  );
}

function unwrap(schema: z.ZodType): z.ZodType {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodNullable)
    inner = inner.unwrap() as z.ZodType;
  return inner;
}

function sentence(
  issue: z.core.$ZodIssue,
  fields: Readonly<Record<string, z.ZodType>>,
  given: Record<string, unknown>,
): string {
  const [first, ...rest] = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    if (first !== undefined)
      return `\`${[first, ...rest].join(".")}\` has no field ${issue.keys.map((key) => `\`${key}\``).join(", ")}.`;
    return `There is no parameter ${issue.keys.map((key) => `\`${key}\``).join(", ")}; there are ${Object.keys(fields)
      .map((key) => `\`${key}\``)
      .join(", ")}.`;
  }
  const name = [first, ...rest].join(".");
  const about = first === undefined ? undefined : fields[first]?.description;
  const missing = first !== undefined && rest.length === 0 && given[first] == null;
  if (missing) return `The required parameter \`${name}\` is missing${about === undefined ? "" : ` (${about})`}.`;
  return `\`${name}\`: ${issue.message}.`;
}

function invalid(tool: AnyTool, problems: readonly string[]): Refusal {
  return new Refusal("invalid_input", problems.join(" "), {
    next: `Call ${tool.name} again with the arguments put right.`,
    details: { problems },
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
