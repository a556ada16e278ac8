// The trust table in words, and below it what each wrong or lost case printed.
import { heading, table } from "./table.mjs";

const MARKS = { right: "right", refused: "refused", wrong: "**wrong**", lost: "**LOST**", "n/a": "–" };

/** @param {any} figures */
export function trustTables({ cases, reports, missed }) {
  const ran = reports.filter((/** @type {any} */ { rows }) => rows.length > 0);
  const verdictOf = (/** @type {any} */ report, /** @type {string} */ id) =>
    report.rows.find((/** @type {any} */ row) => row.case === id);
  const rows = cases.map((/** @type {any} */ { id, title, good }) => [
    title,
    good,
    ...ran.map((/** @type {any} */ report) => {
      const verdict = verdictOf(report, id)?.verdict ?? "n/a";
      return MARKS[/** @type {keyof typeof MARKS} */ (verdict)];
    }),
  ]);
  const count = (/** @type {any} */ report) =>
    report.rows.filter((/** @type {any} */ { verdict }) => verdict === "wrong" || verdict === "lost").length;
  const totals = ["**wrong or lost**", "none", ...ran.map((/** @type {any} */ report) => `**${count(report)}**`)];
  const notes = ran.map((/** @type {any} */ report) => [
    heading(3, `${report.tool} ${report.version}`),
    table(
      ["case", "answer", "what happened"],
      report.rows.map((/** @type {any} */ row) => [row.case, row.verdict, row.note]),
    ),
  ]);
  const skipped = reports
    .filter((/** @type {any} */ { skipped }) => skipped !== undefined)
    .map((/** @type {any} */ { tool, skipped }) => `${tool}: ${skipped}`);
  return [
    "Each case runs on a fresh directory. right: done as meant, or done and said · refused: the file is untouched and the caller told why · wrong: bytes are not as they should be, or nobody was told · lost: somebody's work is gone · –: the tool does not offer it.",
    table(["case", "good is", ...ran.map((/** @type {any} */ { tool }) => tool)], [...rows, totals]),
    ...(skipped.length > 0 ? [`Skipped: ${skipped.join("; ")}.`] : []),
    ...(missed.length > 0 ? [`Not as promised: ${missed.join("; ")}.`] : []),
    `<details><summary>What each tool said and did</summary>\n\n${notes.flat().join("\n\n")}\n\n</details>`,
  ].join("\n\n");
}
