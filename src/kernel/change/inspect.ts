// Inspects a planned change before the commit: what the caller should know, and what strict refuses.
import { LINK_MODE, type LineRange, type Seen } from "../../core/backend.ts";
import type { Deadline } from "../../core/deadline.ts";
import { Refusal } from "../../core/failure.ts";
import { TEXTS } from "../../core/options.ts";
import { countLines } from "../../edit/text/lines.ts";
import { formatRanges, neverShown } from "../read/seen.ts";
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
  throw new Refusal("invalid_input", "inspect must give a list of warnings, which may be empty.");
}

/** Of a version that the caller does not know. A whole text that replaces it leaves nothing else to be read. */
export function staleWarnings({ planned, base, changedSinceRead }: Step): string[] {
  const { raw } = planned.current;
  if (base !== undefined) {
    const what = isChange(planned) ? "your edit was applied to" : "your edit changes nothing in";
    return [`${raw} had changed since the version you named; ${what} the newer version.`];
  }
  const whole = planned.after !== null && planned.splices === undefined && planned.movedFrom === undefined;
  if (!changedSinceRead || whole) return [];
  return [`${raw} has changed since you read it; read it again to see what else is different.`];
}

/** Of whole texts that replace lines which this session never saw. */
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
  const newer = seen !== undefined && seen.sha !== version?.sha;
  if (!strict) return newer ? newerMessage(raw) : unseenMessage(raw, ranges);
  const message = newer
    ? `${raw} has changed since this session read it, and would be overwritten as a whole.`
    : unseenMessage(raw, ranges, "would be");
  throw new Refusal("unseen_content", message, {
    path: raw,
    next: `Read ${newer ? "it again" : "these lines"} first, or edit only what you have seen.`,
    details: { neverShown: ranges },
  });
}

export function unseenMessage(raw: string, ranges: readonly LineRange[], verb = "was"): string {
  const one = ranges.length === 1 && ranges[0]!.from === ranges[0]!.to;
  const lines = one ? `line ${formatRanges(ranges)} was` : `lines ${formatRanges(ranges)} were`;
  return `${raw} ${verb} overwritten as a whole although its ${lines} never shown to this session.`;
}

/** For a whole text in place of a version that the session has not read, though it has read an older one. */
export function newerMessage(raw: string): string {
  return `${raw} had changed since it was read; that newer content was overwritten and is kept in the history.`;
}

/** What a caller that has seen only a part of a file is about to overwrite. */
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
    if (error instanceof Refusal) return 1;
    throw error;
  }
}
