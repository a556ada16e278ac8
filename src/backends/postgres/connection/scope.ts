// Which rows a connection may see, told to the database before anything is asked: row-level security goes by it where the role is not the tables' owner.
import { type Client, inOnePieceFromNow, onConnection, type Pool, type Query } from "./client.ts";
import { inShare } from "./shares.ts";

/** The rows of a tenant, and of some of its workspaces; or those of tokens, by their sha256. */
export type Scope = Place | { readonly tokens: readonly Buffer[] };

export interface Place {
  readonly tenant: string;
  readonly ws?: readonly number[];
  /** All that is asked is the same every time, and finds its rows by their keys, however few there seem to be. */
  readonly byKey?: boolean;
}

interface Told {
  readonly key: string;
  readonly done: Promise<void>;
}

/** What each connection was told last: most are asked about the same workspace again. */
const told = new WeakMap<Client, Told>();

/** Runs `work` on a connection that sees this scope only. */
export function inScope<T>(pool: Pool, scope: Scope, work: (client: Client) => Promise<T>): Promise<T> {
  const once = (): Promise<T> =>
    onConnection(pool, async (client) => {
      // sent first; what follows does not wait for the answer, and goes out with it
      inOnePieceFromNow(client);
      const entered = "tokens" in scope ? client.query(ofTokens(scope.tokens)) : enter(client, scope);
      return behind(entered, work(client));
    });
  return "tokens" in scope ? once() : inShare(pool, scope.tenant, once);
}

/** What `work` came to. Where it was not told its scope before, what it found does not count; what it changed, it has told. */
export async function behind<T>(entered: Promise<unknown>, work: Promise<T>): Promise<T> {
  const [done, before] = await Promise.allSettled([work, entered]);
  for (const each of [done, before]) if (each.status === "rejected") throw each.reason;
  return (done as PromiseFulfilledResult<T>).value;
}

/** Null: as the database or its owner has set it. */
const valuesOf = ({ tenant, ws = [], byKey = false }: Place): (string | null)[] => [
  tenant,
  ws.join(","),
  ...(byKey ? ["force_generic_plan", "off"] : [null, null]),
];

const SETTINGS = ["enable_seqscan", "enable_hashjoin", "enable_mergejoin"]
  .map((name) => `set_config('${name}', $4, false)`)
  .join(", ");

/** From here on this connection sees nothing else. What is asked next goes out behind it, and is to be taken as `behind` it. */
export function enter(client: Client, place: Place): Promise<void> {
  const values = valuesOf(place);
  const key = JSON.stringify(values);
  const known = told.get(client);
  if (known?.key === key) return known.done;
  const text = `select set_config('stet.tenant', $1, false), set_config('stet.ws', $2, false),
    set_config('plan_cache_mode', $3, false), ${SETTINGS}`;
  const now: Told = {
    key,
    done: client.query({ name: "stet-scope", text, values }).then(
      () => {},
      (error) => {
        if (told.get(client) === now) told.delete(client);
        throw error;
      },
    ),
  };
  told.set(client, now);
  return now.done;
}

/** A setting of its own, so that looking for a token does not take back what else the connection was told. */
function ofTokens(hashes: readonly Buffer[]): Query {
  const values = [hashes.map((hash) => hash.toString("hex")).join(",")];
  return { name: "stet-token-scope", text: "select set_config('stet.token', $1, false)", values };
}
