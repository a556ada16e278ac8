// A workspace with a little history, made as agents make it, for the commands that look at it.
import type { Session, Workspace } from "stet";
import { type Ran, type Surroundings, stet } from "../support/cli.ts";
import { directoryWith, workspaceIn } from "../support/workspace.ts";

export interface Desk {
  readonly root: string;
  /** The command line in the root, as the user "ada". */
  run(args: readonly string[], around?: Partial<Surroundings>): Promise<Ran>;
  /** Work of an agent, in a workspace that is closed again. */
  as<T>(agent: string, work: (session: Session, workspace: Workspace) => Promise<T>): Promise<T>;
}

export function deskWith(files: Readonly<Record<string, string | Uint8Array>>): Desk {
  const root = directoryWith(files);
  return {
    root,
    run: (args, around = {}) => stet(args, { cwd: root, ...around, env: { USER: "ada", ...around.env } }),
    async as(agent, work) {
      const workspace = workspaceIn(root);
      try {
        return await work(workspace.session({ id: `session-of-${agent}`, agent }), workspace);
      } finally {
        await workspace.close();
      }
    },
  };
}

/** Reads and overwrites, with the read as proof. */
export async function rewrite(session: Session, path: string, content: string): Promise<number> {
  const { sha } = await session.read(path);
  const { entry } = await session.write(path, content, { expectedSha256: sha, tool: "write_file" });
  return entry!.seq;
}

export function linesOf({ out }: Ran): string[] {
  return out.split("\n").filter((line) => line !== "");
}
