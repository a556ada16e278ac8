// Resolves the targets of a change to places, each once and permitted by the policy.
import { validate } from "../../api/options.ts";
import type { Path, Resolved } from "../../core/backend.ts";
import { refuse } from "../../words/index.ts";
import { PROOF, TARGET } from "../options.ts";
import type { Session, Target } from "../session.ts";

export interface Place {
  readonly target: Target;
  readonly at: Resolved;
}

export async function resolveTargets(
  session: Session,
  targets: readonly Target[],
  maxFiles = session.workspace.limits.maxFilesPerChange,
): Promise<Place[]> {
  if (targets.length > maxFiles) throw refuse("many_targets", { files: targets.length, max: maxFiles });
  const places: Place[] = [];
  const taken = new Map<Path, string>();
  for (const target of targets) {
    validate(target, TARGET, { noObject: "A target is given as an object." });
    validate(target.proof, PROOF, { noObject: "A change needs a proof.", noun: "field of a proof" });
    const at = await session.permit(target);
    await refuseTaken(session, target, at);
    const other = taken.get(at.path);
    if (other !== undefined) throw refuse("named_twice", { path: target.path, other, action: target.action });
    taken.set(at.path, target.path);
    places.push({ target, at });
  }
  return places;
}

/** Refuses to make a file where a directory is, or where a link to nothing happens to lead. */
async function refuseTaken({ workspace }: Session, { path, action, link, proof }: Target, at: Resolved): Promise<void> {
  const isArrival = proof.by === "absence" || (action === "move" && proof.by === "waived" && !link);
  if (isArrival && at.kind === "directory") throw refuse("directory_there", { path, action });
  if (proof.by !== "absence") return;
  if (link || at.kind !== "absent" || !at.throughLink) return;
  const itself = await workspace.backend.resolve(path, { link: true });
  if (itself.kind === "link") throw refuse("link_to_nothing", { path, target: at.path });
}
