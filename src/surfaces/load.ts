// One surface by its name, and no other loaded with it: a server that starts needs only its own tools.
import type { Surface } from "./tool.ts";

const LOADERS: Readonly<Record<string, () => Promise<Surface>>> = {
  workspace: async () => (await import("./workspace/index.ts")).workspace,
  tracked: async () => (await import("./tracked/index.ts")).tracked,
  compact: async () => (await import("./compact/index.ts")).compact,
  files: async () => (await import("./files/index.ts")).files(),
  anchors: async () => (await import("./anchors/index.ts")).anchors,
};

/** As `surfaceNamed`: also several joined by commas, and a refusal for a name that nothing has. */
export async function loadSurface(names: string): Promise<Surface> {
  const load = Object.hasOwn(LOADERS, names) ? LOADERS[names] : undefined;
  if (load !== undefined) return load();
  const { surfaceNamed } = await import("./index.ts");
  return surfaceNamed(names);
}
