// Several statements that write as one: each by itself costs messages, a plan and a snapshot of its own.
import type { Query } from "../connection/client.ts";

/** The text of each combination, by its name. */
const texts = new Map<string, string>();

/** For statements with names. None of them sees what the others do, so no two may touch the same row. */
export function asOne(queries: readonly Query[]): Query {
  const [first] = queries;
  if (first === undefined || queries.length === 1) return first!;
  const name = `stet-${queries.map((query) => query.name!.replace("stet-", "")).join("+")}`;
  const text = texts.get(name) ?? textOf(queries);
  texts.set(name, text);
  return { name, text, values: queries.flatMap(({ values }) => values!) };
}

function textOf(queries: readonly Query[]): string {
  let before = 0;
  const parts = queries.map(({ text, values }) => {
    const shift = before;
    before += values!.length;
    return text.replace(/\$(\d+)/g, (_, n) => `$${Number(n) + shift}`);
  });
  const last = parts.pop();
  return `with ${parts.map((part, n) => `part${n} as (${part})`).join(", ")} ${last}`;
}
