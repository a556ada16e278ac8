// Which rows a connection may see, told to the database before anything is asked: row-level security goes by it where the role is not the tables' owner.
import { type Client, onConnection, type Pool, type Query } from "./client.ts";

export interface Scope {
  readonly tenant: string;
  /** The workspace; undefined while it is being looked for. */
  readonly ws?: number;
  /** The sha256 of a token that is looked for. */
  readonly token?: Buffer;
}

/** What each connection was told last: most are asked about the same workspace again. */
const told = new WeakMap<Client, string>();

/** Runs `work` on a connection that sees this scope only. */
export function inScope<T>(pool: Pool, scope: Scope, work: (client: Client) => Promise<T>): Promise<T> {
  return onConnection(pool, async (client) => {
    // sent first; what follows does not wait for the answer
    const entered = enter(client, scope);
    const [done] = await Promise.all([work(client), entered]);
    return done;
  });
}

async function enter(client: Client, { tenant, ws, token }: Scope): Promise<void> {
  const values = [tenant, ws === undefined ? "" : String(ws), token?.toString("hex") ?? ""];
  const key = JSON.stringify(values);
  if (told.get(client) === key) return;
  told.set(client, key);
  await client.query({ ...ENTER, values }).catch((error) => {
    told.delete(client);
    throw error;
  });
}

const ENTER: Query = {
  name: "stet-scope",
  text: "select set_config('stet.tenant', $1, false), set_config('stet.ws', $2, false), set_config('stet.token', $3, false)",
};
