// Connections that went silent: a host that vanished, or a path to it that leads nowhere, says nothing, and a question would wait for ever.
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, Query } from "./client.ts";

export interface Silence {
  /** No byte for so long, with a question open: then another connection asks whether the database is at work on it. */
  readonly silentMs: number;
}

export interface WatchedPool {
  on(event: "connect", listener: (client: PgClient) => void): unknown;
  readonly options: object;
}

export interface PgClient {
  connect(): Promise<unknown>;
  query<Row>(query: Query): Promise<Answer<Row>>;
  on(event: "error" | "drain" | "end", listener: (error: Error) => void): unknown;
  end(done?: () => void): unknown;
  readonly connection: { readonly stream: Stream };
}

export type PgClientClass = new (options: object) => PgClient;

interface Stream {
  on(event: "data", listener: () => void): unknown;
  destroy(error?: Error): unknown;
  readonly bytesWritten: number;
  readonly writableLength: number;
}

/** Where the database cannot be asked what became of a question, it is given up after so many times `silentMs`. */
const PATIENCE = 10;
/** What was sent may be on its way still, by so many bytes in a millisecond; of so many at most the kernel has told us that they are sent. */
const SLOWEST = 256;
const MOST_UNDERWAY = 4 * 1024 * 1024;
/** A goodbye that is not answered. */
const GOODBYE_MS = 1000;
/** For a connection that asks, at least. */
const ASKING_MS = 1000;

/** The process at the other end: numbers are used again, and a pooler tells a wrong one when it is connected to. */
interface Process {
  readonly pid: number;
  readonly since: string;
}

const SINCE = "extract(epoch from backend_start)::text";
/** To be asked first on every connection, with what else is to be set there. */
export const WHICH_PROCESS = `pg_backend_pid() as pid,
  (select ${SINCE} from pg_stat_activity where pid = pg_backend_pid()) as since`;

interface Watched {
  readonly client: PgClient;
  process: Process | undefined;
  /** A question is open. */
  waits: boolean;
  /** The last byte that came, or that was sent while more waited to be; or when the oldest open question was asked. */
  heardAt: number;
  /** How much had been sent when the last question was asked with none open. */
  answered: number;
  /** When the database last said that it is at work on it. */
  workedAt: number;
  /** Bytes that were not sent when it was last looked. */
  unsent: number;
}

/** Since when it is silent, without the time that what was sent may take to arrive. */
function silentSince(each: Watched): number {
  const underWay = Math.min(MOST_UNDERWAY, each.client.connection.stream.bytesWritten - each.answered);
  return each.heardAt + underWay / SLOWEST;
}

const cutters = new WeakMap<object, () => void>();
const listeners = new WeakMap<object, () => void>();

/** A client that tells of its questions, and that does not wait for a goodbye for ever. */
export function tellingClient(Client: PgClientClass): PgClientClass {
  return class extends Client {
    override query<Row>(...args: [Query]): Promise<Answer<Row>> {
      listeners.get(this)?.();
      return super.query(...args);
    }

    override end(done?: () => void): unknown {
      setTimeout(() => this.connection.stream.destroy(), GOODBYE_MS).unref();
      return super.end(done);
    }
  };
}

