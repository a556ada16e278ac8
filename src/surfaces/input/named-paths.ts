// The paths that a call names, before anything is looked up and also where its input is wrong: with several workspaces an
// absolute one says which is meant, and the journal tells what a refused call was about.
import type { Failure } from "../../core/failure.ts";
import { isRecord } from "../../core/is-record.ts";
import { LIMITS } from "../../core/limits.ts";
import type { RefusedTarget } from "../../kernel/change/refused.ts";
import { isChange } from "../../kernel/policy/protected.ts";
import type { AnyTool } from "../tool.ts";

/** Parameters of all tools that hold a path, or several, under the names that they have after aliases. */
export const PATH_FIELDS: ReadonlySet<string> = new Set([
  "path",
  "paths",
  "file_path",
  "root",
  "fromPath",
  "toPath",
  "source",
  "destination",
  "trashedPath",
  "targetPath",
]);

type Given = Readonly<Record<string, unknown>>;

/** Arguments may come as JSON; of anything else nothing is known. */
export function givenTo(input: unknown): Given {
  if (typeof input !== "string") return isRecord(input) ? input : {};
  try {
    return givenTo(JSON.parse(input) as unknown);
  } catch {
    return {};
  }
}

/** As the caller wrote them, but no glob that is relative to whatever is searched. */
export function namedPaths(tool: AnyTool, given: Given): readonly string[] {
  const fields = fieldsOf(tool, given);
  const glob = tool.actions.includes("glob") ? fields.get("pattern") : undefined;
  const isRooted = typeof glob === "string" && isAbsolute(glob);
  return [...targetsIn(tool, fields).map(({ path }) => path), ...(isRooted ? [glob] : [])];
}

/** What a refused call was about: the paths that were given, else the one that the refusal names. */
export function attempted(tool: AnyTool, given: Given, { path }: Pick<Failure, "path">): readonly RefusedTarget[] {
  const fields = fieldsOf(tool, given);
  const targets = targetsIn(tool, fields);
  const all = targets.length === 0 && path !== undefined && !fields.has("patch") ? [{ path }] : targets;
  const action = tool.effect === "read" ? "read" : tool.actions.find(isChange);
  return all.map((target) => ({
    ...(action !== undefined && { action }),
    ...target,
    path: target.path.slice(0, LIMITS.pathBytes),
  }));
}

/** In the writing of any system. */
export function isAbsolute(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path);
}

/** Under the names of the schema; what stands in `params` counts as if it stood beside it. */
function fieldsOf(tool: AnyTool, given: Given): ReadonlyMap<string, unknown> {
  const named = Object.entries(given).flatMap(([name, value]): [string, unknown][] =>
    name === "params" && isRecord(value) ? [...fieldsOf(tool, value)] : [[tool.aliases?.[name] ?? name, value]],
  );
  return new Map(named);
}

/** Of a patch the files of its sections; else the paths in the order of the schema. */
function targetsIn(tool: AnyTool, fields: ReadonlyMap<string, unknown>): readonly RefusedTarget[] {
  const patch = fields.get("patch");
  if (typeof patch === "string") return [...patch.matchAll(HEADER)].flatMap(sectionOf);
  const names = Object.keys(tool.input.shape as object).filter((name) => PATH_FIELDS.has(name));
  const paths = names.flatMap((name) => fields.get(name));
  return paths.flatMap((path) => (typeof path === "string" ? [{ path }] : []));
}

/** The headers alone: only where the whole patch can be understood is it parsed, by its tool. */
const HEADER =
  /^\*\*\* (Add|Update|Delete|Move) File: *([^\n]+?)(?: -> ([^\n]+))?\r?$(?:\n\*\*\* Move to: *([^\n]+?)\r?$)?|^--- (?:a\/)?([^\n\t]+?)\r?(?:\t.*)?\n\+\+\+ (?:b\/)?([^\n\t]+?)\r?(?:\t.*)?$/gm;

const ACTIONS = { Add: "create", Update: "edit", Delete: "delete", Move: "move" } as const;

function sectionOf([, verb, path, arrow, moved, old = "", now = ""]: RegExpExecArray): RefusedTarget[] {
  const to = moved ?? (verb === "Move" ? arrow : undefined);
  if (path !== undefined && to !== undefined) return [path, to].map((each) => ({ path: each, action: "move" }));
  if (path !== undefined) return [{ path, action: ACTIONS[verb as keyof typeof ACTIONS] }];
  if (old === "/dev/null") return [{ path: now, action: "create" }];
  if (now === "/dev/null") return [{ path: old, action: "delete" }];
  return old === now ? [{ path: old, action: "edit" }] : [old, now].map((each) => ({ path: each, action: "move" }));
}
