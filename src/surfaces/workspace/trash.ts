// The trash as this surface names it: one id for one deleted file.
import type { Entry, Path } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { listTrash } from "../../kernel/history/trash.ts";
import type { Session } from "../../kernel/session.ts";

/** The id under which what `entry` took from `path` can be restored. */
export async function trashIdOf(session: Session, entry: Entry | undefined, path: Path): Promise<string | undefined> {
  if (entry === undefined) return undefined;
  try {
    for await (const { id } of listTrash(session.workspace, { path })) {
      const seq = Number.parseInt(id, 10);
      if (seq === entry.seq) return id;
      if (seq < entry.seq) return undefined;
    }
  } catch (error) {
    // The change has happened: that its id cannot be told must not look as if it were refused.
    if (!(error instanceof Refusal)) throw error;
  }
  return undefined;
}
