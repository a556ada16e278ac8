// What sessions were shown, in the database: a session may go on at another server.
import { hash } from "node:crypto";
import type { Ledger, Path, Seen } from "../../../core/backend.ts";
import { encode } from "../../journal/entry.ts";
import { amongThese, type Query } from "../connection/client.ts";
import type { Database } from "../connection/database.ts";
import { together } from "../connection/together.ts";

/** A session that was not heard of for so long has to read again. */
const KEPT_DAYS = 30;

/** Not waited for, and tried again by the next who opens a workspace. */
export function forgetOldSessions({ ask, ws }: Database): void {
  const text = `delete from seen where ws = $1 and at < now() - interval '${KEPT_DAYS} days'`;
  ask({ text, values: [ws] }).catch(() => {});
}

export function ledgerOf(database: Database, session: string): Ledger {
  const { ws, ask } = database;
  return {
    get: (path) => seenAt(database, seenKey(session, path)),
    set: (path, seen) => shown(database, [seenKey(session, path), seen]),
    async delete(path) {
      const text = "delete from seen where ws = $1 and key = $2";
      await ask({ name: "stet-unsee", text, values: [ws, seenKey(session, path)] });
    },
  };
}

export function seenKey(session: string, path: Path): string {
  return hash("sha256", `${encode(session)} ${path}`);
}

const seenAt = together(async ({ ws, quick }, keys: readonly string[]) => {
  const { name, is, value } = amongThese("stet-seen", keys);
  const text = `select key, seen from seen where ws = $1 and key ${is}`;
  const rows = await quick<{ key: string; seen: Seen }>({ name, text, values: [ws, value] });
  const all = new Map(rows.map(({ key, seen }) => [key, seen]));
  return keys.map((key) => all.get(key));
});

/** May be done twice: nothing but the last one counts. */
const shown = together(async ({ ws, quick }, rows: readonly (readonly [key: string, seen: Seen])[]) => {
  await quick(showing(ws, new Map(rows)));
  return rows.map(() => undefined);
});

export function showing(ws: number, seen: ReadonlyMap<string, Seen>): Query {
  return {
    name: "stet-show",
    text: `insert into seen (ws, key, seen) select $1, * from unnest($2::text[], $3::jsonb[])
      on conflict (ws, key) do update set seen = excluded.seen, at = clock_timestamp()`,
    values: [ws, [...seen.keys()], [...seen.values()].map((each) => JSON.stringify(each))],
  };
}
