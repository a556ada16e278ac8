// Finds who wrote what, from the journal.
import type { Entry, LogFilter, Path } from "../../core/backend.ts";
import { validate } from "../../core/options.ts";
import { REPLAY_FILTER } from "../options.ts";
import type { Workspace } from "../workspace.ts";
import { movedAway } from "./entry.ts";
import { entryAt, happened } from "./journal.ts";

/** The entry that gave a path its current state, as far as the journal knows. */
export async function lastWriter(workspace: Workspace, path: Path): Promise<Entry | null> {
  const head = await workspace.backend.head(path);
  return head === null ? null : ((await entryAt(workspace.backend, head.seq)) ?? null);
}

/** What the entries made of a path: a version, or nothing. */
export type ReplayedState =
  | {
      /** The version they left. */
      readonly sha: string;
      /** The last of the entries that changed it. */
      readonly seq: number;
      /** Whether the file still is that version. */
      readonly current: boolean;
    }
  | {
      /** They deleted it. */
      readonly deleted: true;
      readonly seq: number;
    };

/** What the matching entries made of each path, and whether the file still is that. */
export async function replay(
  workspace: Workspace,
  filter: Pick<LogFilter, "session" | "agent" | "since">,
): Promise<Map<Path, ReplayedState>> {
  validate(filter, REPLAY_FILTER, { noun: "filter" });
  const states = new Map<Path, { sha: string | null; seq: number }>();
  for await (const entry of happened(workspace.backend, { ...filter, outcomes: ["applied"] })) {
    const moved = movedAway(entry);
    for (const { path, to } of entry.changes) {
      if (to === null && moved.has(path)) states.delete(path);
      else states.set(path, { sha: to, seq: entry.seq });
    }
  }
  const replayed = new Map<Path, ReplayedState>();
  for (const [path, { sha, seq }] of states) {
    const now = sha === null ? null : await workspace.backend.read(path);
    replayed.set(path, sha === null ? { deleted: true, seq } : { sha, seq, current: now?.sha === sha });
  }
  return replayed;
}
