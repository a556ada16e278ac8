// A database for the tests of one file, on a server that all files of a worker share: to set up a server takes seconds.
import { openPool } from "stet/backends/postgres";
import { startPostgres } from "../../scripts/postgres.mjs";

export interface TestDatabase {
  readonly url: string;
  readonly port: number;
  /** By way of something that listens in between. */
  through(proxy: { readonly url: string }): string;
  remove(): Promise<void>;
}

/** Kept by the process, not by this module: files that are run one after the other may load it anew. */
const shared = globalThis as { testServer?: ReturnType<typeof startPostgres>; testDatabases?: number };

/** An empty one. */
export async function ownDatabase(): Promise<TestDatabase> {
  shared.testServer ??= startPostgres({ settings: { fsync: "off", max_connections: 200 } });
  const { url, port } = await shared.testServer;
  shared.testDatabases = (shared.testDatabases ?? 0) + 1;
  const name = `test${shared.testDatabases}`;
  const statement = async (text: string): Promise<void> => {
    const pool = await openPool(url, { connections: 1 });
    await pool.query(text).finally(() => pool.end());
  };
  await statement(`create database ${name}`);
  const own = url.replace(/\/postgres$/, `/${name}`);
  return {
    url: own,
    port,
    through: (proxy) => own.replace(`:${port}/`, `:${new URL(proxy.url).port}/`),
    remove: () => statement(`drop database ${name} with (force)`),
  };
}
