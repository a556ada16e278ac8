// Agent frameworks in words: their file tools on their own storage and on stet, and what an adapter costs.
import { heading, shown, table } from "./table.mjs";
import { trustTables } from "./trust.mjs";

/** @param {any} figures */
export function adapterTables({ trust, overhead }) {
  return [
    "The file tools of two frameworks, on their own storage and on stet below them.",
    trustTables(trust),
    heading(3, "What an adapter adds to a call"),
    "The function that the framework calls, up to what it hands to the model, beside the tool itself, called as directly as the framework allows. The goal is 5 %.",
    ...overhead.map(overheadTable),
  ].join("\n\n");
}

/** @param {any} workload */
function overheadTable({ title, times }) {
  let base = Number.NaN;
  const rows = Object.entries(times).map(([name, time]) => {
    const direct = name.startsWith("direct call");
    if (direct) base = time.median;
    return [name, direct ? "" : percent(time.median / base - 1), shown(time)];
  });
  return table([title, "more", "ms a call"], rows);
}

/** @param {number} part */
function percent(part) {
  return `${part > 0 ? "+" : ""}${(100 * part).toFixed(1)} %`;
}
