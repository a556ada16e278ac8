// The surface `files`: one tool with five commands, on a store in memory or on the directory of the workspace.
import type { FilesCalls } from "../calls.ts";
import type { AnyTool, Surface, Typed } from "../tool.ts";
import { type FilesOptions, type Settings, settingsOf } from "./settings.ts";
import { type FilesTool, filesTool, wrapperTools } from "./tools.ts";
import { WORDS } from "./words.ts";

export type { FilesOptions };
export type FilesTools = readonly [FilesTool];

/** `legacy` adds read_file, write_file, edit_file, ls and delete_file. */
export function files(options: FilesOptions & { readonly legacy: true }): Surface<readonly AnyTool[]>;
export function files(options?: FilesOptions): Surface<FilesTools> & Typed<FilesCalls>;
export function files(options: FilesOptions = {}): Surface {
  const settings = settingsOf(options);
  const tool = filesTool(settings);
  return {
    name: "files",
    title: "Unified file operations",
    guidance: guidanceFor(settings),
    storesElsewhere: settings.mode === "store",
    tools: settings.legacy ? [tool, ...wrapperTools(settings)] : [tool],
    words: WORDS,
  };
}

function guidanceFor({ mode, readOnly }: Settings): string {
  if (mode === "store") return "files works on an in-memory store, not on disk. `instance` names a separate store.";
  const where = "files works on the directory of the workspace. Symbolic links and delete are not allowed there.";
  return readOnly ? `${where} It is read-only.` : where;
}
