// What sessions were shown, in the database: a session may go on at another server.
import type { Ledger, Seen } from "../../core/backend.ts";
import { encode } from "../journal/entry.ts";
import { again, type Database } from "./database.ts";

export function ledgerOf({ pool, ws, waitMs, ask }: Database, session: string): Ledger {
  const id = encode(session);
  /** Each of them may be done twice: nothing but the last one counts. */
  const tell = async (text: string, values: readonly unknown[]): Promise<void> =>
    void (await again(waitMs, () => pool.query({ text, values: [ws, id, ...values] })));

  return {
    async get(path) {
      const [row] = await ask<{ seen: Seen }>({
        name: "stet-seen",
        text: "select seen from seen where ws = $1 and session = $2 and path = $3",
        values: [ws, id, path],
      });
      return row?.seen;
    },
    set: (path, seen) =>
      tell(
        `insert into seen (ws, session, path, seen) values ($1, $2, $3, $4)
          on conflict (ws, session, path) do update set seen = excluded.seen, at = clock_timestamp()`,
        [path, JSON.stringify(seen)],
      ),
    delete: (path) => tell("delete from seen where ws = $1 and session = $2 and path = $3", [path]),
  };
}
