// Prints what became of the edit calls that real models made, by stet as built in dist.
import { importStet } from "./engines/stet.mjs";
import { realEditsMissing, replayRealEdits } from "./real.mjs";
import { percent, printTable } from "./report.mjs";

/** @returns {Promise<{ figures?: import("./real.d.mts").RealFigures, levels?: Map<string, number>, missed: string[] }>} */
export async function printRealEdits() {
  if (realEditsMissing) {
    console.log("\nThere are no recorded calls of real models here: none were replayed.");
    return { missed: [] };
  }
  /** @type {Map<string, number>} */
  const levels = new Map();
  const figures = replayRealEdits(await enginesInDist(levels));
  const { applied, patches, refused } = figures;
  const same = applied.calls - new Set(applied.differing.map((each) => each.split(" ")[0])).size;
  printTable(
    ["calls of real models", "n", "figure"],
    [
      ["applied by their tool: same bytes", String(applied.calls), String(same)],
      ["patches: read", String(patches.calls), String(patches.parsed)],
      ["patches: expected bytes", String(patches.calls), `${percent(patches.applied, patches.calls)} %`],
      [
        "refused by their tool: applied rightly / wrongly",
        String(refused.calls),
        `${refused.right.length} / ${refused.wrong.length}`,
      ],
    ],
  );
  console.log(
    `  ${patches.known} patches have their files recorded; of the others the files are put together from the patch.`,
  );
  for (const each of [...applied.differing, ...patches.not, ...refused.wrong]) console.log(`  not so: ${each}`);
  return { figures, levels, missed: missedBy(figures) };
}

/** @param {import("./real.d.mts").RealFigures} figures */
function missedBy({ applied, patches, refused }) {
  return [
    ...(applied.differing.length > 0 ? ["real edits that were applied give other bytes"] : []),
    ...(patches.applied < 0.95 * patches.calls ? ["under 95 % of real patches are applied"] : []),
    ...(refused.right.length < 15 ? ["under 15 of the real edits that were refused are applied"] : []),
    ...(refused.wrong.length > 0 ? [`${refused.wrong.length} real edits that were refused are applied wrongly`] : []),
  ];
}

/** @param {Map<string, number>} levels counts what decided @returns {Promise<import("./real.d.mts").RealEngines>} */
async function enginesInDist(levels) {
  const { replaceText, replaceEdits, applySplices, parsePatch, planPatch } = await importStet();
  const { relativeTo } = await import(new URL("../../dist/backends/paths.js", import.meta.url).href);
  return {
    replaceText(text, oldText, newText, options) {
      const result = replaceText(text, oldText, newText, options);
      if (!result.ok) return undefined;
      levels.set(result.strategy, (levels.get(result.strategy) ?? 0) + 1);
      return result.text;
    },
    replaceEdits(text, { old: oldText, new: newText, all: replaceAll }) {
      try {
        return applySplices(text, replaceEdits(text, [{ oldText, newText, replaceAll }]).splices);
      } catch {
        return undefined;
      }
    },
    parsePatch,
    planPatch,
    relativeTo,
  };
}
