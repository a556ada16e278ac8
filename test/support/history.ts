// The history of one root among those of all tests.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { historiesIn, segmentsIn } from "./history-place.ts";

/** The first file of its log. */
export function segmentOf(root: string): string {
  const found = historiesIn(process.env.STET_STATE!).find((history) => {
    const ofRoot = join(history, "root");
    return existsSync(ofRoot) && readFileSync(ofRoot, "utf8") === root;
  });
  if (found === undefined) throw new Error(`There is no history of ${root}.`);
  return segmentsIn(found)[0]!;
}
