// A hint for a root without a history where another history names the same path: it was deleted and made anew.
import { findHistory, listHistories } from "../../backends/disk/home.ts";
import { shown } from "../../core/printable.ts";

export interface LinkHint {
  readonly what: string;
  readonly next: string;
}

export function linkHint(stateDir: string, root: string): LinkHint | undefined {
  if (findHistory(stateDir, root) !== null) return undefined;
  const old = listHistories(stateDir).find((history) => history.root === root);
  if (old === undefined) return undefined;
  return {
    what: `There is a history of another directory that was at ${shown(root)}, last used ${old.usedAt.slice(0, 10)}.`,
    next: `To go on with it: stet history link ${old.id}`,
  };
}
