// Several statements that write as one: each by itself costs messages, a plan and a snapshot of its own.
import type { Query } from "../connection/client.ts";

/** The text of each combination, by its name. */
const texts = new Map<string, string>();

/**
 * For statements with names that have their first value in common. None of them sees what the others do, so no two may
 * touch the same row.
 */
export function asOne(queries: readonly Query[]): Query {
  const [first] = queries;
  if (first === undefined || queries.length === 1) return first!;
  const name = `stet-${queries.map((query) => query.name!.replace("stet-", "")).join("+")}`;
  const text = texts.get(name) ?? textOf(queries);
  texts.set(name, text);
  return { name, text, values: [first.values![0], ...queries.flatMap(({ values }) => values!.slice(1))] };
}

function textOf(queries: readonly Query[]): string {
  let before = 0;
  const parts = queries.map(({ text, values }) => {
    const shift = before;
    before += values!.length - 1;
    return text.replace(/\$(\d+)/g, (_, n) => `$${n === "1" ? 1 : Number(n) + shift}`);
  });
  const last = parts.pop();
  return `with ${parts.map((part, n) => `part${n} as (${part})`).join(", ")} ${last}`;
}
