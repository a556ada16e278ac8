// The paths that a call names, before anything is looked up: with several workspaces, an absolute one says which is meant.
import { Deadline } from "../../core/deadline.ts";
import { Refusal } from "../../core/failure.ts";
import { isRecord } from "../../core/is-record.ts";
import { LIMITS } from "../../core/limits.ts";
import { type Outline, outlinePatch } from "../../kernel/jobs.ts";
import { isLarge, runInWorker } from "../../kernel/run-in-worker.ts";
import type { AnyTool } from "../tool.ts";

/** Parameters of all tools that hold one path, under the names that they have after aliases. */
export const PATH_FIELDS: ReadonlySet<string> = new Set([
  "path",
  "file_path",
  "root",
  "fromPath",
  "toPath",
  "source",
  "destination",
  "trashedPath",
  "targetPath",
]);

type Paths = readonly string[];

/**
 * As the caller wrote them; nothing of what cannot be understood, nor a glob that is relative to whatever is searched. At
 * once, unless there is a large patch to be read.
 */
export function namedPaths(tool: AnyTool, given: Readonly<Record<string, unknown>>): Paths | Promise<Paths> {
  const parts = Object.entries(given).map(([written, value]) => {
    const name = tool.aliases?.[written] ?? written;
    if (name === "paths" && Array.isArray(value)) return value.filter((each) => typeof each === "string");
    if (isRecord(value)) return name === "params" ? namedPaths(tool, value) : [];
    if (typeof value !== "string") return [];
    if (name === "patch") return patchPaths(value);
    const isGlob = name === "pattern" && tool.actions.includes("glob") && isAbsolute(value);
    return PATH_FIELDS.has(name) || isGlob ? [value] : [];
  });
  return parts.some((part) => part instanceof Promise)
    ? Promise.all(parts).then((all) => all.flat())
    : (parts as Paths[]).flat();
}

/** In the writing of any system. */
export function isAbsolute(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path);
}

function patchPaths(patch: string): Paths | Promise<Paths> {
  // As the tool itself asks for it, so that a large one is read once for both.
  const given: [string, { maxFiles: number }] = [patch, { maxFiles: LIMITS.maxFilesPerChange }];
  if (isLarge(patch.length)) {
    return runInWorker("outlinePatch", given, new Deadline(LIMITS.callMs)).then(pathsIn).catch(noneOf);
  }
  try {
    return pathsIn(outlinePatch(...given));
  } catch (error) {
    return noneOf(error);
  }
}

function pathsIn(outline: readonly Outline[]): Paths {
  return outline.flatMap(({ path, toPath }) => (toPath === undefined ? [path] : [path, toPath]));
}

function noneOf(error: unknown): Paths {
  if (error instanceof Refusal) return [];
  throw error;
}
