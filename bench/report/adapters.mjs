// Agent frameworks in words: their file tools on their own storage and on stet, and what an adapter costs.
import { heading, number, table } from "./table.mjs";
import { trustTables } from "./trust.mjs";

/** @param {any} figures */
export function adapterTables({ trust, overhead }) {
  return [
    "The file tools of two frameworks, on their own storage and on stet below them.",
    trustTables(trust),
    heading(3, "What an adapter adds to a call"),
    "Each framework's way to call a tool, up to what the model is given. *By hand*: a tool of the same schema that is written for the framework without stet's adapter, and does the direct call; what it takes beyond that is the framework's own. The goal is 5 %. Medians of nine blocks, half of the blocks lie in brackets.",
    ...overhead.map(overheadTable),
  ].join("\n\n");
}

/** @param {any} workload */
function overheadTable({ title, direct, rows }) {
  return table(
    [`${title}: ${number(direct)} ms directly`, "over by hand", "over direct", "by hand, ms", "adapter, ms"],
    rows.map((/** @type {any} */ { name, byHand, adapter, overHand, overDirect }) => [
      name,
      percents(overHand),
      percents(overDirect),
      byHand.toFixed(3),
      adapter.toFixed(3),
    ]),
  );
}

/** @param {import("../stats.mjs").Spread} ratio */
function percents({ median, low, high }) {
  return `${percent(median)} % (${percent(low)}…${percent(high)})`;
}

/** @param {number} ratio */
function percent(ratio) {
  const part = (100 * (ratio - 1)).toFixed(1);
  return part.startsWith("-") || part === "0.0" ? part.replace("-0.0", "0.0") : `+${part}`;
}
