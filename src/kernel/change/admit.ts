// Reads every target of a change and gates it: what the edit sees, what the gate checks and what the commit compares.
import { LINK_MODE, type Path, type Seen, type Version } from "../../core/backend.ts";
import { ifRefused, Refusal } from "../../core/failure.ts";
import { refuse } from "../../words/index.ts";
import type { Action } from "../policy/policy.ts";
import type { Session } from "../session.ts";
import type { Change } from "./change.ts";
import { noteOthers } from "./external.ts";
import { gate, NOTHING } from "./gate.ts";
import { type Current, currentOf } from "./plan.ts";
import type { Place } from "./resolve.ts";
import { knownVersion, refusalFor, staleTogether } from "./stale.ts";

export interface Admitted {
  readonly place: Place;
  readonly current: Current;
  /** What the session had seen when the attempt began. */
  readonly seen: Seen | undefined;
  /** The session read another version, and the proof lets it go on. */
  readonly changedSinceRead?: boolean;
  /** The version that a stale proof named, when the edit is to be merged into the current one. */
  readonly base?: Version;
}

/** Refuses the whole change if one proof does not fit, and names every file that is stale, not only the first. */
export async function admitAll(change: Change, places: readonly Place[], isFirst: boolean): Promise<Admitted[]> {
  const admitted: Admitted[] = [];
  const stale: Refusal[] = [];
  for (const place of places) {
    try {
      admitted.push(await admit(change, place, isFirst));
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind !== "stale_file") throw error;
      stale.push(error);
    }
  }
  if (stale.length > 0) throw staleTogether(stale, change.session.workspace.limits.staleDiffBytes);
  return admitted;
}

/** `isFirst`: the backend may answer with what it found when the target was resolved. */
async function admit({ session, options }: Change, place: Place, isFirst: boolean): Promise<Admitted> {
  const { workspace, ledger } = session;
  const { target, at } = place;
  const { path: raw, proof, encoding } = target;
  // A file too large to show can still be moved away, deleted, or brought back by history.
  const maxBytes = WHOLLY.has(target.action) ? workspace.limits.pagedBytes : workspace.policy.maxFileBytes;
  const [version, seenThere] = await Promise.all([
    workspace.backend.read(at.path, { maxBytes, at: isFirst ? at : undefined }),
    ledger.get(at.path, isFirst ? at : undefined),
  ]);
  const isLink = version?.mode === LINK_MODE;
  if (isLink && !target.link) throw refuse("became_link", { path: raw });
  const namesLink = isLink && proof.by === "sha256" && proof.sha256 === version.sha;
  const shown =
    isLink && !namesLink
      ? await throughLink(session, raw, version).catch(ifRefused({ path: raw as Path, version }))
      : { path: at.path, version };
  const seen = shown.path === at.path ? seenThere : await ledger.get(shown.path);
  const verdict = gate(proof, { current: shown.version, seen, strict: options.strict ?? workspace.strict });
  if (verdict.ok) {
    const current = currentOf(at, raw, version, { proven: verdict.proven, rebasing: false, encoding });
    return { place, seen, current, changedSinceRead: verdict.warning !== undefined };
  }
  const bareLink = isLink && shown.version === version;
  const mayRebase = verdict.kind === "stale_file" && verdict.expected !== NOTHING && version !== null && !bareLink;
  if (mayRebase && (options.onStale ?? workspace.onStale) === "rebase") {
    const base = await knownVersion(session, at.path, verdict.expected);
    // A sha256 that names no version of this file proves nothing, and without that version nothing can be merged.
    if (base !== null) {
      const current = currentOf(at, raw, version, { proven: false, rebasing: true, encoding });
      return { place, seen, current, base };
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

/** The file behind a link, which a proof of its reader names; the link itself where no file can be read. */
async function throughLink({ workspace: { backend, policy } }: Session, raw: string, link: Version) {
  const { path, kind } = await backend.resolve(raw);
  if (kind === "file" && policy.allows(path, "read")) return { path, version: await backend.read(path) };
  return { path: raw as Path, version: link };
}
