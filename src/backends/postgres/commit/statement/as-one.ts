// Several statements that write as one: each by itself costs messages, a plan and a snapshot of its own.
import type { Query } from "../../connection/client.ts";

/** Stands in each text where a condition of `v.ws` would: nothing is written in a workspace that the first one does not give back. */
export const IF_SO = "1 = 1";

/** Gives back `ws` of those in which it shall be. */
export const SHALL_IT = "shall";

/** A statement whose rows others may use by its name. */
export interface Part extends Query {
  readonly as?: string;
}

/** The text of each combination, by its name. */
const texts = new Map<string, string>();

/**
 * For statements with names. None of them sees what the others do, so no two may touch the same row. What comes back is what
 * the last one gives back.
 */
export function asOne(queries: readonly Part[], end = ""): Query {
  const [first] = queries;
  if (first === undefined || queries.length === 1) return first!;
  const name = `stet-${queries.map((query) => query.name!.replace("stet-", "")).join("+")}${end}`;
  const text = texts.get(name) ?? textOf(queries);
  texts.set(name, text);
  return { name, text, values: queries.flatMap(({ values }) => values!) };
}

function textOf(queries: readonly Part[]): string {
  let before = 0;
  const isAsked = queries.some(({ as }) => as === SHALL_IT);
  const parts = queries.map(({ text, values }) => {
    const shift = before;
    before += values!.length;
    const own = isAsked ? text.replaceAll(IF_SO, `v.ws in (select ws from ${SHALL_IT})`) : text;
    return own.replace(/\$(\d+)/g, (_, n) => `$${Number(n) + shift}`);
  });
  const last = parts.pop();
  return `with ${parts.map((part, n) => `${queries[n]!.as ?? `part${n}`} as (${part})`).join(", ")} ${last}`;
}
