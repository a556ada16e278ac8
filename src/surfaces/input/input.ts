// Input from models: lenient where they slip (null, numbers in quotes, JSON in strings, other names), exact in what it means.
import * as z from "zod";
import { Refusal } from "../../core/failure.ts";
import { isRecord } from "../../core/is-record.ts";
import { CALL_LIMITS, LIMITS } from "../../core/limits.ts";
import { refuse } from "../../words/index.ts";
import type { AnyTool } from "../tool.ts";
import { PATH_FIELDS } from "./named-paths.ts";
import {
  type Extra,
  entryNames,
  type Issue,
  ignoredWords,
  isMeant,
  mustBe,
  type Place,
  type Problem,
  placeName,
  problemOf,
  refusedWords,
  unwrap,
} from "./words.ts";

/** What the tool is called with. What nothing asked for is left out, and told to `warn`. */
export function parseInput(
  tool: AnyTool,
  raw: unknown,
  warn: (message: string) => void = () => {},
): Record<string, unknown> {
  const { input, aliases = {} } = tool;
  const given = objectOf(tool, raw);
  const at: At = { place: [], problems: new Map(), extras: [], aliases };
  const coerced = coerceFields(input.shape, tool.inForm?.(given) ?? given, at);
  const parsed = input.safeParse(coerced);
  const issues: readonly Issue[] = parsed.error?.issues ?? [];
  const rest = issues.filter(({ path }) => !at.problems.has(placeName(path)));
  const wrong = [
    ...[...at.problems.values()].map((words): Problem => ({ words, fault: "value" })),
    ...rest.map((issue) => problemOf(issue, tool, coerced)),
  ];
  // Beside something that is wrong, a name that nothing has may well be what was meant by it.
  const meant = wrong.length > 0 ? at.extras : at.extras.filter((extra) => isMeant(extra, tool));
  if (wrong.length + meant.length > 0)
    throw invalid(tool, [...wrong, ...refusedWords(meant, input, wrong.length === 0).map(extra)]);
  for (const message of ignoredWords(at.extras)) warn(message);
  refuseLongPaths(parsed.data);
  return parsed.data;
}

/** What no path can be is not taken apart, quoted or written down first. */
function refuseLongPaths(given: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(given)) {
    if (!PATH_FIELDS.has(name) || typeof value !== "string" || value.length <= LIMITS.pathBytes) continue;
    const why = `\`${name}\` has ${value.length} characters; the limit is ${LIMITS.pathBytes} bytes.`;
    throw new Refusal("invalid_path", why, { next: "Use a shorter path." });
  }
}

type Fields = Readonly<Record<string, z.ZodType>>;

interface At {
  readonly place: Place;
  /** What only the walk can say, under the name of its place. */
  readonly problems: Map<string, string>;
  readonly extras: Extra[];
  readonly aliases: Readonly<Record<string, string>>;
}

function objectOf(tool: AnyTool, raw: unknown): Readonly<Record<string, unknown>> {
  if (raw === undefined || raw === null) return {};
  if (isRecord(raw)) return raw;
  if (typeof raw !== "string")
    throw invalid(tool, [{ words: mustBe("The arguments", tool.input, raw), fault: "type" }]);
  const read = fromJson(raw);
  if ("value" in read) return objectOf(tool, read.value);
  throw invalid(tool, [{ words: `The arguments are ${read.problem}`, fault: "value" }]);
}

/** Under the names of the schema. One that is there wins over its alias, and over another way to write it. */
function renamed(given: object, aliases: Readonly<Record<string, string>>, fields: Fields): Map<string, unknown> {
  let spelled: ReadonlyMap<string, string> | undefined;
  const sameLetters = (name: string): string | undefined => {
    spelled ??= new Map(Object.keys(fields).map((each) => [lettersOf(each), each]));
    return spelled.get(lettersOf(name));
  };
  const out = new Map<string, unknown>();
  const others: [name: string, value: unknown][] = [];
  for (const [name, value] of Object.entries(given)) {
    const alias = Object.hasOwn(aliases, name) ? aliases[name]! : "";
    const isField = Object.hasOwn(fields, name);
    const other = Object.hasOwn(fields, alias) ? alias : isField ? undefined : sameLetters(name);
    if (other !== undefined) others.push([other, value]);
    // An alias that is a parameter too stays, so that a tool can speak about it.
    if (other === undefined || isField) out.set(name, value);
  }
  for (const [name, value] of others) if (value != null && out.get(name) == null) out.set(name, value);
  return out;
}

/** `replaceAll`, `replace_all` and `replace-all` are one name. */
function lettersOf(name: string): string {
  return name.replace(/[_-](?=[^_-])/g, "").toLowerCase();
}

