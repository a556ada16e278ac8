// Tables of time, growth and cost: the ratio to stet first, then the figures.
import { heading, number, shown, table } from "./table.mjs";

const MEASURE = "stet workspace";

/** @param {any} figures */
export function callTables({ workloads, skipped }) {
  const parts = workloads.map((/** @type {any} */ { title, times, failed }) => {
    const base = times[MEASURE]?.median ?? Number.NaN;
    const rows = Object.entries(times)
      .sort(([, a], [, b]) => a.median - b.median)
      .map(([name, time]) => [name, `${number(time.median / base)}×`, shown(time)]);
    const refused = Object.entries(failed).map(([name, why]) => `${name}: ${why}`);
    return [
      heading(3, title),
      table(["tool", `beside ${MEASURE}`, "ms a call"], rows),
      ...(refused.length > 0 ? [`Not measured: ${refused.join("; ")}`] : []),
    ].join("\n\n");
  });
  return [
    "Fastest first. stet hashes every file it reads and, unless it says `fast`, flushes every change to the disk before it answers; none of the others does either. mcp-fs answers over a pipe, the others in the same process.",
    ...parts,
    ...skippedLine(skipped),
  ].join("\n\n");
}

/** @param {any} figures */
export function growthTables({ growths }) {
  return growths
    .flatMap((/** @type {any} */ { title, columns, rows }) => [
      heading(3, title),
      table(
        columns,
        rows.map((/** @type {any} */ { size, values }) => [size, ...values.map(shown)]),
      ),
    ])
    .join("\n\n");
}

/** @param {any} figures */
export function costTable({ costs, skipped }) {
  const tokens = (/** @type {number} */ bytes) => Math.ceil(bytes / 4).toLocaleString("en");
  const rows = costs.map((/** @type {any} */ cost) => [
    cost.tool,
    String(cost.tools),
    cost.list.toLocaleString("en"),
    ...[cost.list, cost.read, cost.edit, cost.refusal].map(tokens),
  ]);
  return [
    "The list of tools goes with every request. A token is taken to be four bytes. The read is of 100 lines, the edit changes one of them, the refusal is that of an edit whose text is not there.",
    table(["tool", "tools", "list, bytes", "list, tokens", "a read", "an edit", "a refusal"], rows),
    ...skippedLine(skipped),
  ].join("\n\n");
}

/** @param {readonly { tool: string, reason: string }[]} skipped */
function skippedLine(skipped) {
  return skipped.length === 0
    ? []
    : [`Skipped: ${skipped.map(({ tool, reason }) => `${tool}: ${reason}`).join("; ")}.`];
}
