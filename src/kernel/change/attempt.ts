// One attempt of a change, under the path lock: read, gate, edit, check, commit, remember.
import type { Committed, Path, Resolved, Seen, Version } from "../../core/backend.ts";
import { LINK_MODE } from "../../core/backend.ts";
import type { Deadline } from "../../core/deadline.ts";
import { Refusal, reworded } from "../../core/failure.ts";
import { TEXTS } from "../../core/options.ts";
import type { SinceVersion } from "../../core/refusal-details.ts";
import type { Action } from "../policy/policy.ts";
import { remembering, rememberingChange } from "../read/not-remembered.ts";
import { afterSplices, wholeSeen } from "../read/seen.ts";
import type { Changed, ChangeOptions, Edit, Session, Target } from "../session.ts";
import { validateNexts } from "./checked-next.ts";
import { CommitDeadline } from "./commit-deadline.ts";
import { noteOthers } from "./external.ts";
import { gate, NOTHING } from "./gate.ts";
import {
  type Current,
  changeOf,
  currentOf,
  isChange,
  type Next,
  newerMessage,
  type Planned,
  plan,
  unseenMessage,
  unseenRanges,
} from "./plan.ts";
import { type ChangedFile, fileReport } from "./report.ts";
import { diffOf, knownVersion, refusalFor, sinceVersion } from "./stale.ts";

export interface Place {
  readonly target: Target;
  readonly at: Resolved;
}

interface Admitted {
  readonly place: Place;
  readonly current: Current;
  /** By this session, when the attempt began. */
  readonly seen: Seen | undefined;
  /** The session read another version, and the proof lets it go on. */
  readonly changedSinceRead?: true;
  /** The version that a stale proof named, when the edit is to be merged into the current one. */
  readonly base?: Version;
}

/** A target that the edit does something with. */
interface Step extends Admitted {
  readonly planned: Planned;
}

export async function attempt(
  session: Session,
  places: readonly Place[],
  edit: Edit,
  options: ChangeOptions,
  { deadline, isFirst }: { readonly deadline: Deadline; readonly isFirst: boolean },
): Promise<Changed | "lost race"> {
  const admitted: Admitted[] = [];
  const stale: Refusal[] = [];
  for (const place of places) {
    try {
      admitted.push(await admit(session, place, options, isFirst));
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind !== "stale_file") throw error;
      stale.push(error);
    }
  }
  if (stale.length > 0) throw allStale(stale, session.workspace.limits.staleDiffBytes);
  deadline.check();

  const steps = await edited(session, admitted, edit, options, deadline);
  const files: ChangedFile[] = [];
  for (const step of steps) {
    const rebased = await rebasedOf(session, step);
    files.push(await fileReport(step.planned, session.workspace.limits.diffBytes, deadline, rebased));
  }
  const warnings = steps.flatMap((step) => [...newerWarnings(step), ...step.planned.warnings]);
  const moved = new Set(steps.map(({ planned }) => planned.movedFrom));
  for (const step of steps.filter(({ current }) => !moved.has(current.path)))
    warnings.push(...overwriteWarnings(session, step, options));
  warnings.push(...(await inspected(files, options, deadline)));
  deadline.check();
  if (options.dryRun) return { files, warnings };

  const changing = steps.filter(({ planned }) => isChange(planned));
  if (changing.length === 0) deadline.settle();
  const committed = changing.length === 0 ? undefined : await commit(session, changing, options, deadline);
  if (committed === "lost race") return committed;
  const remembered = (): Promise<void> => remember(session, steps, committed?.remembered === true);
  warnings.push(...(await (committed === undefined ? remembering(remembered) : rememberingChange(remembered))));
  if (committed === undefined) return { files, warnings };
  for (const { planned } of steps) if (planned.after !== null) session.workspace.recent.add(planned.after);
  return { entry: committed.entry, files, warnings: [...warnings, ...committed.warnings] };
}

const MAX_NAMED = 20;

