// A world in which one refusal is brought about: real files, a real session, and a call that is refused.
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import type { CallOptions, Path, Refusal, WorkspaceOptions } from "stet";
import type { AnyTool, Surface } from "stet/surfaces";
import { type Agent, agentIn, surfaceOnFiles } from "../../support/agent.ts";
import { directoryWith, memoryWorkspace, workspaceIn } from "../../support/workspace.ts";

export const SURFACES = ["workspace", "tracked", "compact", "files", "anchors", "filesystem"] as const;
export type SurfaceName = (typeof SURFACES)[number];

export interface World extends Agent {
  readonly surface: Surface;
  /** Of every file. */
  versions(): Promise<Readonly<Record<string, string>>>;
}

export interface Case {
  readonly tool: string;
  readonly input: unknown | ((world: World) => unknown);
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Symbolic links and where they lead. */
  readonly links?: Readonly<Record<string, string>>;
  readonly options?: WorkspaceOptions;
  readonly surface?: () => Surface;
  readonly before?: (world: World) => Promise<unknown>;
  readonly call?: Omit<CallOptions, "tool">;
  /** For what only a failing machine or a lost race brings about: its refusal, in the words of who makes it. */
  readonly storage?: () => Refusal;
  /** What the words must tell, where other advice could be followed too. */
  readonly says?: RegExp;
  /** The input put right, where the refusal asks for nothing else. */
  readonly right?: unknown;
}

/** Every line differs from every other. */
export const LINES = Array.from({ length: 12 }, (_, n) => `const value${n} = compute(${n * 7});`);
export const TEXT = `${LINES.join("\n")}\n`;

export const FILES = {
  "a.txt": TEXT,
  "b.txt": "one\ntwo\n",
  "twice.txt": "same here\nother\nsame here\n",
  "binary.bin": new Uint8Array([1, 0, 2, 0, 0, 3]),
  "latin.txt": new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x0a, 0x78, 0x0a]),
  "dir/inside.txt": "inside\n",
  ".env": "KEY=1\n",
};

export async function made(name: SurfaceName, given: Case): Promise<World> {
  const all = { ...FILES, ...given.files };
  const onDisk = given.links !== undefined || name === "files";
  const workspace = onDisk
    ? workspaceIn(linked(directoryWith(all), given.links), given.options)
    : memoryWorkspace(all, given.options);
  const plain = given.surface?.() ?? surfaceOnFiles(name);
  const surface = given.storage === undefined ? plain : failing(plain, given.tool, given.storage);
  return {
    surface,
    ...agentIn(workspace, surface),
    async versions() {
      const named = Object.keys(all).map(async (path) => [path, (await workspace.backend.read(path as Path))?.sha]);
      return Object.fromEntries(await Promise.all(named));
    },
    // Not by the agent itself: a read is what some of the refusals ask for.
    sha: async (path) => (await workspace.session().readBytes(path)).version.sha,
  };
}

function linked(root: string, links: Case["links"] = {}): string {
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(root, path));
  return root;
}

/** The same surface, whose tool meets what the machine does: the words are still those of the surface. */
function failing(surface: Surface, name: string, storage: () => Refusal): Surface {
  const fails = (tool: AnyTool): AnyTool => ({
    ...tool,
    offeredFor: undefined as never,
    async run() {
      throw storage();
    },
  });
  return { ...surface, tools: surface.tools.map((tool) => (tool.name === name ? fails(tool) : tool)) };
}
