// Resolves the targets of a change to places, each once and permitted by the policy.
import type { Path, Resolved } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { validate } from "../../core/options.ts";
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
  if (targets.length > maxFiles) {
    throw new Refusal("too_many_files", `${targets.length} files in one change; the limit is ${maxFiles}.`, {
      next: "Split it into smaller changes.",
    });
  }
  const places: Place[] = [];
  const taken = new Map<Path, string>();
  for (const target of targets) {
    validate(target, TARGET, { noObject: "A target is given as an object." });
    validate(target.proof, PROOF, { noObject: "A change needs a proof.", noun: "field of a proof" });
    const at = await session.permit(target);
    await refuseTaken(session, target, at);
    const other = taken.get(at.path);
    if (other !== undefined) {
      throw new Refusal("invalid_input", `${other} and ${target.path} name the same file in one change.`, {
        path: target.path,
        next: "Name every file once.",
      });
    }
    taken.set(at.path, target.path);
    places.push({ target, at });
  }
  return places;
}

/** Nothing is made in the place of a directory; nor where a link that leads nowhere happens to point. */
async function refuseTaken({ workspace }: Session, { path, link, proof }: Target, at: Resolved): Promise<void> {
  if (proof.by !== "absence") return;
  if (at.kind === "directory") {
    throw new Refusal("already_exists", `${path} is a directory.`, {
      path,
      next: "Name a file in it, or choose another path.",
      details: { directory: true },
    });
  }
  if (link || at.kind !== "absent" || !at.throughLink) return;
  const itself = await workspace.backend.resolve(path, { link: true });
  if (itself.kind !== "link") return;
  throw new Refusal("already_exists", `${path} is a symbolic link that leads to ${at.path}, where nothing is.`, {
    path,
    next: `Use ${at.path} itself, or another path.`,
  });
}
