// Whether the workspaces can do their work: the root is where it was opened and can be listed, and who keeps a journal gets its lock.
import { Refusal } from "../../core/failure.ts";
import type { Workspace } from "../../kernel/workspace.ts";

export async function checkReady(workspaces: readonly Workspace[]): Promise<void> {
  await Promise.all(workspaces.map(checkOne));
}

async function checkOne({ backend, journalling }: Workspace): Promise<void> {
  const root = await backend.resolve(".");
  if (root.kind !== "directory") throw new Refusal("not_found", "The root of a workspace is gone.");
  for await (const _entry of backend.list(root.path)) break;
  // drops nothing; but what it does not do, it does under the lock of the journal
  if (journalling) await backend.forget([]);
}
