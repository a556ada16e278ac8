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
export function costTables({ costs, received, skipped }) {
  const rows = costs.map((/** @type {any} */ { tool, tools, list }) => [
    tool,
    String(tools),
    list.toLocaleString("en"),
    Math.ceil(list / 4).toLocaleString("en"),
  ]);
  return [
    "The list of tools goes with every request. A token is taken to be four bytes.",
    table(["tool", "tools", "bytes", "tokens"], rows),
    ...skippedLine(skipped),
    heading(3, "What a model receives for ten typical calls"),
    ...receivedTable(received),
  ].join("\n\n");
}

/** One row for each call, bytes; the fewest are bold. @param {any} figures */
function receivedTable({ tools, calls, skipped }) {
  const rows = calls.map((/** @type {any} */ { title, bytes }) => {
    const fewest = Math.min(...Object.values(bytes));
    const cell = (/** @type {number | undefined} */ value) =>
      value === undefined ? "" : value === fewest ? `**${value.toLocaleString("en")}**` : value.toLocaleString("en");
    return [title, ...tools.map((/** @type {string} */ tool) => cell(bytes[tool]))];
  });
  return [
    "Bytes, the fewest in bold; empty where a tool has no such call, or none that is measured here. stet and mcp-fs answer over MCP, as Claude Code and Codex hand it on: `structuredContent` where there is any, else the text. The others answer in the same process.",
    table(["call", ...tools], rows),
    "Where stet is not the smallest it tells more: `workspace` the sha256 that proves the version, sizes in a list and a diff after an edit; `tracked`, `compact` and `files` the number of every line; `anchors` its hash. `compact` names files by their absolute paths. A refusal shows the nearest text and what to do next. mcp-fs reads the first lines of a file where the others read 20 in the middle. The others say the same of an edit whether or not somebody else has changed the file.",
    ...skippedLine(skipped),
  ];
}

/** @param {readonly { tool: string, reason: string }[]} skipped */
function skippedLine(skipped) {
  return skipped.length === 0
    ? []
    : [`Skipped: ${skipped.map(({ tool, reason }) => `${tool}: ${reason}`).join("; ")}.`];
}
