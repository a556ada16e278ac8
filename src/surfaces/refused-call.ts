// What a refused call was about, as far as its input tells: for the journal, also where the input itself was wrong.
import type { Failure } from "../core/failure.ts";
import { isRecord } from "../core/is-record.ts";
import { LIMITS } from "../core/limits.ts";
import { parsePatch, type Section } from "../edit/patch/index.ts";
import type { RefusedTarget } from "../kernel/change/refused.ts";
import { isChange } from "../kernel/policy/protected.ts";
import { PATH_FIELDS } from "./input/named-paths.ts";
import type { AnyTool } from "./tool.ts";

/** Of a patch the files of its sections; else the paths that were given; else the one that the refusal names. */
export function attempted(tool: AnyTool, input: unknown, { path }: Pick<Failure, "path">): RefusedTarget[] {
  const given = fieldsOf(tool, givenTo(input));
  const patch = given.get("patch");
  if (typeof patch === "string") return sectionsOf(patch).flatMap(targetsOf);
  const order = Object.keys(tool.input.shape as object);
  const named = [...given]
    .filter(([name, value]) => PATH_FIELDS.has(name) && typeof value === "string")
    .sort(([one], [other]) => order.indexOf(one) - order.indexOf(other));
  const all = named.length === 0 && path !== undefined ? [path] : named.map(([, value]) => String(value));
  const action = tool.effect === "read" ? "read" : tool.actions.find(isChange);
  return all.map((each) => ({ path: each.slice(0, LIMITS.pathBytes), ...(action !== undefined && { action }) }));
}

/** Arguments may come as JSON; of anything else nothing is known. */
export function givenTo(input: unknown): Readonly<Record<string, unknown>> {
  if (typeof input !== "string") return isRecord(input) ? input : {};
  try {
    return givenTo(JSON.parse(input) as unknown);
  } catch {
    return {};
  }
}

/** Under the names of the schema; what stands in `params` counts as if it stood beside it. */
function fieldsOf(tool: AnyTool, given: Readonly<Record<string, unknown>>): Map<string, unknown> {
  const named = Object.entries(given).flatMap(([name, value]): [string, unknown][] =>
    name === "params" && isRecord(value) ? [...fieldsOf(tool, value)] : [[tool.aliases?.[name] ?? name, value]],
  );
  return new Map(named);
}

const HEADER =
  /^\*\*\* (Add|Update|Delete) File:[^\S\n]*(\S[^\n]*)(?:\n\*\*\* Move to:[^\S\n]*(\S[^\n]*))?|^--- (\/dev\/null)?[^\n]*\n\+\+\+ (?:b\/)?([^\s/][^\n\t]*)/gm;

/** Of a text that is no patch the files that its headers name. */
function sectionsOf(patch: string): readonly Named[] {
  try {
    return parsePatch(patch).sections;
  } catch {
    return [...patch.matchAll(HEADER)].map(([, verb, path, toPath, isNew, name = ""]): Named => {
      if (toPath !== undefined) return { op: "move", path: path!.trim(), toPath: toPath.trim() };
      const op = verb === undefined ? (isNew ? "add" : "update") : (verb.toLowerCase() as Named["op"]);
      return { op, path: (path ?? name).trim() };
    });
  }
}

interface Named extends Pick<Section, "op" | "path"> {
  readonly toPath?: string;
}

const ACTIONS = { add: "create", update: "edit", delete: "delete", move: "move" } as const;

/** A move is two, where from and where to. */
export function targetsOf({ op, path, toPath }: Named): RefusedTarget[] {
  const paths = toPath === undefined ? [path] : [path, toPath];
  return paths.map((each) => ({ path: each.slice(0, LIMITS.pathBytes), action: ACTIONS[op] }));
}
