// Inspects a planned change before the commit: what the caller should know, and what strict refuses.
import { TEXTS } from "../../api/options.ts";
import { LINK_MODE, type LineRange, type Seen } from "../../core/backend.ts";
import type { Deadline } from "../../core/deadline.ts";
import { ifRefused } from "../../core/failure.ts";
import { countLines } from "../../edit/text/lines.ts";
import { CHANGE_WARNINGS, overwritten } from "../../words/change.ts";
import { refuse } from "../../words/index.ts";
import { neverShown } from "../read/seen.ts";
import type { ChangeOptions } from "../session.ts";
import type { Change } from "./change.ts";
import { type Current, isChange, type Planned, type Step } from "./plan.ts";
import type { ChangedFile } from "./report.ts";

/** Runs the caller's own inspection. */
export async function inspected(
  files: readonly ChangedFile[],
  { inspect }: ChangeOptions,
  deadline: Deadline,
): Promise<readonly string[]> {
  if (inspect === undefined) return [];
  const found: unknown = (await deadline.race(inspect([...files]))) ?? [];
  if (TEXTS.safeParse(found).success) return found as readonly string[];
  throw refuse("invalid_argument", { argument: "warnings" });
}

/** Warns that the file had changed since the caller read it, unless a whole new text replaces it. */
export function staleWarnings({ planned, base, changedSinceRead }: Step): string[] {
  const { raw } = planned.current;
  if (base !== undefined) return [CHANGE_WARNINGS.rebased(raw, isChange(planned))];
  const whole = planned.after !== null && planned.splices === undefined && planned.movedFrom === undefined;
  if (!changedSinceRead || whole) return [];
  return [CHANGE_WARNINGS.changed_since_read(raw)];
}

/** Warns of whole texts that replace lines which this session never saw. */
export function overwriteWarnings(change: Change, steps: readonly Step[]): string[] {
  const moved = new Set(steps.map(({ planned }) => planned.movedFrom));
  const staying = steps.filter(({ current }) => !moved.has(current.path));
  return staying.flatMap((step) => overwriteWarning(change, step) ?? []);
}

function overwriteWarning({ session, options }: Change, { planned, current, place, seen }: Step): string | undefined {
  const { raw, version, rebasing } = current;
  const isMove = planned.movedFrom !== undefined || version?.mode === LINK_MODE;
  const { action, proof } = place.target;
  if (isMove || !isChange(planned)) return undefined;
  if (rebasing || proof.by === "waived" || action === "undo" || action === "restore") return undefined;
  const strict = options.strict ?? session.workspace.strict;
  if (seen === undefined && proof.by !== "sha256" && !strict) return undefined;
  const ranges = unseenRanges(planned, seen);
  if (ranges.length === 0) return undefined;
  const unseen = seen !== undefined && seen.sha !== version?.sha ? "newer" : ranges;
  if (strict) throw refuse("unseen_lines", { path: raw, unseen, ranges });
  return overwritten(raw, unseen);
}

/** Lines that a whole new text overwrites and that the session never saw. */
function unseenRanges({ current, splices, after }: Planned, seen: Seen | undefined): readonly LineRange[] {
  const { version } = current;
  if (version === null || splices !== undefined || after === null) return [];
  if (seen?.sha === version.sha) return neverShown(seen);
  return version.size === 0 ? [] : [{ from: 1, to: linesOf(current) }];
}

function linesOf(current: Current): number {
  try {
    return countLines(current.text.body);
  } catch (error) {
    return ifRefused(1)(error);
  }
}
