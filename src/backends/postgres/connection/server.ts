// Whether there is a database that stet can work with behind a pool: new enough, for names of any script, and with connections that keep their sessions.
import { Refusal } from "../../../core/failure.ts";
import { BEGIN, type Client, type Pool } from "./client.ts";
import { inWords, isLost } from "./failures.ts";

/** As in 150004. What is older is not tested with. */
export const OLDEST_VERSION = 150_000;
export const OLDEST_WORDS = "stet needs PostgreSQL 15 or newer.";
export const HANDED_ON =
  "A pooler in front of the database hands connections on after each transaction, and with them what stet told them, such as whose rows may be seen.";
export const KEEP_SESSIONS = "Connect to the database itself, or set the pooler to the mode session.";

/** SQL_ASCII takes all bytes as they are; in any other one some names have no place. */
const FIT_ENCODINGS: readonly string[] = ["UTF8", "SQL_ASCII"];
export const UTF8_WORDS = "Use a database of the encoding UTF8. What is in this one can be taken out with stet pull.";

/** In words, where names of files may have characters that the database cannot store. */
export function unfitEncoding(encoding: string): string | undefined {
  return FIT_ENCODINGS.includes(encoding)
    ? undefined
    : `The encoding of this database is ${encoding}, which has no place for many names of files.`;
}

const known = new WeakMap<Pool, Promise<void>>();

/** Once for each pool; refuses in words. */
export function checkServer(pool: Pool): Promise<void> {
  const checking = known.get(pool) ?? check(pool);
  known.set(pool, checking);
  checking.catch(() => known.delete(pool));
  return checking;
}

async function check(pool: Pool): Promise<void> {
  const { version, encoding, isHandedOn } = await serverOf(pool);
  if (version < OLDEST_VERSION)
    throw new Refusal("unsupported", `This database is PostgreSQL ${Math.floor(version / 10_000)}.`, {
      next: OLDEST_WORDS,
    });
  const unfit = unfitEncoding(encoding);
  if (unfit !== undefined) throw new Refusal("unsupported", unfit, { next: UTF8_WORDS });
  if (isHandedOn) throw new Refusal("unsupported", HANDED_ON, { next: KEEP_SESSIONS });
}

export interface Server {
  readonly version: number;
  /** Of the text in it, as in UTF8. */
  readonly encoding: string;
  /** One process of the database answers several connections. */
  readonly isHandedOn: boolean;
}

/** Two others keep a transaction open meanwhile: whichever process a pooler gives out next, one of the three shows it. */
export async function serverOf(pool: Pool): Promise<Server> {
  const clients: Client[] = [];
  const more = async (): Promise<Client | undefined> => {
    const client = await pool.connect().catch((error) => {
      if (clients.length === 0 || isLost(error)) throw inWords(error);
      return undefined; // the server gives no more of them: it cannot be told
    });
    if (client !== undefined) clients.push(client);
    return client;
  };
  let failed: Error | undefined;
  try {
    const first = (await more())!;
    const { pid, version, encoding } = await processOf(first);
    if (version < OLDEST_VERSION) return { version, encoding, isHandedOn: false };
    for (let n = 0; n < 2; n++) {
      const other = roomIn(pool) > 0 ? await more() : undefined;
      if (other !== undefined) await other.query(BEGIN);
      // in this order: a pooler with one process only has none left for the first one
      if (other !== undefined && (await processOf(other)).pid === pid) return { version, encoding, isHandedOn: true };
      if ((await processOf(first)).pid !== pid) return { version, encoding, isHandedOn: true };
    }
    return { version, encoding, isHandedOn: false };
  } catch (error) {
    failed = error as Error;
    throw inWords(error);
  } finally {
    for (const [n, client] of clients.entries()) {
      if (n > 0 && failed === undefined) await client.query("rollback").catch(() => {});
      client.release(failed);
    }
  }
}

/** Connections that can be had without waiting for one. */
function roomIn({ idleCount = 0, totalCount = 0, options }: Pool): number {
  return idleCount + Math.max(0, (options?.max ?? 0) - totalCount);
}

async function processOf(client: Client): Promise<Omit<Server, "isHandedOn"> & { readonly pid: number }> {
  const { rows } = await client.query<{ pid: number; version: number; encoding: string }>(
    `select pg_backend_pid() as pid, current_setting('server_version_num')::int as version,
      current_setting('server_encoding') as encoding`,
  );
  return rows[0]!;
}
