// The anchors surface: files are read with a hash for every line and edited by naming these hashes.
import type { Surface } from "../tool.ts";
import { toolUseRules } from "./guidance.ts";
import { type EditOptions, editTool } from "./tools/edit.ts";
import { readFile } from "./tools/read-file.ts";
import { writeFile } from "./tools/write-file.ts";
import { inDialect, withFreshAnchors } from "./words.ts";

/** The surface `anchors` with other rules than the usual ones. */
export function anchorsSurface(options: EditOptions = {}) {
  return {
    name: "anchors",
    title: "Files by line hashes",
    guidance: toolUseRules,
    /** All of it is about edit. */
    guidanceFor: (offered) => (offered.has("edit") ? toolUseRules : ""),
    tools: [readFile, editTool(options), writeFile] as const,
    failure: inDialect,
    refusalText: withFreshAnchors,
  } satisfies Surface;
}

/** Files are read with a hash for every line, and edited by naming these hashes. */
export const anchors = anchorsSurface();

export { type FileCheckpoints, fileCheckpoints } from "./checkpoints.ts";
export { guidance } from "./guidance.ts";
export { type WriteTracker, writeTracker } from "./writers.ts";
