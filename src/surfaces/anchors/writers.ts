// Who wrote a file last, read from the journal: every change is an entry that names its tool, so nothing else is recorded.
import type { Entry, Head, Path, When } from "../../core/backend.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import type { Workspace } from "../../kernel/workspace.ts";

export type Continuity = "clean" | "mixed";

/** The tool of an entry that puts a file back to its checkpoint: the writer before the checkpoint counts again. */
export const ROLLBACK = "rollback";

/** Who wrote which file last. */
export interface WriteTracker {
  /** The tool that gave the file its current state, "external" for other programs, null when the journal knows of none. */
  lastWriter(path: string): Promise<string | null>;
  /** clean: no known writer, or this same one, wrote it last. mixed: another one did. */
  getContinuity(path: string, writer: string): Promise<Continuity>;
  /** Some other program wrote the file. */
  markExternalWrite(path: string): Promise<void>;
}

/** Who wrote which file last, read from the journal. */
export function writeTracker(session: Session): WriteTracker {
  const { workspace } = session;
  const canonical = async (path: string): Promise<Path> => (await session.resolve(path, "read")).path;
  return {
    lastWriter: async (path) => writerOf(workspace, await canonical(path)),
    async getContinuity(path, writer) {
      const last = await writerOf(workspace, await canonical(path));
      return last === null || last === writer ? "clean" : "mixed";
    },
    async markExternalWrite(path) {
      const at = await canonical(path);
      const noticed = await workspace.backend.notice([at], session.author({ tool: "external" }));
      if (noticed === null) await recordExternal(session, at);
    },
  };
}

export async function writerOf(workspace: Workspace, path: Path, when?: When): Promise<string | null> {
  const head = workspace.journalling ? await workspace.backend.head(path, when) : null;
  if (head === null) return null;
  const known = writers.get(head);
  if (known !== undefined) return known;
  let last = await writeUntil(workspace, path, head.seq);
  while (last?.tool === ROLLBACK) last = await writeUntil(workspace, path, checkpointOf(last));
  const writer = last?.tool ?? null;
  writers.set(head, writer);
  return writer;
}

/** What came before an entry stays as it is, and looking for it takes the longer the more came after. */
const writers = new WeakMap<Head, string | null>();

/** Always before the rollback itself, whatever the entry says: the search goes back, and ends. */
function checkpointOf({ seq, details }: Entry): number {
  const said = details?.checkpoint;
  return typeof said === "number" && said < seq ? said : seq - 1;
}

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
async function writeUntil(workspace: Workspace, path: Path, untilSeq: number): Promise<Entry | undefined> {
  const filter = { path, untilSeq, outcomes: ["applied", "external"], newestFirst: true, limit: 1 } as const;
  for await (const entry of workspace.backend.log(filter)) return entry;
  return undefined;
}

/** The file is as the journal knows it, or the journal does not know it: then only this entry tells of the other writer. */
async function recordExternal(session: Session, path: Path): Promise<void> {
  const { backend } = session.workspace;
  const version = await backend.read(path);
  const sha = version?.sha ?? null;
  if (version !== null) await backend.keep([version]);
  await backend.record({
    ...session.author({ tool: "external" }),
    outcome: "external",
    changes: [{ path, from: sha, to: sha }],
  });
}
