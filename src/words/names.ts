// Words for paths that may have been meant.
import { numberOf } from "./visible.ts";

export function didYouMean(paths: readonly string[]): string {
  const named = paths.map((path) => path + accentsOf(path));
  return `Did you mean ${new Intl.ListFormat("en-GB", { type: "disjunction" }).format(named)}?`;
}

/** Names letters by number that look alike in two forms. */
function accentsOf(path: string): string {
  const odd = [...new Set(path)].filter((char) => /\p{M}/u.test(char) || char.normalize("NFD") !== char);
  return odd.length === 0 ? "" : ` (with ${odd.slice(0, 3).map(numberOf).join(", ")})`;
}
