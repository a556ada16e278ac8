// Which of the versions that are to be dropped may really go: what came into use after the look stays.
import type { Entry, Forgotten, KeptVersion, LookedAt, Sha } from "../../core/backend.ts";

/** `versions` that are in the store, with what `usedSince` says of them. `forget` drops `gone`, and answers `told`. */
export function toForget(
  versions: readonly KeptVersion[],
  used: Pick<ReadonlySet<Sha>, "has">,
  looked?: LookedAt,
): { readonly gone: readonly Sha[]; readonly told: Forgotten } {
  const keptSince = ({ sha, keptAt }: KeptVersion): boolean => {
    const then = looked?.keptAt?.get(sha);
    return then !== undefined && then !== keptAt;
  };
  const stays = (version: KeptVersion): boolean => used.has(version.sha) || keptSince(version);
  const gone = versions.filter((version) => !stays(version));
  const stayed = versions.filter(stays).map(({ sha }) => sha);
  const bytes = gone.reduce((sum, { size }) => sum + size, 0);
  return {
    gone: gone.map(({ sha }) => sha),
    told: { dropped: gone.length, bytes, ...(stayed.length > 0 && { stayed }) },
  };
}

/**
 * The versions that were there before or after a change, by the entries from the newest of the look on. Where that one
 * is not among them, it was taken back, and its number says nothing of what came before the look: any may be in use.
 */
export function usedSince(entries: Iterable<Entry>, looked?: LookedAt): Pick<ReadonlySet<Sha>, "has"> {
  const used = new Set<Sha>();
  if (looked === undefined) return used;
  const { newest } = looked;
  let isThere = newest === null;
  for (const { seq, hash, changes } of entries) {
    isThere ||= hash === newest?.hash;
    if (newest !== null && seq <= newest.seq) continue;
    for (const { from, to } of changes) for (const sha of [from, to]) if (sha !== null) used.add(sha);
  }
  return isThere ? used : { has: () => true };
}
