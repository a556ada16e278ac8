// What is needed of the `pg` package, which is installed only where a database is used.
import { Refusal } from "../../../core/failure.ts";
import { inWords } from "./failures.ts";
import { type PgClientClass, tellingClient, type WatchedPool, WHICH_PROCESS, watchSilence } from "./silence.ts";

export interface Query {
  /** Prepared once for each connection under this name. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

export interface Answer<Row> {
  readonly rows: Row[];
  readonly rowCount: number | null;
  readonly command: string;
}

export interface Client {
  query<Row = unknown>(query: Query | string): Promise<Answer<Row>>;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
  /** With an error: the connection is not used again. */
  release(error?: Error): void;
  /** Of the package itself: what is written to it. */
  readonly connection?: NodeJS.EventEmitter & { readonly stream?: { cork(): void; uncork(): void } };
}

/** Connections to one database, as the package pg has them. */
export interface Pool {
  /** One statement, on any connection. */
  query<Row = unknown>(query: Query | string): Promise<Answer<Row>>;
  /** A connection for several statements, to be released. */
  connect(): Promise<Client>;
  /** Closes all connections. */
  end(): Promise<void>;
  /** Open connections. */
  readonly totalCount?: number;
  /** Those of them that are not in use. */
  readonly idleCount?: number;
  /** As many as there may be, and how long is waited for one. */
  readonly options?: { readonly max?: number; readonly connectionTimeoutMillis?: number };
  /** Calls that wait for one. */
  readonly waitingCount?: number;
  /** Hears of connections that died while they were not in use. */
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** How many connections, and how long to wait for one. */
export interface PoolOptions {
  /** Connections that one process may have open. */
  readonly connections?: number;
  /** How long a call waits for a free connection. */
  readonly connectMs?: number;
  /**
   * A connection that says nothing for so long, with a question open, is asked about by another one: it is given up if
   * the database is not at work on the question. What is slow is waited for.
   */
  readonly silentMs?: number;
  /** How long the database keeps the locks of a change of which it hears nothing more. */
  readonly heldMs?: number;
}

const INT8 = 20;

/** One for each process and database: workspaces share it. */
export async function openPool(url: string, options: PoolOptions = {}): Promise<Pool> {
  const pg = await loadPg();
  const Client = tellingClient(pg.Client);
  const pool = new pg.Pool({
    Client,
    connectionString: url,
    max: options.connections ?? 20,
    connectionTimeoutMillis: options.connectMs ?? 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    // several statements are on their way at once: a commit takes two round trips
    pipeline: true,
    types: { getTypeParser: (oid: number, format?: string) => parserOf(pg, oid, format) },
  });
  // an idle connection that dies says so here; unheard it would end the process
  pool.on("error", () => {});
  const { silentMs = 1_000, heldMs = 5_000 } = options;
  watchSilence(pool, Client, { text: greeting(heldMs) }, { silentMs });
  return pool;
}

/**
 * A statement by itself waits no longer for a lock, such as that of a table that is being rebuilt: while it does, nothing can be
 * called off. Then it is asked again, or done otherwise.
 */
const HELD_MS = 500;

/** The database, too, must notice that the other end is gone: it keeps its locks, and a connection. */
function greeting(heldMs: number): string {
  const settings = {
    // a statement by itself must see what was committed before it, whatever the database has by default
    default_transaction_isolation: "read committed",
    idle_in_transaction_session_timeout: heldMs,
    lock_timeout: HELD_MS,
    // nothing here takes long enough to be worth it, and a scan that is to be avoided counts as taking for ever
    jit: "off",
    tcp_keepalives_idle: 5,
    tcp_keepalives_interval: 2,
    tcp_keepalives_count: 5,
    tcp_user_timeout: 15_000,
  };
  const set = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  return `select ${WHICH_PROCESS}, ${set.join(", ")}`;
}

interface Pg {
  readonly Pool: new (config: object) => Pool & WatchedPool;
  readonly Client: PgClientClass;
  readonly types: { getTypeParser(oid: number, format?: string): (text: string) => unknown };
}

/** Numbers of entries and sizes stay far below 2^53. */
function parserOf(pg: Pg, oid: number, format?: string): (text: string) => unknown {
  return oid === INT8 ? Number : pg.types.getTypeParser(oid, format);
}

async function loadPg(): Promise<Pg> {
  try {
    return (await import("pg")).default as unknown as Pg;
  } catch (error) {
    throw new Refusal("unsupported", "The package pg, which PostgreSQL needs, is not installed.", {
      next: "Install it beside stet: npm install pg",
      cause: error,
    });
  }
}

/** Runs `work` on one connection, and gives it back whatever happens; one that was lost is not used again. */
export async function onConnection<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error) => {
    throw inWords(error);
  });
  let broken: Error | undefined;
  const lost = (error: Error): void => {
    broken = error;
  };
  client.on("error", lost);
  try {
    return await work(client);
  } catch (error) {
    broken ??= error instanceof Refusal ? undefined : (error as Error);
    throw error;
  } finally {
    client.off("error", lost);
    client.release(broken);
  }
}

/** What stands before the value of a row, and before the first row. */
const [ROW_HEAD, COPY_HEAD] = [6, 19];

/**
 * Fills `into` with the bytes that a select finds, one value a row; gives back how many they are. Without the strings
 * that pg makes of other answers. Ask nothing else on this connection meanwhile: a chunk does not say what it answers.
 */
export async function copyOut(client: Client, select: string, into: Buffer): Promise<number> {
  let head = COPY_HEAD + ROW_HEAD;
  let filled = 0;
  const take = ({ chunk }: { readonly chunk: Buffer }): void => {
    filled += chunk.subarray(head).copy(into, filled);
    head = ROW_HEAD;
  };
  client.connection?.on("copyData", take);
  try {
    await client.query(`copy (${select}) to stdout (format binary)`);
  } finally {
    client.connection?.off("copyData", take);
  }
  return filled;
}

/** What is asked in here goes out in one piece: each statement by itself costs a system call here and a wake-up there. */
export function inOnePiece<T>({ connection }: Client, ask: () => T): T {
  connection?.stream?.cork();
  try {
    return ask();
  } finally {
    connection?.stream?.uncork();
  }
}

/** The same for what is asked until the next turn of the event loop. */
export function inOnePieceFromNow({ connection }: Client): void {
  connection?.stream?.cork();
  process.nextTick(() => connection?.stream?.uncork());
}

/** Whatever the database has by default: a statement must see what was committed while the one before it waited. */
export const BEGIN = "begin isolation level read committed";

/** All of `work` or nothing; what it throws is what the database said, in words. It waits for locks without an end. */
export async function inTransaction<T>(client: Client, work: (client: Client) => Promise<T>): Promise<T> {
  try {
    await client.query(`${BEGIN}; set local lock_timeout = 0`);
    const done = await work(client);
    await client.query("commit");
    return done;
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw inWords(error);
  }
}
