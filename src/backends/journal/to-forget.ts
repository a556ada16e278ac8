// Which of the versions that are to be dropped may really go: what came into use after the look stays.
import type { Entry, Forgotten, KeptVersion, LookedAt, Sha } from "../../core/backend.ts";

/** `versions` that are in the store, with what `usedSince` says of them. `forget` drops `gone`, and answers `told`. */
export function toForget(
  versions: readonly KeptVersion[],
  used: ReadonlySet<Sha>,
  looked?: LookedAt,
): { readonly gone: readonly Sha[]; readonly told: Forgotten } {
  const stays = ({ sha, keptAt }: KeptVersion): boolean =>
    used.has(sha) || (looked?.keptAt?.get(sha) ?? keptAt) !== keptAt;
  const gone = versions.filter((version) => !stays(version));
  const stayed = versions.filter(stays).map(({ sha }) => sha);
  const bytes = gone.reduce((sum, { size }) => sum + size, 0);
  return {
    gone: gone.map(({ sha }) => sha),
    told: { dropped: gone.length, bytes, ...(stayed.length > 0 && { stayed }) },
  };
}

/** The versions that were there before or after a change, by the entries behind the newest one of the look. */
export function usedSince(entries: Iterable<Entry>, looked?: LookedAt): ReadonlySet<Sha> {
  const used = new Set<Sha>();
  const since = looked === undefined ? Number.POSITIVE_INFINITY : (looked.newest?.seq ?? 0);
  for (const { seq, changes } of entries)
    if (seq > since) for (const { from, to } of changes) for (const sha of [from, to]) if (sha !== null) used.add(sha);
  return used;
}
