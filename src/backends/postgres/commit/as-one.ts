// Several statements that write as one: each by itself costs messages, a plan and a snapshot of its own.
import type { Query } from "../connection/client.ts";

/** Stands in each text where a condition would: nothing is written where the first one finds that it shall not be. */
export const IF_SO = "1 = 1";

/** Gives back one row with `ok`, or none. */
export const SHALL_IT = "shall";

/** A statement whose rows others may use by its name. */
export interface Part extends Query {
  readonly as?: string;
}

/** The text of each combination, by its name. */
const texts = new Map<string, string>();

/**
 * For statements with names that have their first value in common. None of them sees what the others do, so no two may
 * touch the same row. What comes back is what the last one gives back.
 */
export function asOne(queries: readonly Part[], end = ""): Query {
  const [first] = queries;
  if (first === undefined || queries.length === 1) return first!;
  const name = `stet-${queries.map((query) => query.name!.replace("stet-", "")).join("+")}${end}`;
  const text = texts.get(name) ?? textOf(queries);
  texts.set(name, text);
  return { name, text, values: [first.values![0], ...queries.flatMap(({ values }) => values!.slice(1))] };
}

function textOf(queries: readonly Part[]): string {
  let before = 0;
  const isAsked = queries.some(({ as }) => as === SHALL_IT);
  const parts = queries.map(({ text, values }) => {
    const shift = before;
    before += values!.length - 1;
    const own = isAsked ? text.replaceAll(IF_SO, `(select ok from ${SHALL_IT})`) : text;
    return own.replace(/\$(\d+)/g, (_, n) => `$${n === "1" ? 1 : Number(n) + shift}`);
  });
  const last = parts.pop();
  return `with ${parts.map((part, n) => `${queries[n]!.as ?? `part${n}`} as (${part})`).join(", ")} ${last}`;
}
