// The anchors surface: files are read with a hash for every line and edited by naming these hashes.
import { strictOptions, validate } from "../../api/options.ts";
import type { AnchorsCalls } from "../calls.ts";
import type { Surface, Typed } from "../tool.ts";
import { toolUseRules } from "./guidance.ts";
import { type EditOptions, editTool } from "./tools/edit.ts";
import { readFile } from "./tools/read-file.ts";
import { writeFile } from "./tools/write-file.ts";
import { WORDS } from "./words.ts";

const OPTIONS = strictOptions<EditOptions>({ lowEntropy: true, filePath: true });

export type AnchorsTools = readonly [typeof readFile, ReturnType<typeof editTool>, typeof writeFile];

/** The surface `anchors` with other rules than the usual ones. */
export function anchorsSurface(options: EditOptions = {}): Surface<AnchorsTools> & Typed<AnchorsCalls> {
  validate(options, OPTIONS);
  return {
    name: "anchors",
    title: "Files by line hashes",
    guidance: toolUseRules,
    /** All of it is about edit. */
    guidanceFor: (offered) => (offered.has("edit") ? toolUseRules : ""),
    tools: [readFile, editTool(options), writeFile],
    words: WORDS,
  };
}

/** Files are read with a hash for every line, and edited by naming these hashes. */
export const anchors = anchorsSurface();

export { guidance } from "./guidance.ts";
