// Explains a refused proof: what is there now, what changed since the caller looked, and who changed it.
import type { Backend, Entry, Path, Sha, Version } from "../../core/backend.ts";
import { Deadline } from "../../core/deadline.ts";
import { ifRefused, type Refusal } from "../../core/failure.ts";
import { LIMITS, type Limits } from "../../core/limits.ts";
import type { ChangedBy, SinceVersion } from "../../core/refusal-details.ts";
import { isSha } from "../../core/version.ts";
import type { UnifiedDiff as Diff } from "../../edit/diff/unified.ts";
import { refuse } from "../../words/index.ts";
import { entryAt } from "../history/journal.ts";
import type { Action } from "../policy/policy.ts";
import { runInWorker } from "../run-in-worker.ts";
import type { Session } from "../session.ts";
import { decode } from "../text/text.ts";
import { NOTHING, type Verdict } from "./gate.ts";

interface At {
  readonly path: Path;
  readonly raw: string;
  readonly current: Version | null;
  /** What was to be done; an edit unless given. */
  readonly action?: Action;
  /** The session has read it. */
  readonly seen?: boolean;
  /** The place was to be free. */
  readonly arrival?: boolean;
  /** It is a symbolic link with no file behind it that could be read. */
  readonly bareLink?: boolean;
}

export async function refusalFor(session: Session, verdict: Extract<Verdict, { ok: false }>, at: At): Promise<Refusal> {
  const { raw: path, current, action, arrival: isArrival } = at;
  const isUnread = verdict.kind === "unread_file";
  if (at.bareLink && (isUnread || verdict.kind === "stale_file"))
    return refuse("bare_link", { path, isUnread, action, sha256: current!.sha });
  switch (verdict.kind) {
    case "already_exists":
      return refuse("place_taken", { path, action, isFile: current !== null });
    case "not_found":
      return missing(session, at);
    case "unread_file":
      return refuse("unread", { path, size: current!.size, action });
    case "stale_file": {
      const since = await sinceVersion(session, verdict.expected, at);
      if (verdict.expected === NOTHING) return refuse("expected_no_file", { path, action, isArrival, ...since });
      return refuse("changed_since", { path, action, isOwn: isOwn(since.changedBy, session), ...since });
    }
  }
}

async function missing(session: Session, { path, raw, action = "edit", seen }: At): Promise<Refusal> {
  const { deletedBy, movedTo } = await followMoves(session, path);
  if (!seen) return refuse("file_missing", { path: raw, action, deletedBy });
  return refuse("gone", { path: raw, action, deletedBy, isOwn: isOwn(deletedBy, session), movedTo });
}

/** Who last moved or deleted a file that is gone, and where it is now: not if it may not be read there. */
export async function followMoves({ workspace: { backend, policy } }: Session, from: Path) {
  for (let path = from, last: Entry | undefined; ; ) {
    const entry = await lastChange(backend, path, null);
    const to = entry?.changes.find(({ movedFrom }) => movedFrom === path)?.path;
    const movedTo = !entry && last && policy.allows(path, "read") ? path : undefined;
    last = entry ?? last;
    if (to === undefined) return { deletedBy: last && authorOf(last), movedTo };
    path = to;
  }
}

/** Shows as many whole diffs as fit. A file without its diff has no sha256 either: it must be read again. */
export function staleTogether(refusals: readonly Refusal[], maxBytes: number): Refusal {
  if (refusals.length === 1) return refusals[0]!;
  let left = maxBytes;
  const files = refusals.map(({ reason, facts }) => {
    const { diff = "", actualSha256, currentSha256, ...rest } = facts as Partial<SinceVersion>;
    left -= Buffer.byteLength(diff);
    return { reason: reason!, facts: left < 0 ? rest : facts! };
  });
  return refuse("stale_together", { path: refusals[0]!.failure.path!, files }, refusals[0]);
}

/**
 * Explains a stale proof: the diff and who made the change. Gives the current sha256 only with the whole diff, and never
 * in a strict workspace: there the file must be read again.
 */
export async function sinceVersion(
  session: Session,
  expected: string,
  { path, raw, current }: Omit<At, "action">,
): Promise<SinceVersion> {
  const { backend, limits, strict } = session.workspace;
  const base = await knownVersion(session, path, expected);
  const sha = current?.sha ?? null;
  const last = await lastChange(backend, path, sha);
  const diff = base !== null && current !== null ? await diffOf(base, current, raw, limits) : undefined;
  const isShown = current === null || (diff?.truncated === false && !strict);
  return {
    expectedSha256: expected,
    ...(isShown && { actualSha256: sha, currentSha256: sha }),
    ...(diff !== undefined && { diff: diff.text }),
    // No change led away from a sha256 that never was a version of this path.
    ...(last !== undefined && (base !== null || expected === NOTHING) && { changedBy: authorOf(last) }),
  };
}

/** The version that a proof names, if this path had it: the sha256 of another file must show nothing of that file. */
export async function knownVersion(session: Session, path: Path, sha: string): Promise<Version | null> {
  const { backend, recent } = session.workspace;
  if (!isSha(sha) || !(await belongsTo(session, path, sha))) return null;
  return recent.get(sha) ?? (await backend.recall(sha).catch(() => null));
}

async function belongsTo(session: Session, path: Path, sha: Sha): Promise<boolean> {
  const seen = await session.ledger.get(path);
  if (seen?.sha === sha) return true;
  for await (const { changes } of session.workspace.backend.log({ path, newestFirst: true, limit: LOOK_BACK })) {
    if (changes.some((change) => change.path === path && (change.from === sha || change.to === sha))) return true;
  }
  return false;
}

/** Entries of a path that are searched for the version a stale proof names. */
export const LOOK_BACK = 200;

/** Unified diff between two versions, or undefined where one of them is not text. */
export async function diffOf(from: Version, to: Version, path: string, limits: Limits): Promise<Diff | undefined> {
  if (Math.max(from.size, to.size) > LIMITS.sliceBytes) return undefined;
  return textDiff(from, to, path, limits).catch(ifRefused(undefined));
}

async function textDiff(from: Version, to: Version, path: string, limits: Limits): Promise<Diff> {
  const [before, after] = [from, to].map(({ parts }) => decode(parts, { path }).body) as [string, string];
  const options = { path, maxBytes: limits.staleDiffBytes };
  const diff = await runInWorker("unifiedDiff", [before, after, options], new Deadline(limits.callMs));
  // Both sides of such a diff look alike.
  const isEndings = before !== after && before.replace(/\r\n?/g, "\n") === after.replace(/\r\n?/g, "\n");
  return isEndings ? { ...diff, text: `Only line endings changed:\n${diff.text}` } : diff;
}

async function lastChange(backend: Backend, path: Path, sha: Sha | null): Promise<Entry | undefined> {
  const head = await backend.head(path);
  return head?.sha === sha ? entryAt(backend, head.seq) : undefined;
}

/** Who noticed what another program did is not who did it. */
function authorOf({ seq, at, outcome, session, agent, tool }: Entry): ChangedBy {
  if (outcome === "external") return { seq, at, external: true, noticedBy: session };
  return { seq, at, session, tool, ...(agent !== undefined && { agent }) };
}

function isOwn(by: ChangedBy | undefined, { id }: Session): boolean {
  return by !== undefined && !by.external && by.session === id;
}
