// Checkpoints: named places in the journal to go back to. While one is open, nothing it needs is dropped.
import { Refusal } from "../failure.ts";
import type { Session } from "../session.ts";
import type { Workspace } from "../workspace.ts";
import { type UndoOptions, undo } from "./undo.ts";

export interface Checkpoint {
  readonly name: string;
  /** The last entry before the checkpoint. */
  readonly seq: number;
  readonly at: string;
}

export async function openCheckpoint(session: Session, name: string): Promise<Checkpoint> {
  const { backend } = session.workspace;
  if ((await openCheckpoints(session.workspace)).some((known) => known.name === name)) {
    throw new Refusal("already_exists", `A checkpoint named ${name} is open.`, {
      next: "Close it first, or choose another name.",
    });
  }
  const entry = await backend.record({
    ...session.author({ tool: "checkpoint" }),
    outcome: "note",
    changes: [],
    details: { opened: name },
  });
  return { name, seq: entry.seq, at: entry.at };
}

export async function closeCheckpoint(session: Session, name: string): Promise<void> {
  await find(session.workspace, name);
  await session.workspace.backend.record({
    ...session.author({ tool: "checkpoint" }),
    outcome: "note",
    changes: [],
    details: { closed: name },
  });
}

/** Undoes everything that happened since, by anybody, as one change. The checkpoint stays open. */
export async function rollBackTo(
  session: Session,
  name: string,
  options: UndoOptions = {},
): Promise<readonly number[]> {
  const { seq } = await find(session.workspace, name);
  const { undone } = await undo(session, { sinceSeq: seq + 1 }, options);
  return undone;
}

export async function openCheckpoints(workspace: Workspace): Promise<Checkpoint[]> {
  const open = new Map<string, Checkpoint>();
  for await (const { seq, at, details } of workspace.backend.log({ tool: "checkpoint", outcomes: ["note"] })) {
    if (typeof details?.opened === "string") open.set(details.opened, { name: details.opened, seq, at });
    if (typeof details?.closed === "string") open.delete(details.closed);
  }
  return [...open.values()];
}

async function find(workspace: Workspace, name: string): Promise<Checkpoint> {
  const found = (await openCheckpoints(workspace)).find((known) => known.name === name);
  if (found !== undefined) return found;
  throw new Refusal("not_found", `No checkpoint named ${name} is open.`);
}
