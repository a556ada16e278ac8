// Notes what other programs changed: at once where the workspace is free, else later, and no call waits for that.
import type { Author, Path } from "../../core/backend.ts";
import { ifRefused } from "../../core/failure.ts";
import type { Workspace } from "../workspace.ts";

export type Patience = "this turn" | "a moment";

/** A note of one path. While it has not begun, it is enough for all who read that path. */
export interface Note {
  readonly begun: Promise<void>;
  readonly made: Promise<void>;
}

/**
 * Waits for a note that is being made, not for one that cannot begin: what was read, or refused, is right all the same.
 * Where the note cannot be written at all, the next change notices what it would say.
 */
export async function noteOthers(workspace: Workspace, path: Path, author: Author, patience: Patience): Promise<void> {
  if (!workspace.journalling) return;
  const note = workspace.notes.get(path) ?? started(workspace, path, author);
  if (await isInTime(Promise.race([note.begun, note.made]), patience)) await note.made;
}

/** Whether the work ends in this turn, or in a moment. A failure that comes later is dropped. */
export async function isInTime(work: Promise<unknown>, patience: Patience): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const later = new Promise<boolean>((resolve) => {
    if (patience === "this turn") setImmediate(resolve, false);
    else timer = setTimeout(resolve, MOMENT_MS, false);
  });
  try {
    return await Promise.race([work.then(() => true), later]);
  } finally {
    clearTimeout(timer);
  }
}

/** Longer than the changes of others take, short enough for an answer. */
const MOMENT_MS = 250;

function started({ backend, notes }: Workspace, path: Path, author: Author): Note {
  let note: Note | undefined;
  let isWaiting = true;
  let begin!: () => void;
  const begun = new Promise<void>((resolve) => {
    begin = () => {
      forget();
      resolve();
    };
  });
  const forget = (): void => {
    isWaiting = false;
    if (notes.get(path) === note) notes.delete(path);
  };
  const made = backend.notice([path], author, { begin }).then(() => undefined, ifRefused(undefined));
  note = { begun, made: made.finally(forget) };
  if (isWaiting) notes.set(path, note);
  return note;
}
