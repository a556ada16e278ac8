// Estimates how many bytes a call will hold in memory, from the files that it names.
import { Refusal } from "../../core/failure.ts";
import type { AnyTool } from "../../surfaces/tool.ts";
import { resourceAt } from "../resources/uri.ts";
import type { NamedWorkspace, ServeOptions } from "../workspaces/named.ts";

/** A change has a file twice, before and after. Where the files are not there yet, or not named, it counts as the largest one. */
export async function bytesFor(tool: AnyTool, served: NamedWorkspace, paths: readonly string[]): Promise<number> {
  const sizes: number[] = [];
  for (const path of paths) sizes.push(await sizeOf(served, path));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (tool.effect === "read") return bytes;
  const areThere = sizes.length > 0 && sizes.every((size) => size > 0);
  return areThere ? bytes * 2 : Math.max(bytes * 2, served.workspace.policy.maxFileBytes);
}

export async function bytesBehind(options: ServeOptions, uri: string): Promise<number> {
  return unlessRefused(async () => {
    const { served, path } = await resourceAt(options, uri);
    return Math.ceil((await sizeOf(served, path)) * AS_BASE64);
  });
}

const AS_BASE64 = 4 / 3;

/** A larger file is read in pages. */
function sizeOf({ workspace: { backend, policy } }: NamedWorkspace, path: string): Promise<number> {
  return unlessRefused(async () => Math.min((await backend.resolve(path)).size, policy.maxFileBytes));
}

/** Why it cannot be read is for the call to say. */
async function unlessRefused(find: () => Promise<number>): Promise<number> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof Refusal) return 0;
    throw error;
  }
}
