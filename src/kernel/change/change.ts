// Applies one change: the only way anything in a workspace is created, edited, deleted, moved or restored.
//
//   resolve → lock → read → gate → edit → inspect → commit → remember
//
// The files beside this one are its stages: resolve, admit (reads and gates), plan (edits), inspect, remember, report.
// A commit that loses a race to another writer starts again at "read". Nothing before "commit" has side effects.
import type { Committed } from "../../core/backend.ts";
import type { Deadline } from "../../core/deadline.ts";
import { Refusal } from "../../core/failure.ts";
import { refuse } from "../../words/index.ts";
import type { Changed, ChangeOptions, Edit, Session, Target } from "../session.ts";
import { admitAll } from "./admit.ts";
import { inspected, overwriteWarnings, staleWarnings } from "./inspect.ts";
import { edited, isChange, type Step } from "./plan.ts";
import { remembered, seenAfter } from "./remember.ts";
import { fileReport } from "./report.ts";
import { type Place, resolveTargets } from "./resolve.ts";

/** One change on its way through the stages. */
export interface Change {
  readonly session: Session;
  readonly edit: Edit;
  readonly options: ChangeOptions;
  readonly deadline: Deadline;
}

export async function applyChange(change: Change, targets: readonly Target[]): Promise<Changed> {
  const { session, options, deadline } = change;
  const { changes, limits } = session.workspace;
  const places = await resolveTargets(session, targets, options.maxFiles);
  const attempts = async (): Promise<Changed> => {
    for (let n = 0; n < limits.commitAttempts; n++) {
      deadline.check();
      const changed = await attempt(change, places, n === 0);
      if (changed !== "lost race") return changed;
    }
    throw refuse("others_faster", {});
  };
  const paths = places.map(({ at }) => at.path);
  return changes.run(paths, attempts, (turn) => deadline.race(turn));
}

async function attempt(change: Change, places: readonly Place[], isFirst: boolean): Promise<Changed | "lost race"> {
  const { session, options, deadline } = change;
  const { limits } = session.workspace;
  const files = await admitAll(change, places, isFirst);
  deadline.check();

  const steps = await edited(change, files);
  const reports = await Promise.all(steps.map((step) => fileReport(step, limits, deadline)));
  const warnings = [
    ...steps.flatMap((step) => [...staleWarnings(step), ...step.planned.warnings]),
    ...overwriteWarnings(change, steps),
    ...(await inspected(reports, options, deadline)),
  ];
  deadline.check();
  if (options.dryRun) return { files: reports, warnings };

  const changing = steps.filter(({ planned }) => isChange(planned));
  if (changing.length === 0) {
    deadline.settle();
    return { files: reports, warnings: [...warnings, ...(await remembered(session, steps))] };
  }
  const committed = await commit(change, changing);
  if (committed === "lost race") return committed;
  warnings.push(...(await remembered(session, steps, committed)), ...committed.warnings);
  for (const { planned } of steps) if (planned.after !== null) session.workspace.recent.add(planned.after);
  return { entry: committed.entry, files: reports, warnings };
}

/** Compares and swaps all files, or none. The deadline ends it only while it waits in the queue. */
async function commit(
  { session, options, deadline }: Change,
  steps: readonly Step[],
): Promise<Committed | "lost race"> {
  const { of, details } = options;
  const changes = steps.map(({ planned, place: { target } }) => ({
    path: planned.current.path,
    from: planned.current.version?.sha ?? null,
    before: planned.current.version ?? undefined,
    to: planned.after,
    proof: target.proof.by,
    movedFrom: planned.movedFrom,
    createParents: target.createParents,
  }));
  const shown = { session: session.id, files: seenAfter(steps) };
  try {
    return await session.workspace.backend.commit(
      changes,
      session.author(options),
      { of, details },
      {
        signal: deadline,
        begin: () => deadline.settle(),
        shown,
      },
    );
  } catch (error) {
    if (error instanceof Refusal && error.kind === "stale_file") return "lost race";
    throw error;
  }
}