/** Shows as many whole diffs as fit. The sha256 of a file goes with its diff: without it the file must be read again. */
function allStale(refusals: readonly Refusal[], maxBytes: number): Refusal {
  if (refusals.length === 1) return refusals[0]!;
  let left = maxBytes;
  const stale = refusals.map(({ failure: { path, details } }) => {
    const { diff = "", actualSha256, currentSha256, ...rest } = (details ?? {}) as Partial<SinceVersion>;
    left -= Buffer.byteLength(diff);
    return left < 0 ? { ...rest, path } : { ...details, path };
  });
  const diff = stale.flatMap((each) => ("diff" in each ? [each.diff] : [])).join("");
  const named = refusals.slice(0, MAX_NAMED).map(({ failure }) => failure.message);
  const more = stale.length > MAX_NAMED ? ` The same holds for ${stale.length - MAX_NAMED} more files.` : "";
  const next = "Re-read these files to obtain their current sha256 and re-apply your edit.";
  const details = { stale, ...(diff !== "" && { diff }) };
  return reworded(refusals[0]!, { message: `${named.join(" ")}${more}`, next, details });
}

/** It is given a list of its own: what it does to that changes neither the answer nor the journal. */
async function inspected(
  files: readonly ChangedFile[],
  { inspect }: ChangeOptions,
  deadline: Deadline,
): Promise<readonly string[]> {
  if (inspect === undefined) return [];
  const found: unknown = (await deadline.race(inspect([...files]))) ?? [];
  if (TEXTS.safeParse(found).success) return found as readonly string[];
  throw new Refusal("invalid_input", "inspect must give a list of warnings, which may be empty.");
}

/** What is refused because the file is not as the caller knows it is refused with what happened to it meanwhile. */
async function edited(
  session: Session,
  admitted: readonly Admitted[],
  edit: Edit,
  options: ChangeOptions,
  deadline: Deadline,
): Promise<Step[]> {
  try {
    const targets = admitted.map(asNamed);
    const direct = await editedNow(admitted, edit, deadline);
    const nexts = await validateNexts(await deadline.race(edit(targets)), targets);
    // What history brings back was there before, whatever the limit is now.
    const isBack = options.of !== undefined || admitted.every(({ place }) => place.target.action === "restore");
    const maxBytes = isBack ? Number.POSITIVE_INFINITY : session.workspace.policy.maxFileBytes;
    return await planSteps(admitted, targets, { nexts, direct }, maxBytes, deadline);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { path, details } = error.failure;
    const about = admitted.find(({ current, base }) => (path === undefined ? base : current.raw === path));
    if (about === undefined) throw error;
    const { base, seen, place } = about;
    const { path: at, raw, version: current } = about.current;
    const { action, proof } = place.target;
    const isKnown = seen !== undefined && (proof.by !== "waived" || action === "edit");
    if (error.kind === "not_found" && current === null && isKnown) {
      await noteOthers(session.workspace, at, session.author(options), "a moment");
      throw await refusalFor(session, { ok: false, kind: "not_found" }, { path: at, raw, current, action, seen: true });
    }
    if (base === undefined) throw error;
    const since = await sinceVersion(session, base.sha, { path: at, raw, current });
    throw reworded(error, { details: { ...details, ...since } });
  }
}

/** An edit of a version that is not the newest is made to that one, and then merged into the newest. */
function asNamed({ current, base, place: { at, target } }: Admitted): Current {
  const { raw, rebasing } = current;
  if (base === undefined) return current;
  return currentOf(at, raw, base, { proven: true, rebasing, encoding: target.encoding });
}

