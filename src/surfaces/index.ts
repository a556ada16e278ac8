// The dialects (`stet/surfaces`): six sets of tools over one kernel, and how to call, bind and join them.
import { strictOptions, validate } from "../api/options.ts";
import { Refusal } from "../core/failure.ts";
import { anchors } from "./anchors/index.ts";
import { compact } from "./compact/index.ts";
import { files } from "./files/index.ts";
import { filesystem } from "./filesystem/index.ts";
import type { FilesSwitches } from "./load.ts";
import { clashOf, joinSurfaces } from "./offer.ts";
import type { Surface } from "./tool.ts";
import { tracked } from "./tracked/index.ts";
import { workspace } from "./workspace/index.ts";

interface NamedOptions {
  /** As of `files()`. */
  readonly files?: FilesSwitches;
}

const OPTIONS = strictOptions<NamedOptions>({ files: true });

const BY_NAME: Readonly<Record<string, (options: NamedOptions) => Surface>> = {
  workspace: () => workspace,
  tracked: () => tracked,
  compact: () => compact,
  files: (options) => files(options.files),
  anchors: () => anchors,
  filesystem: () => filesystem,
};

/** What `surfaceNamed` takes. */
export const surfaceNames: readonly string[] = Object.keys(BY_NAME);

/** One name, or several joined by commas. */
export function surfaceNamed(names: string, options: NamedOptions = {}): Surface {
  validate(options, OPTIONS);
  const surfaces = names.split(",").map((name) => named(name.trim(), options));
  try {
    return joinSurfaces(surfaces);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { kind, message, details } = error.failure;
    const partners = surfaces.map(({ name }) => `${name} with ${joinable(name, options).join(", ") || "none"}`);
    const next = `Choose one of them. These can be joined: ${[...new Set(partners)].join("; ")}.`;
    throw new Refusal(kind, message, { next, cause: error, ...(details !== undefined && { details }) });
  }
}

/** The surfaces that one of them can be joined with. */
export function joinable(name: string, options: NamedOptions = {}): readonly string[] {
  const surface = named(name, options);
  return surfaceNames.filter((other) => other !== name && clashOf(surface, named(other, options)) === undefined);
}

function named(name: string, options: NamedOptions): Surface {
  const make = Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
  if (make !== undefined) return make(options);
  throw new Refusal("invalid_input", `There is no surface named ${JSON.stringify(name)}.`, {
    next: `Use one of ${surfaceNames.join(", ")}.`,
  });
}

/** The copy that stet itself works with: schemas of another version lose their descriptions, or their types, on the way to a model. */
export { z } from "zod";
export {
  anchors,
  anchorsSurface,
  guidance as anchorsGuidance,
} from "./anchors/index.ts";
export { type Bound, bind } from "./bind.ts";
export { call } from "./call.ts";
export { type CompactOptions, compact, compactSurface, type Linter } from "./compact/index.ts";
export { type FilesOptions, files } from "./files/index.ts";
export { filesystem } from "./filesystem/index.ts";
export { joinSurfaces, offeredTools } from "./offer.ts";
export { inputSchema, type JsonSchema, outputSchema, strictSchema } from "./schema.ts";
export type { AnyTool, FixedResult, Surface, Tool, ToolContext, ToolImage, ToolResult } from "./tool.ts";
export { defineTool } from "./tool.ts";
export { tracked } from "./tracked/index.ts";
export { workspace, workspaceBySession } from "./workspace/index.ts";
