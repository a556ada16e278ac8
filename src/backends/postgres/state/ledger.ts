// What sessions were shown, in the database: a session may go on at another server.
import { hash } from "node:crypto";
import type { Ledger, Path, Seen } from "../../../core/backend.ts";
import { encode } from "../../journal/entry.ts";
import { columns, type Of } from "../commit/columns.ts";
import type { Query } from "../connection/client.ts";
import type { Database } from "../connection/database.ts";
import { together } from "../connection/together.ts";
import { foundAt, noteChange } from "../paths/look.ts";

/** A session that was not heard of for so long has to read again. */
const KEPT_DAYS = 30;
/** No quota counts what was seen, and a look is enough to write it down: beyond so many files, the oldest are unread again. */
const MOST_FILES = { ofSession: 10_000, ofAll: 100_000 };
/** What is beyond it is looked for each time that a session has used its ledger so often, from the first time on. */
const TRIM_EVERY = 500;

/** Not waited for, and tried again by the next who opens a workspace. */
export function forgetOldSessions({ ask, ws }: Database): void {
  const text = `delete from seen where ws = $1 and at < greatest(now() - interval '${KEPT_DAYS} days',
    (select at from seen where ws = $1 order by at desc offset ${MOST_FILES.ofAll} limit 1))`;
  ask({ text, values: [ws] }).catch(() => {});
}

export function ledgerOf(database: Database, session: string, most: number = MOST_FILES.ofSession): Ledger {
  const { ws, ask } = database;
  let uses = 0;

  /** Not waited for, and done again later. */
  function trim(): void {
    if (uses++ % TRIM_EVERY !== 0) return;
    const text = `delete from seen where ws = $1 and key in (
      select key from seen where ws = $1 and key >= $2 and key < $2 || 'g' order by at desc, key offset $3)`;
    ask({ text, values: [ws, keyOfSession(session), most] }).catch(() => {});
    if (uses > 1) forgetOldSessions(database);
  }

  return {
    get(path, at) {
      trim();
      const key = seenKey(session, path);
      const known = foundAt(database, path, at)?.seen;
      return known?.has(key) ? known.get(key) : seenAt(database, key);
    },
    set(path, seen) {
      trim();
      noteChange(database);
      return shown(database, [seenKey(session, path), seen]);
    },
    async delete(path) {
      noteChange(database);
      const text = "delete from seen where ws = $1 and key = $2";
      await ask({ name: "stet-unsee", text, values: [ws, seenKey(session, path)] });
    },
    async clear() {
      noteChange(database);
      const text = "delete from seen where ws = $1 and key >= $2 and key < $2 || 'g'";
      await ask({ text, values: [ws, keyOfSession(session)] });
    },
  };
}

/** All keys of a session begin alike. */
export function seenKey(session: string, path: Path): string {
  return keyOfSession(session) + hash("sha256", `${encode(session)} ${path}`).slice(SESSION_CHARS);
}

const SESSION_CHARS = 24;

function keyOfSession(session: string): string {
  return hash("sha256", encode(session)).slice(0, SESSION_CHARS);
}

const seenAt = together(async ({ ws, quick }, keys: readonly string[]) => {
  const text = "select key, seen from seen where ws = $1 and key = any($2)";
  const rows = await quick<{ key: string; seen: Seen }>({ name: "stet-seen", text, values: [ws, keys] });
  const all = new Map(rows.map(({ key, seen }) => [key, seen]));
  return keys.map((key) => all.get(key));
});

/** May be done twice: nothing but the last one counts. */
const shown = together(async ({ ws, quick }, rows: readonly Row[]) => {
  await quick(showing([[ws, [...new Map(rows)]]]));
  return rows.map(() => undefined);
});

type Row = readonly [key: string, seen: Seen];

/** In the order of their keys: two that write some of the same rows do not wait for each other. */
export function showing(all: Of<readonly Row[]>): Query {
  const inOrder = all
    .toSorted(([a], [b]) => a - b)
    .map(([ws, rows]) => [ws, rows.toSorted(([a], [b]) => (a < b ? -1 : 1))] as const);
  return {
    name: "stet-show",
    text: `insert into seen (ws, key, seen)
      select * from unnest($1::bigint[], $2::text[], $3::jsonb[]) v(ws)
      on conflict (ws, key) do update set seen = excluded.seen, at = clock_timestamp()`,
    values: columns(
      inOrder,
      ([key]) => key,
      ([, seen]) => JSON.stringify(seen),
    ),
  };
}
