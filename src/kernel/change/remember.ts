// Remembers what a session has seen once its change is made, or warns that it must read again.
import type { Committed, Path, Seen } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { CHANGE_WARNINGS } from "../../words/change.ts";
import { afterSplices, inDoubt, wholeSeen } from "../read/seen.ts";
import type { Session } from "../session.ts";
import type { Step } from "./plan.ts";

/** What the session will have seen of the files that it writes; `remembered` adds the moved ones. */
export function seenAfter(steps: readonly Step[]): Map<Path, Seen> {
  const all = new Map<Path, Seen>();
  for (const step of steps) {
    const { current, after, splices, repeated, movedFrom } = step.planned;
    if (after === null || movedFrom !== undefined || !isOwn(step)) continue;
    if (splices === undefined) all.set(current.path, inDoubt(wholeSeen(after.sha, step.seen), repeated));
    else if (step.seen !== undefined && step.seen.sha === current.version?.sha)
      all.set(current.path, inDoubt(afterSplices(step.seen, current.text.body, splices, after.sha), repeated));
  }
  return all;
}

/** Updates the ledger: a written file counts as seen, a deleted one is forgotten, a moved one keeps what was seen of it. */
export async function remembered(
  { ledger }: Session,
  steps: readonly Step[],
  committed?: Committed,
): Promise<readonly string[]> {
  const write = async (): Promise<void> => {
    const known = seenAfter(steps);
    for (const step of steps) {
      const { path } = step.planned.current;
      const seen = known.get(path) ?? (await carried(step, ledger));
      const isWritten = committed?.remembered === true && known.has(path);
      if (seen !== undefined && !isWritten) await ledger.set(path, seen);
    }
    for (const { current, planned } of steps) if (planned.after === null) await ledger.delete(current.path);
  };
  return remembering(write, committed !== undefined);
}

async function carried(step: Step, ledger: Session["ledger"]): Promise<Seen | undefined> {
  const { after, movedFrom } = step.planned;
  if (after === null || movedFrom === undefined || !isOwn(step)) return undefined;
  const before = await ledger.get(movedFrom);
  return before?.sha === after.sha ? before : undefined;
}

/** False where others wrote a part of it, or history brought it back: the session has not seen that. */
function isOwn({ planned, place: { target } }: Step): boolean {
  return !planned.current.rebasing && target.action !== "restore" && target.action !== "undo";
}

/** Failures of the place where the ledger is kept, such as a full disk. */
const KINDS: ReadonlySet<Refusal["kind"]> = new Set(["disk_full", "io_error", "busy", "permission_denied"]);

/** Turns a failure of the ledger into a warning; after a change, any failure: the change is made. */
export async function remembering(write: () => Promise<void>, isMade = false): Promise<readonly string[]> {
  try {
    await write();
    return [];
  } catch (error) {
    const isExpected = error instanceof Refusal && KINDS.has(error.kind);
    if (!isMade && !isExpected) throw error;
    const why = error instanceof Refusal ? error.failure.message : String(error);
    return [CHANGE_WARNINGS.not_remembered(isMade, why)];
  }
}
