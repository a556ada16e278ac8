// Results name no directory of the machine they come from: what tools print of scratch directories and of the repository is cut.
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const repository = dirname(fileURLToPath(new URL("..", import.meta.url)));

/** @param {string} report */
export function withoutOwnPaths(report) {
  const temporary = [realpathSync(tmpdir()), tmpdir()].map(escaped).join("|");
  // A scratch directory, with the root or the outside of a case in it; also where a note was cut in the middle of it.
  const scratch = new RegExp(
    `(?:${temporary})(?:/stet-[\\w-]*(?:/(?:root|outside)[\\w-]*|/\\w*(?=…))?…?|(?:/\\w*)?…)`,
    "g",
  );
  return report.replace(scratch, "…").replaceAll(repository, "…");
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
