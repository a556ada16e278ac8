// Notes about what others changed: made at once where the workspace is free, else later, and no call waits for that.
import type { Author, Path } from "../../core/backend.ts";
import { ifRefused } from "../../core/failure.ts";
import type { Workspace } from "../workspace.ts";

export type Patience = "this turn" | "a moment";

/**
 * Waits for a note that is being made, not for one that cannot begin: what was read, or refused, is right all the same.
 * Where it cannot be written down at all, the next change notices it.
 */
export async function noteOthers(workspace: Workspace, path: Path, author: Author, patience: Patience): Promise<void> {
  if (!workspace.journalling) return;
  const waiting = waitingIn(workspace);
  const note = waiting.get(path) ?? started(workspace, path, author, waiting);
  await untilOrLater(Promise.race([note.begun, note.made]), patience);
  if (note.hasBegun()) await note.made;
}

/** A failure of `work` that comes later is dropped. */
export async function untilOrLater(work: Promise<unknown>, patience: Patience): Promise<void> {
  let stop: (() => void) | undefined;
  const later = new Promise<void>((resolve) => {
    if (patience === "this turn") {
      setImmediate(resolve);
      return;
    }
    const timer = setTimeout(resolve, MOMENT_MS);
    stop = () => clearTimeout(timer);
  });
  try {
    await Promise.race([work, later]);
  } finally {
    stop?.();
  }
}

/** Longer than the changes of others take, short enough for an answer. */
const MOMENT_MS = 250;

interface Note {
  readonly begun: Promise<void>;
  readonly made: Promise<void>;
  hasBegun(): boolean;
}

/** Those that have not begun: one for each path is enough, however often it is read meanwhile. */
const WAITING = new WeakMap<Workspace, Map<Path, Note>>();

function waitingIn(workspace: Workspace): Map<Path, Note> {
  const known = WAITING.get(workspace);
  if (known !== undefined) return known;
  const waiting = new Map<Path, Note>();
  WAITING.set(workspace, waiting);
  return waiting;
}

function started(workspace: Workspace, path: Path, author: Author, waiting: Map<Path, Note>): Note {
  let hasBegun = false;
  let begin!: () => void;
  const begun = new Promise<void>((resolve) => {
    begin = () => {
      hasBegun = true;
      waiting.delete(path);
      resolve();
    };
  });
  const noticing = workspace.backend.notice([path], author, { begin });
  const made = noticing
    .then(() => undefined, ifRefused(undefined))
    .finally(() => {
      if (waiting.get(path) === note) waiting.delete(path);
    });
  const note: Note = { begun, made, hasBegun: () => hasBegun };
  if (!hasBegun) waiting.set(path, note);
  return note;
}
