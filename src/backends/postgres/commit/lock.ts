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

export type LockRow = Tail & {
  readonly ws: number;
  readonly now: number;
  readonly limited: boolean;
  readonly version: number;
};

/**
 * The clock is read behind the lock, not when the wait for it began. Of several only those are locked that are free: one
 * that is not would hold the others up, and could wait for one of them.
 */
export function lockQuery(ws: readonly number[]): Query {
  const several = ws.length > 1;
  return {
    name: several ? "stet-locks" : "stet-lock",
    text: `select ws, seq, hash, at, exists (select 1 from quota q where q.tenant = w.tenant) as limited,
        (select max(version) from stet_schema) as version, extract(epoch from clock_timestamp())::float8 * 1000 as now
      from unnest($1::bigint[]) v(ws) cross join lateral (select seq, hash, at, tenant from workspace
        where id = v.ws for no key update${several ? " skip locked" : ""}) w`,
    values: [ws],
  };
}

export function lockedBy(row: LockRow | undefined): Locked {
  if (row === undefined) throw new Refusal("not_found", "The workspace is no longer in the database.");
  const { now, limited, version, seq, hash, at } = row;
  refuseNewer(version);
  return { tail: { seq, hash, at }, now, limited };
}

/** For a transaction that makes no entry. */
export async function lock(client: Client, ws: number): Promise<Locked> {
  const [row] = await within<LockRow>(client, lockQuery([ws]));
  return lockedBy(row);
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
