// Tables and numbers as Markdown.

/** @param {number} level @param {string} title */
export const heading = (level, title) => `${"#".repeat(level)} ${title}`;

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
export function table(head, rows) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.map(escaped).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

/** Paragraphs in lines of at most 120 characters; tables and what is between fences stay as they are. @param {string} markdown */
export function wrapped(markdown) {
  let fenced = false;
  return markdown
    .split("\n")
    .map((line) => {
      if (line.startsWith("```")) fenced = !fenced;
      return fenced || /^[|#<]/.test(line) ? line : line.replace(/(?=.{121})(.{1,120}) /g, "$1\n");
    })
    .join("\n");
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
