// Hints about a history as a whole: its size, what dropping old versions would free, and another one that could be its own.
import { findHistory, listHistories } from "../../../backends/disk/home.ts";
import type { HistoryWeight } from "../../../core/backend.ts";
import { shown } from "../../../core/printable.ts";
import { plural } from "../../../words/plural.ts";
import { sizeInWords } from "../../terminal/print.ts";

/** "50001 entries and 50000 versions, about 232.0 MiB on disk". */
export function weightInWords({ entries, versions, bytes, exact, all }: HistoryWeight): string {
  const held = `${plural(entries, "entry")} and ${all ? "" : "more than "}${plural(versions, "version")}`;
  return `${held}, ${all ? "" : "more than "}${about({ exact }, bytes)} on disk`;
}

/** Undefined where it would be nothing. What an open checkpoint needs is in it, so it is not promised. */
export function freedInWords(weight: HistoryWeight): string | undefined {
  if (weight.spareBytes === 0) return undefined;
  return `stet gc can free up to ${about(weight, weight.spareBytes)}: versions that no file has any more.`;
}

const about = ({ exact }: Pick<HistoryWeight, "exact">, bytes: number): string =>
  `${exact ? "" : "about "}${sizeInWords(bytes)}`;

/** Where a root has no history and another names the same path: the directory was deleted and made anew. */
export function linkHint(stateDir: string | undefined, root: string | undefined) {
  if (stateDir === undefined || root === undefined || findHistory(stateDir, root) !== null) return undefined;
  const old = listHistories(stateDir).find((history) => history.root === root);
  if (old === undefined) return undefined;
  return {
    what: `There is a history of another directory that was at ${shown(root)}, last used ${old.usedAt.slice(0, 10)}.`,
    next: `To go on with it: stet history link ${old.id}`,
  };
}
