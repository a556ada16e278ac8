// History that was made in another place and taken over: the journal tells of it, but none of it happened here.
import type { Entry } from "../../../core/backend.ts";

export function isFromElsewhere(entry: Entry & { readonly elsewhere?: true }): boolean {
  return entry.elsewhere === true;
}

/** The mark of it, to be spread into what is told about an entry. */
export function elsewhereOf(entry: Entry): { readonly elsewhere?: true } {
  return isFromElsewhere(entry) ? { elsewhere: true } : {};
}