/** Looks after all connections of a pool from their first question on, which is `greeting` and answers `WHICH_PROCESS`. */
export function watchSilence(pool: WatchedPool, Client: PgClientClass, greeting: Query, { silentMs }: Silence): void {
  const all = new Set<Watched>();
  const everyMs = Math.max(10, silentMs / 4);
  let ticking: NodeJS.Timeout | undefined;
  let tickedAt = 0;
  let asking = false;
  let askedAt = 0;

  pool.on("connect", (client) => {
    const each: Watched = {
      client,
      process: undefined,
      waits: false,
      heardAt: performance.now(),
      answered: 0,
      workedAt: 0,
      unsent: 0,
    };
    all.add(each);
    listeners.set(client, () => {
      if (!each.waits)
        Object.assign(each, { heardAt: performance.now(), answered: client.connection.stream.bytesWritten });
      each.waits = true;
      begin();
    });
    client.on("drain", () => {
      each.waits = false;
    });
    client.connection.stream.on("data", () => {
      each.heardAt = performance.now();
    });
    client.on("end", () => all.delete(each));
    // unheard, an error would end the process
    client.on("error", () => {});
    client.query<Process>(greeting).then(
      ({ rows }) => {
        each.process = rows[0];
      },
      () => {},
    );
  });
  cutters.set(pool, () => cut([...all]));

  function begin(): void {
    if (ticking !== undefined) return;
    tickedAt = performance.now();
    ticking = setInterval(tick, everyMs).unref();
  }

  function tick(): void {
    const now = performance.now();
    const late = now - tickedAt > everyMs + silentMs / 2;
    tickedAt = now;
    const waiting = [...all].filter(({ waits }) => waits);
    if (waiting.length === 0) {
      clearInterval(ticking);
      ticking = undefined;
    }
    for (const each of waiting) noteSending(each);
    // this process did not look, so it cannot tell who was silent
    if (late) return;
    const silent = waiting.filter((each) => now - silentSince(each) > silentMs);
    const givenUp = silent.filter((each) => now - Math.max(silentSince(each), each.workedAt) > PATIENCE * silentMs);
    if (givenUp.length > 0) cut(withIdle(givenUp));
    else if (silent.length > 0 && !asking && now - askedAt > silentMs) void ask(silent);
  }

  /** By a connection of its own: which of these does the database know nothing to do about? */
  async function ask(silent: readonly Watched[]): Promise<void> {
    asking = true;
    askedAt = performance.now();
    const other = new Client(pool.options);
    other.on("error", () => {});
    const ms = Math.max(ASKING_MS, 2 * silentMs);
    const timer = setTimeout(() => other.connection.stream.destroy(), ms).unref();
    const before = new Map(silent.map((each) => [each, each.heardAt]));
    try {
      await other.connect();
      const known = await statesOf(other, silent);
      const now = performance.now();
      for (const each of silent) if (known.get(each) === true) each.workedAt = now;
      const lost = silent.filter((each) => known.get(each) === false);
      // an answer may be on its way just now
      if (lost.length > 0) await sleep(everyMs, undefined, { ref: false });
      const gone = lost.filter((each) => each.waits && each.heardAt === before.get(each));
      if (gone.length === 0) return;
      const cutNow = withIdle(gone);
      cut(cutNow);
      // what they hold is free at once then, and not only when the database gives up on them
      const values = processesOf(cutNow);
      await other.query({ text: `select pg_terminate_backend(pid) from pg_stat_activity ${AMONG}`, values });
    } catch {
      // it cannot be told: then patience decides
    } finally {
      clearTimeout(timer);
      asking = false;
      other.end(() => {});
    }
  }

  /** Those without a question went the same way, unless they were heard of later. */
  function withIdle(gone: readonly Watched[]): Watched[] {
    const since = Math.max(...gone.map(({ heardAt }) => heardAt));
    return [...gone, ...[...all].filter(({ waits, heardAt }) => !waits && heardAt < since)];
  }
}

/** All connections of this pool end now, whatever they are at. */
export function cutConnections(pool: object): void {
  cutters.get(pool)?.();
}

function cut(those: readonly Watched[]): void {
  for (const { client } of those)
    client.connection.stream.destroy(Object.assign(new Error("The database was silent."), { code: "ETIMEDOUT" }));
}

/** What is large takes its time to be sent: nothing comes back before its end. */
function noteSending(each: Watched): void {
  const { writableLength } = each.client.connection.stream;
  if (writableLength < each.unsent) each.heardAt = performance.now();
  each.unsent = writableLength;
}

/** Without the one that asks: behind a pooler that hands connections on, it may be one of them. */
const AMONG = `where (pid, ${SINCE}) in (select * from unnest($1::int[], $2::text[])) and pid <> pg_backend_pid()`;

function processesOf(those: readonly Watched[]): [pids: number[], since: string[]] {
  const known = those.flatMap(({ process }) => process ?? []);
  return [known.map(({ pid }) => pid), known.map(({ since }) => since)];
}

/** Whether the database is at work for these; null where it does not tell. One that waits for us to read is not at work. */
async function statesOf(other: PgClient, silent: readonly Watched[]): Promise<Map<Watched, boolean | null>> {
  const { rows } = await other.query<{ pid: number; works: boolean | null }>({
    text: `select pid, case when state = 'disabled' or state is null then null
        else state not like 'idle%' and wait_event_type is distinct from 'Client' end as works
      from pg_stat_activity ${AMONG}`,
    values: processesOf(silent),
  });
  const works = new Map(rows.map((row) => [row.pid, row.works]));
  return new Map(
    silent.map((each) => {
      const of = works.get(each.process?.pid ?? 0);
      return [each, of === undefined ? false : of];
    }),
  );
}
