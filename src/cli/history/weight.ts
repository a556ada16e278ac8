// Formats the size of the history, and the bytes that dropping old versions would free.
import type { HistoryWeight } from "../../core/backend.ts";
import { plural } from "../../core/plural.ts";
import { sizeInWords } from "../terminal/print.ts";

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

/** From here on the log tells without being asked. */
export const LARGE_BYTES = 64 * 1024 * 1024;

const about = ({ exact }: Pick<HistoryWeight, "exact">, bytes: number): string =>
  `${exact ? "" : "about "}${sizeInWords(bytes)}`;