/** What the edit would be in the file as it is now, where it is merged: nothing where it does not fit there. */
async function editedNow(admitted: readonly Admitted[], edit: Edit, deadline: Deadline): Promise<readonly Next[]> {
  if (admitted.every(({ base }) => base === undefined)) return [];
  const targets = admitted.map(({ current }) => current);
  try {
    return await validateNexts(await deadline.race(edit(targets)), targets);
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}

async function planSteps(
  admitted: readonly Admitted[],
  targets: readonly Current[],
  { nexts, direct }: { readonly nexts: readonly Next[]; readonly direct: readonly Next[] },
  maxBytes: number,
  deadline: Deadline,
): Promise<Step[]> {
  const steps: Step[] = [];
  for (const [i, one] of admitted.entries()) {
    const next = nexts[i];
    if (next === undefined) continue;
    const { action } = one.place.target;
    const planned = await plan(one.current, next, {
      named: targets[i]!,
      direct: direct[i],
      maxBytes,
      action,
      deadline,
    });
    steps.push({ ...one, planned });
  }
  return steps;
}

/** Reads what is there and checks the proof against it. With `isFirst`, what was there when the call began will do. */
async function admit(
  session: Session,
  { target, at }: Place,
  options: ChangeOptions,
  isFirst: boolean,
): Promise<Admitted> {
  const { workspace } = session;
  const { path: raw, proof } = target;
  // What is too large to be shown can still be moved out of the way, and what history brought can be taken back.
  const wholly = WHOLLY.has(target.action);
  const maxBytes = wholly ? workspace.limits.pagedBytes : workspace.policy.maxFileBytes;
  const [version, seenThere] = await Promise.all([
    workspace.backend.read(at.path, { maxBytes, ...(isFirst && { at }) }),
    session.ledger.get(at.path, isFirst ? at : undefined),
  ]);
  const isLink = version?.mode === LINK_MODE;
  if (isLink && !target.link) {
    throw new Refusal("path_changed", `${raw} became a symbolic link while it was being changed.`, {
      path: raw,
      next: "Try again.",
    });
  }
  const namesLink = isLink && proof.by === "sha256" && proof.sha256 === version.sha;
  const shown = isLink && !namesLink ? await throughLink(session, raw, version) : { path: at.path, version };
  const seen = shown.path === at.path ? seenThere : await session.ledger.get(shown.path);
  const strict = options.strict ?? workspace.strict;
  const verdict = gate(proof, { current: shown.version, seen, strict });
  if (verdict.ok) {
    return {
      place: { target, at },
      seen,
      current: currentOf(at, raw, version, { proven: verdict.proven, rebasing: false, encoding: target.encoding }),
      ...(verdict.warning !== undefined && { changedSinceRead: true }),
    };
  }
  const bareLink = isLink && shown.version === version;
  const rebases = verdict.kind === "stale_file" && verdict.expected !== NOTHING && version !== null && !bareLink;
  if (rebases && (options.onStale ?? workspace.onStale) === "rebase") {
    const base = await knownVersion(session, at.path, verdict.expected);
    // A sha256 that names no version of this file proves nothing, and without that version nothing can be merged.
    if (base !== null) {
      return {
        place: { target, at },
        seen,
        current: currentOf(at, raw, version, { proven: false, rebasing: true, encoding: target.encoding }),
        base,
      };
    }
  }
  await noteOthers(workspace, at.path, session.author(options), "a moment");
  throw await refusalFor(session, verdict, {
    path: at.path,
    raw,
    current: version,
    action: target.action,
    arrival: proof.by === "absence",
    seen: seen !== undefined,
    bareLink,
  });
}

const WHOLLY: ReadonlySet<Action> = new Set(["delete", "move", "restore", "undo"]);

/** What a reader of the link sees, which is what a proof about it names; the link itself where there is nothing to see. */
async function throughLink(
  session: Session,
  raw: string,
  link: Version,
): Promise<{ path: Path; version: Version | null }> {
  const { backend, policy } = session.workspace;
  try {
    const { path, kind } = await backend.resolve(raw);
    if (kind === "file" && policy.allows(path, "read")) return { path, version: await backend.read(path) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  return { path: raw as Path, version: link };
}

/** Of a version that the caller does not know. A whole text that replaces it leaves nothing else to be read. */
function newerWarnings({ planned, base, changedSinceRead }: Step): string[] {
  const { raw } = planned.current;
  if (base !== undefined) {
    const what = isChange(planned) ? "your edit was applied to" : "your edit changes nothing in";
    return [`${raw} had changed since the version you named; ${what} the newer version.`];
  }
  const whole = planned.after !== null && planned.splices === undefined && planned.movedFrom === undefined;
  if (!changedSinceRead || whole) return [];
  return [`${raw} has changed since you read it; read it again to see what else is different.`];
}

function overwriteWarnings(
  session: Session,
  { planned, current, place, seen }: Step,
  options: ChangeOptions,
): string[] {
  const isMove = planned.movedFrom !== undefined || current.version?.mode === LINK_MODE;
  const { action, proof } = place.target;
  if (isMove || !isChange(planned)) return [];
  if (current.rebasing || proof.by === "waived" || action === "undo" || action === "restore") return [];
  const strict = options.strict ?? session.workspace.strict;
  if (seen === undefined && proof.by !== "sha256" && !strict) return [];
  const ranges = unseenRanges(planned, seen);
  if (ranges.length === 0) return [];
  const newer = seen !== undefined && seen.sha !== current.version?.sha;
  if (!strict) return [newer ? newerMessage(current.raw) : unseenMessage(current.raw, ranges)];
  const message = newer
    ? `${current.raw} has changed since this session read it, and would be overwritten as a whole.`
    : unseenMessage(current.raw, ranges).replace("was overwritten", "would be overwritten");
  throw new Refusal("unseen_content", message, {
    path: current.raw,
    next: `Read ${newer ? "it again" : "these lines"} first, or edit only what you have seen.`,
    details: { neverShown: ranges },
  });
}

async function rebasedOf(session: Session, { base, current }: Admitted): Promise<ChangedFile["rebased"]> {
  if (base === undefined) return undefined;
  const theirDiff = await diffOf(base, current.version!, current.raw, session.workspace.limits);
  return { base: base.sha, ...(theirDiff !== undefined && { theirDiff: theirDiff.text }) };
}

async function commit(
  session: Session,
  steps: readonly Step[],
  options: ChangeOptions,
  deadline: Deadline,
): Promise<Committed | "lost race"> {
  const { backend } = session.workspace;
  const changes = steps.map(({ planned, place: { target } }) =>
    changeOf(planned, target.proof.by, target.createParents),
  );
  const { of, details } = options;
  const note = {
    ...(of !== undefined && { of }),
    ...(details !== undefined && { details }),
  };
  const waiting = new CommitDeadline(deadline, { session: session.id, files: foreseen(steps) });
  try {
    return await backend.commit(changes, session.author(options), note, waiting);
  } catch (error) {
    if (error instanceof Refusal && error.kind === "stale_file") return "lost race";
    throw error;
  } finally {
    waiting.over();
  }
}

/** Writing shows a file to its writer; deleting takes it from memory; moving carries what was seen along. */
async function remember({ ledger }: Session, steps: readonly Step[], remembered: boolean): Promise<void> {
  const known = foreseen(steps);
  for (const step of steps) {
    const { path } = step.planned.current;
    const seen = known.get(path) ?? (await carried(step, ledger));
    if (seen !== undefined && !(remembered && known.has(path))) await ledger.set(path, seen);
  }
  for (const { current, planned } of steps) if (planned.after === null) await ledger.delete(current.path);
}

/** What the session will have seen of what it wrote; what is moved is carried along afterwards. */
function foreseen(steps: readonly Step[]): Map<Path, Seen> {
  const all = new Map<Path, Seen>();
  for (const step of steps) {
    const { current, after, splices, movedFrom } = step.planned;
    if (after === null || movedFrom !== undefined || !isOwn(step)) continue;
    if (splices === undefined) all.set(current.path, wholeSeen(after.sha, step.seen, 1));
    else if (step.seen !== undefined && step.seen.sha === current.version?.sha)
      all.set(current.path, afterSplices(step.seen, current.text.body, splices, after.sha));
  }
  return all;
}

async function carried(step: Step, ledger: Session["ledger"]): Promise<Seen | undefined> {
  const { after, movedFrom } = step.planned;
  if (after === null || movedFrom === undefined || !isOwn(step)) return undefined;
  const before = await ledger.get(movedFrom);
  return before?.sha === after.sha ? before : undefined;
}

/** Else the session has not seen what is there now, because others wrote it or history brought it back. */
function isOwn({ planned, place: { target } }: Step): boolean {
  return !planned.current.rebasing && target.action !== "restore" && target.action !== "undo";
}