function coerceFields(fields: Fields, given: object, at: At): Record<string, unknown> {
  refuseTooMany(Object.keys(given).length, at);
  const out: Record<string, unknown> = {};
  for (const [name, value] of renamed(given, at.aliases, fields)) {
    if (value === null || value === undefined) continue;
    const schema = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (schema === undefined) at.extras.push({ place: at.place, name, value });
    else out[name] = coerce(schema, value, { ...at, place: [...at.place, name] });
  }
  return out;
}

/** Only where the value cannot mean anything else: a string is never changed where the schema takes a string. */
function coerce(schema: z.ZodType, value: unknown, at: At): unknown {
  const inner = unwrap(schema);
  const below = (key: string | number): At => ({ ...at, place: [...at.place, key] });
  if (inner instanceof z.ZodArray && (Array.isArray(value) || isRecord(value))) {
    // One object stands for a list of one.
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    refuseTooMany(items.length, at);
    return items.map((item, n) => coerce(inner.element as z.ZodType, item, below(n)));
  }
  if (inner instanceof z.ZodObject && isRecord(value)) return coerceFields(inner.shape, value, at);
  if (inner instanceof z.ZodRecord && Array.isArray(value)) return mapOf(inner, value, at);
  if (inner instanceof z.ZodRecord && isRecord(value)) {
    refuseTooMany(Object.keys(value).length, at);
    const given = Object.entries(value).filter(([, each]) => each !== null);
    return Object.fromEntries(given);
  }
  return typeof value === "string" ? coerceText(inner, value, at) : value;
}
function coerceText(inner: z.ZodType, value: string, at: At): unknown {
  const text = value.trim();
  if (inner instanceof z.ZodNumber && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (inner instanceof z.ZodBoolean && /^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
  const structured = inner instanceof z.ZodArray || inner instanceof z.ZodObject || inner instanceof z.ZodRecord;
  if (!structured || !/^[[{]/.test(text)) return value;
  const read = fromJson(text);
  if ("value" in read) return coerce(inner, read.value, at);
  at.problems.set(placeName(at.place), `\`${placeName(at.place)}\` is ${read.problem}`);
  return value;
}

/** A map as a list of its entries, for APIs whose schemas know no maps. */
function mapOf(schema: z.ZodRecord, entries: readonly unknown[], at: At): unknown {
  refuseTooMany(entries.length, at);
  const [keyName, valueName] = entryNames(schema);
  const map = new Map<string, unknown>();
  for (const [n, entry] of entries.entries()) {
    const key = isRecord(entry) ? entry[keyName] : undefined;
    if (!isRecord(entry) || typeof key !== "string") {
      at.problems.set(placeName(at.place), `\`${placeName([...at.place, n])}\` must be {${keyName}, ${valueName}}.`);
      return entries;
    }
    if (entry[valueName] === null) continue;
    if (map.has(key) && map.get(key) !== entry[valueName])
      at.problems.set(placeName(at.place), `\`${placeName(at.place)}\` names ${JSON.stringify(key)} twice.`);
    map.set(key, entry[valueName]);
  }
  return Object.fromEntries(map);
}

/** Before its entries are looked at: that alone would take longer than a call should. */
function refuseTooMany(entries: number, { place }: At): void {
  if (entries <= CALL_LIMITS.items) return;
  const name = place.length === 0 ? "The call" : `\`${placeName(place)}\``;
  throw new Refusal("invalid_input", `${name} has ${entries} entries; the limit is ${CALL_LIMITS.items}.`, {
    next: "Make several calls, each with a part of them.",
    details: { problems: [placeName(place)], entries, limit: CALL_LIMITS.items },
  });
}

function fromJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch {
    const end = `the JSON ends with ${JSON.stringify(text.slice(-40))}.`;
    return { problem: looksCutOff(text) ? `cut off: ${end}` : `no valid JSON: ${end}` };
  }
}

/** A string or a bracket is still open at the end. */
function looksCutOff(text: string): boolean {
  let open = 0;
  let inString = false;
  for (const [token] of text.matchAll(/\\.|["{}[\]]/gs)) {
    if (token === '"') inString = !inString;
    else if (!inString && token.length === 1) open += token === "{" || token === "[" ? 1 : -1;
  }
  return inString || open > 0;
}

function extra(words: string): Problem {
  return { words, fault: "extra" };
}

function invalid({ name }: AnyTool, problems: readonly Problem[]): Refusal {
  return refuse("arguments_invalid", {
    tool: name,
    problems: problems.map(({ words }) => words),
    faults: problems.map(({ fault }) => fault),
    missing: problems.flatMap(({ missing }) => missing ?? []),
  });
}
