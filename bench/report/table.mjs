// Tables and numbers as Markdown.

/** @param {number} level @param {string} title */
export const heading = (level, title) => `${"#".repeat(level)} ${title}`;

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
export function table(head, rows) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.map(escaped).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

/** @param {import("../stats.mjs").Spread | number} value */
export function shown(value) {
  if (typeof value === "number") return number(value);
  return `${number(value.median)} (${number(value.low)}–${number(value.high)})`;
}

/** Three digits are enough to compare. @param {number} value */
export function number(value) {
  if (value >= 1000) return Math.round(value).toLocaleString("en");
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** @param {string} cell */
function escaped(cell) {
  return cell.replaceAll("|", "\\|").replaceAll("\n", " ");
}
