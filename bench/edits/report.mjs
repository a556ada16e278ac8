// Prints the tables: one row per engine, then one row per class with all engines beside each other.

/**
 * @typedef {ReturnType<typeof import("./judge.mjs").summarize>} Summary
 * @typedef {{ name: string, version: string, about: string, totals: Summary, classes: Map<string, Summary> }} EngineReport
 */

/** @param {readonly EngineReport[]} reports */
export function printEngines(reports) {
  const rows = reports.map(({ name, version, totals }) => [
    name,
    version,
    percent(totals.correct, totals.applicable),
    percent(totals.refused, totals.applicable),
    percent(totals.wrong, totals.applicable),
    String(totals.cosmetic),
    String(totals.outside),
    `${totals.accepted} of ${totals.mustRefuse}`,
    String(totals.wrong + totals.accepted),
    String(totals.threw),
    totals.meanMs.toFixed(2),
  ]);
  const head = ["engine", "version", "correct %", "refused %", "wrong %", "cosmetic", "outside"];
  printTable([...head, "wrong accepts", "all wrong", "threw", "mean ms"], rows);
  console.log(
    [
      "  correct, refused, wrong: of the applicable trials, byte for byte.",
      "  cosmetic: wrong only in trailing whitespace or blank lines inside the region; outside: bytes beyond the region changed (both are in wrong).",
      "  wrong accepts: applied although the trial must be refused. mean ms: peers that work on files include their reading and writing.",
    ].join("\n"),
  );
}

/** @param {readonly EngineReport[]} reports */
export function printClasses(reports) {
  const classes = [...(reports[0]?.classes.keys() ?? [])];
  const rows = classes.map((cls) => {
    const size = /** @type {Summary} */ (reports[0]?.classes.get(cls));
    const mark = size.applicable === 0 ? "✗ " : "  ";
    const cells = reports.map(({ classes: all }) => cell(/** @type {Summary} */ (all.get(cls))));
    return [`${mark}${cls}`, String(size.applicable + size.mustRefuse), ...cells];
  });
  const totals = reports.map((report) => cell(report.totals));
  const size = reports[0]?.totals;
  rows.push(["  total", String((size?.applicable ?? 0) + (size?.mustRefuse ?? 0)), ...totals]);
  printTable(["  class", "n", ...reports.map(({ name }) => name)], rows);
  console.log("  ok / refused / wrong. ✗ = must be refused: a refusal is ok there.");
}

/** How many edits each level of the ladder decided. @param {ReadonlyMap<string, ReadonlyMap<string, number>>} counts */
export function printLevels(counts) {
  const columns = [...counts.values()];
  const levels = [...new Set(columns.flatMap((column) => [...column.keys()]))];
  const rows = levels.map((level) => [level, ...columns.map((column) => String(column.get(level) ?? 0))]);
  if (rows.length > 0) printTable(["decided by level", ...counts.keys()], rows);
}

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
export function printTable(head, rows) {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => (row[i] ?? "").length)));
  const line = (/** @type {readonly string[]} */ cells) =>
    cells.map((text, i) => (i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0))).join("  ");
  console.log(["", line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n"));
}

/** @param {Summary} summary */
function cell({ correct, refusedRightly, refused, wrong, accepted, threw }) {
  return `${correct + refusedRightly} / ${refused} / ${wrong + accepted}${threw > 0 ? ` !${threw}` : ""}`;
}

/** @param {number} part @param {number} whole */
export const percent = (part, whole) => (whole === 0 ? "-" : ((100 * part) / whole).toFixed(1));
