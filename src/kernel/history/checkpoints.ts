// Checkpoints: named places in the journal to go back to. While one is open, nothing it needs is dropped.
import { validate } from "../../api/options.ts";
import type { Entry, Path } from "../../core/backend.ts";
import { refuse } from "../../words/index.ts";
import { CHECKPOINT_NAME } from "../options.ts";
import type { Session } from "../session.ts";
import type { Workspace } from "../workspace.ts";
import { happened } from "./journal.ts";
import { type UndoOptions, undo } from "./undo.ts";

/** A named place in the journal to go back to. */
export interface Checkpoint {
  /** As it was given; one open checkpoint has it. */
  readonly name: string;
  /** The last entry before the checkpoint. */
  readonly seq: number;
  /** When it was opened: ISO 8601, UTC. */
  readonly at: string;
}

/** Opens a checkpoint here. */
export async function openCheckpoint(session: Session, name: string): Promise<Checkpoint> {
  const { backend, policy } = session.workspace;
  validate({ name }, CHECKPOINT_NAME);
  const open = await openCheckpoints(session.workspace);
  if (open.some((known) => known.name === name)) throw refuse("checkpoint_open", { name });
  // Earlier changes by other programs are noticed now: noticed later, they would look as if they had happened since.
  if (!backend.changedByCommitsOnly) {
    const allowed = [...(await knownPaths(session.workspace))].filter((path) => policy.allows(path, "undo"));
    await backend.notice(allowed, session.author(CALL));
  }
  const { seq, at } = await note(session, { opened: name });
  return { name, seq, at };
}

/** Closes a checkpoint: what it alone kept may be dropped from then on. */
export async function closeCheckpoint(session: Session, name: string): Promise<void> {
  await find(session.workspace, name);
  await note(session, { closed: name });
}

const CALL = { tool: "checkpoint" };

function note(session: Session, details: Entry["details"]): Promise<Entry> {
  return session.workspace.backend.record({ ...session.author(CALL), outcome: "note", changes: [], details });
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

/** The open checkpoints, the oldest first. */
export async function openCheckpoints(workspace: Workspace): Promise<Checkpoint[]> {
  const open = new Map<string, Checkpoint>();
  for await (const { seq, at, details } of workspace.backend.log({ tool: "checkpoint", outcomes: ["note"] })) {
    const { opened, closed } = details ?? {};
    if (typeof opened === "string") open.set(opened, { name: opened, seq, at });
    if (typeof closed === "string") open.delete(closed);
  }
  return [...open.values()];
}

async function knownPaths({ backend }: Workspace): Promise<ReadonlySet<Path>> {
  const paths = new Set<Path>();
  for await (const { changes } of happened(backend)) for (const { path } of changes) paths.add(path);
  return paths;
}

async function find(workspace: Workspace, name: string): Promise<Checkpoint> {
  const found = (await openCheckpoints(workspace)).find((known) => known.name === name);
  if (found !== undefined) return found;
  throw refuse("checkpoint_missing", { name });
}
