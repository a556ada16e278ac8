// What sessions were shown, in the database: a session may go on at another server.
import { hash } from "node:crypto";
import type { Ledger, Path, Seen } from "../../../core/backend.ts";
import { encode } from "../../journal/entry.ts";
import type { Database } from "../connection/database.ts";

/** A session that was not heard of for so long has to read again. */
const KEPT_DAYS = 30;

/** Not waited for, and tried again by the next who opens a workspace. */
export function forgetOldSessions({ ask, ws }: Database): void {
  const text = `delete from seen where ws = $1 and at < now() - interval '${KEPT_DAYS} days'`;
  ask({ text, values: [ws] }).catch(() => {});
}

export function ledgerOf({ ws, ask }: Database, session: string): Ledger {
  const keyOf = (path: Path): string => hash("sha256", `${encode(session)} ${path}`);
  /** Each of them may be done twice: nothing but the last one counts. */
  const tell = async (name: string, text: string, values: readonly unknown[]): Promise<void> =>
    void (await ask({ name, text, values: [ws, ...values] }));

  return {
    async get(path) {
      const [row] = await ask<{ seen: Seen }>({
        name: "stet-seen",
        text: "select seen from seen where ws = $1 and key = $2",
        values: [ws, keyOf(path)],
      });
      return row?.seen;
    },
    set: (path, seen) =>
      tell(
        "stet-see",
        `insert into seen (ws, key, seen) values ($1, $2, $3)
          on conflict (ws, key) do update set seen = excluded.seen, at = clock_timestamp()`,
        [keyOf(path), JSON.stringify(seen)],
      ),
    delete: (path) => tell("stet-unsee", "delete from seen where ws = $1 and key = $2", [keyOf(path)]),
  };
}
