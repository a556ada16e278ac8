// The lock of a workspace is its row. With it come the end of its journal, the clock that entries go by, and whether the tables are those that this stet knows.
import { Refusal } from "../../../core/failure.ts";
import { ENDING_BYTES, hashOfEnding, type Tail } from "../../journal/entry.ts";
import type { Client, Query } from "../connection/client.ts";
import { within } from "../connection/database.ts";
import { refuseNewer } from "../schema/migrate.ts";

export interface Locked {
  readonly tail: Tail;
  /** By the database's clock, in milliseconds. */
  readonly now: number;
  /** The tenant has a quota. */
  readonly limited: boolean;
}

type Row = Tail & { readonly now: number; readonly limited: boolean; readonly version: number };

/** The clock is read behind the lock, not when the wait for it began. */
export function lockQuery(ws: number): Query {
  return {
    name: "stet-lock",
    text: `select seq, hash, at, exists (select 1 from quota q where q.tenant = w.tenant) as limited,
        (select max(version) from stet_schema) as version, extract(epoch from clock_timestamp())::float8 * 1000 as now
      from (select seq, hash, at, tenant from workspace where id = $1 for no key update) w`,
    values: [ws],
  };
}

export function lockedBy([row]: readonly unknown[]): Locked {
  if (row === undefined) throw new Refusal("not_found", "The workspace is no longer in the database.");
  const { now, limited, version, ...tail } = row as Row;
  refuseNewer(version);
  return { tail, now, limited };
}

/** For a transaction that makes no entry. */
export async function lock(client: Client, ws: number): Promise<Locked> {
  return lockedBy(await within(client, lockQuery(ws)));
}

/** Of a row of `entry`, without the line end, which lines do not have here. */
export const ENDS_WITH = `substr(e.line, length(e.line) - ${ENDING_BYTES - 2}, ${ENDING_BYTES - 1})`;

/**
 * Of the last entry of a workspace, or the last up to a number. Asked for by its number alone, it would be looked for in
 * whatever index has the number somewhere, as long as the database has not counted the rows.
 */
export function lastEntryOf(ws: string, upTo?: string): string {
  const before = upTo === undefined ? "" : ` and e.seq <= ${upTo}`;
  return `from entry e where e.ws = ${ws}${before} order by e.seq desc limit 1`;
}

/** As the rows of paths are: the end of its line as `target`. */
export const LAST_LINE = `(select null, 'e'::"char", null::bytea, null::bigint, null::int, null::float8, ${ENDS_WITH}, e.seq
  ${lastEntryOf("$1")})`;

export interface Ending {
  readonly seq: number;
  readonly target: Buffer;
}

/** An entry that followed another one than the last would break the chain for good. */
export function requireLast({ seq, hash }: Tail, ending: Ending | undefined): void {
  if (seq === 0) return;
  if (ending?.seq !== seq || hashOfEnding(Buffer.concat([ending.target, LINE_END])) !== hash) throw notTheEnd();
}

const LINE_END = Buffer.from("\n");

/** There is an entry of this number already. */
export function isNotTheEnd(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === "23505" && (constraint === "entry_pkey" || constraint === "change_pkey");
}

export function notTheEnd(cause?: unknown): Refusal {
  return new Refusal("journal_damaged", "What the database has as the end of the journal is not its last entry.", {
    next: "Run stet verify, and have the owner look at the database.",
    ...(cause !== undefined && { cause }),
  });
}
