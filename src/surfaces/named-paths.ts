// The paths that a call names, before anything is looked up: with several workspaces, an absolute one says which is meant.
import { parsePatch } from "../edit/patch.ts";
import { Refusal } from "../kernel/failure.ts";
import type { AnyTool } from "./tool.ts";

/** Parameters of all tools that hold one path, under the names that they have after aliases. */
export const PATH_FIELDS: ReadonlySet<string> = new Set([
  "path",
  "file_path",
  "root",
  "fromPath",
  "toPath",
  "trashedPath",
  "targetPath",
]);

/** As the caller wrote them; nothing of what cannot be understood, nor a glob that is relative to whatever is searched. */
export function namedPaths(tool: AnyTool, given: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(given).flatMap(([written, value]) => {
    const name = tool.aliases?.[written] ?? written;
    if (isRecord(value)) return name === "params" ? namedPaths(tool, value) : [];
    if (typeof value !== "string") return [];
    if (name === "patch") return patchPaths(value);
    const isGlob = name === "pattern" && tool.actions.includes("glob") && isAbsolute(value);
    return PATH_FIELDS.has(name) || isGlob ? [value] : [];
  });
}

/** In the writing of any system. */
export function isAbsolute(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path);
}

function patchPaths(patch: string): readonly string[] {
  try {
    return parsePatch(patch).sections.flatMap((each) => (each.op === "move" ? [each.path, each.toPath] : [each.path]));
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
