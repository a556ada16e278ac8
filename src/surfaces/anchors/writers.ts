// Who wrote a file last, read from the journal: every change is an entry that names its tool, so nothing else is recorded.
import type { Entry, Head, Path, When } from "../../core/backend.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import type { Workspace } from "../../kernel/workspace.ts";

export type Continuity = "clean" | "mixed";

export async function writerOf(workspace: Workspace, path: Path, when?: When): Promise<string | null> {
  const head = workspace.journalling ? await workspace.backend.head(path, when) : null;
  if (head === null) return null;
  const known = writers.get(head);
  if (known !== undefined) return known;
  const writer = (await writeUntil(workspace, path, head.seq))?.tool ?? null;
  writers.set(head, writer);
  return writer;
}

/** What came before an entry stays as it is, and looking for it takes the longer the more came after. */
const writers = new WeakMap<Head, string | null>();

/** Of the file as it is under the lock, before the change that is being made. */
export async function continuityOf(
  session: Session,
  file: { readonly path: Path; readonly version: { readonly sha: string } | null },
  { tool }: CallOptions,
): Promise<Continuity> {
  if (file.version === null) return "clean";
  const head = await session.workspace.backend.head(file.path);
  const known = head === null ? (await session.ledger.get(file.path))?.sha : head.sha;
  if (known !== undefined && known !== file.version.sha) return "mixed";
  const last = head === null ? null : await writerOf(session.workspace, file.path);
  return last === null || last === tool ? "clean" : "mixed";
}

/** Newest first: what an edit asks about stands near the end of the journal. */
async function writeUntil({ backend }: Workspace, path: Path, untilSeq: number): Promise<Entry | undefined> {
  const filter = { path, untilSeq, outcomes: ["applied", "external"], newestFirst: true, limit: 1 } as const;
  for await (const entry of backend.log(filter)) return entry;
  return undefined;
}
