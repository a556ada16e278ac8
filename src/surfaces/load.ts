// One surface by its name, and no other loaded with it: a server that starts needs only its own tools.
import type { Surface } from "./tool.ts";

/** What an owner can say of the surface `files` where it is chosen by name. */
export interface FilesSwitches {
  /** Five more tools, one for each command. */
  readonly legacy?: boolean | undefined;
}

const LOADERS: Readonly<Record<string, (switches: FilesSwitches) => Promise<Surface>>> = {
  workspace: async () => (await import("./workspace/index.ts")).workspace,
  tracked: async () => (await import("./tracked/index.ts")).tracked,
  compact: async () => (await import("./compact/index.ts")).compact,
  files: async (switches) => (await import("./files/index.ts")).files(switches),
  filesystem: async () => (await import("./filesystem/index.ts")).filesystem,
  anchors: async () => (await import("./anchors/index.ts")).anchors,
};

/** As `surfaceNamed`: also several joined by commas, and a refusal for a name that nothing has. */
export async function loadSurface(names: string, switches: FilesSwitches = {}): Promise<Surface> {
  const load = Object.hasOwn(LOADERS, names) ? LOADERS[names] : undefined;
  if (load !== undefined) return load(switches);
  const { surfaceNamed } = await import("./index.ts");
  return surfaceNamed(names, { files: switches });
}
