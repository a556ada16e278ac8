// Checkpoints of single files, as marks in the journal. An edit needs none: it is checked before it is written, and the
// version it replaces is kept; these are for a host that wants to take back several changes of a file.
import type { Backend, Path, Sha, Version, When } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import { isSha } from "../../core/version.ts";
import { closeCheckpoint, openCheckpoint } from "../../kernel/history/checkpoints.ts";
import { newestEntry } from "../../kernel/history/journal.ts";
import type { Session } from "../../kernel/session.ts";
import type { Workspace } from "../../kernel/workspace.ts";
import { ROLLBACK } from "./writers.ts";

/** Checkpoints of single files. */
export interface FileCheckpoints {
  /** Remembers the file as it is now, or that it does not exist. A later checkpoint of the same file takes its place. */
  save(path: string): Promise<void>;
  /** Puts the file back to its checkpoint, and drops that. */
  rollback(path: string): Promise<void>;
  /** Drops the checkpoint: the changes since stay. */
  commit(path: string): Promise<void>;
  /** Whether a checkpoint of this file is open. */
  isDirty(path: string): Promise<boolean>;
  /** The files that have one. */
  listDirty(): Promise<readonly string[]>;
  /** Drops every checkpoint of a file. */
  cleanup(): Promise<void>;
}

/** Checkpoints of single files, as marks in the journal: for a host that takes back several changes of a file. */
export function fileCheckpoints(session: Session): FileCheckpoints {
  const { workspace } = session;
  const { backend } = workspace;

  async function drop(mark: Mark | undefined): Promise<void> {
    if (mark !== undefined) await closeCheckpoint(session, mark.name);
  }

  return {
    async save(path) {
      const at = await session.resolve(path, "edit");
      const version = at.kind === "absent" ? null : await backend.read(at.path);
      if (version !== null) await backend.keep([version]);
      await drop((await openMarks(workspace)).get(at.path));
      const versions = version === null ? [] : [version.sha];
      await openCheckpoint(session, nameOf(at.path, version?.sha ?? null), { paths: [at.path], versions });
      // once more: before there was a mark, it could be dropped
      if (version !== null) await backend.keep([version]);
    },

    async rollback(path) {
      const at = await session.resolve(path, "undo");
      const mark = (await openMarks(workspace)).get(at.path);
      if (mark === undefined) {
        const next = "Save one before the changes that may have to be taken back.";
        throw new Refusal("not_found", `No checkpoint of ${printable(path)} is open.`, { path, next });
      }
      const then = mark.sha === null ? null : await recalled(backend, mark.sha, path);
      const now = at.kind === "absent" ? null : await backend.read(at.path);
      if (now?.sha !== then?.sha) {
        await session.change(
          [
            {
              path,
              proof: now === null ? { by: "absence" } : { by: "sha256", sha256: now.sha },
              action: "undo",
              createParents: true,
            },
          ],
          () => [then === null ? null : { version: then }],
          { tool: ROLLBACK, onStale: "reject", details: { checkpoint: mark.seq } },
        );
      }
      await drop(mark);
    },

    async commit(path) {
      await drop((await openMarks(workspace)).get((await session.resolve(path, "read")).path));
    },

    isDirty: async (path) => (await checkpointAt(workspace, (await session.resolve(path, "read")).path)).isOpen,
    listDirty: async () => [...(await openMarks(workspace)).keys()],

    async cleanup() {
      for (const mark of (await openMarks(workspace)).values()) await drop(mark);
    },
  };
}

export async function checkpointAt(workspace: Workspace, path: Path, when?: When): Promise<CheckpointAt> {
  if (!workspace.journalling) return { isOpen: false, hasHistory: false };
  const marks = await openMarks(workspace, when);
  return { isOpen: marks.has(path), hasHistory: known.has(workspace.backend) };
}

interface CheckpointAt {
  readonly isOpen: boolean;
  /** False: the journal has no entry at all. */
  readonly hasHistory: boolean;
}

interface Mark {
  readonly name: string;
  readonly sha: Sha | null;
  /** The last entry before the checkpoint. */
  readonly seq: number;
}

interface Known {
  readonly upTo: number;
  readonly open: ReadonlyMap<Path, Mark>;
}

const known = new WeakMap<Backend, Known>();

/** Every read of a file asks this, so the journal is gone through once and then only from where it was left. */
async function openMarks({ backend }: Workspace, when?: When): Promise<ReadonlyMap<Path, Mark>> {
  const before = known.get(backend) ?? { upTo: 0, open: new Map<Path, Mark>() };
  const upTo = (await (backend.tail?.(when) ?? newestEntry(backend)))?.seq ?? before.upTo;
  if (upTo === before.upTo) return before.open;
  const open = new Map(before.open);
  const range = { sinceSeq: before.upTo + 1, untilSeq: upTo, newestFirst: true };
  const notes: { readonly seq: number; readonly opened: unknown; readonly closed: unknown }[] = [];
  for await (const { seq, details } of backend.log({ ...range, tool: "checkpoint", outcomes: ["note"] }))
    notes.push({ seq, opened: details?.opened, closed: details?.closed });
  for (const { seq, opened, closed } of notes.reverse()) {
    const [mark, dropped] = [parseName(opened), parseName(closed)];
    if (mark !== undefined) open.set(mark.path, { name: mark.name, sha: mark.sha, seq });
    if (dropped !== undefined) open.delete(dropped.path);
  }
  known.set(backend, { upTo, open });
  return open;
}

const ABSENT = "absent";

function nameOf(path: Path, sha: Sha | null): string {
  return `file:${path}@${sha ?? ABSENT}`;
}

function parseName(
  name: unknown,
): { readonly name: string; readonly path: Path; readonly sha: Sha | null } | undefined {
  const parts = typeof name === "string" ? /^file:(.*)@(\w+)$/s.exec(name) : null;
  const [whole, path, state] = parts ?? [];
  if (whole === undefined || path === undefined || state === undefined) return undefined;
  if (state === ABSENT) return { name: whole, path: path as Path, sha: null };
  return isSha(state) ? { name: whole, path: path as Path, sha: state } : undefined;
}

async function recalled(backend: Backend, sha: Sha, path: string): Promise<Version> {
  const version = await backend.recall(sha);
  if (version !== null) return version;
  throw new Refusal("not_kept", `The version of ${printable(path)} at its checkpoint is no longer kept.`, {
    path,
    next: "It cannot be rolled back; commit the checkpoint to drop it.",
  });
}
