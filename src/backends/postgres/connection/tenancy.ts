// What the workspaces of one tenant have in common in this process: questions and changes of several go to the database as one.
import { type Client, inOnePieceFromNow, onConnection, type Pool, type Query } from "./client.ts";
import { behind, enter, inScope } from "./scope.ts";
import { inShare } from "./shares.ts";
import { sharing } from "./sharing.ts";

/** Of statements that find their rows by their keys. */
export interface Tenancy {
  /** On one connection, which sees nothing but these workspaces where row-level security holds. */
  on<T>(ws: readonly number[], work: (client: Client) => Promise<T>): Promise<T>;
  /** What takes a moment: questions that are under way at the same time share a connection. */
  quick<Row>(ws: readonly number[], query: Query): Promise<Row[]>;
}

/** For as long as a workspace of the tenant is open. */
const known = new WeakMap<Pool, Map<string, WeakRef<Tenancy>>>();

export function tenancyOf(pool: Pool, tenant: string): Tenancy {
  const all = known.get(pool) ?? new Map<string, WeakRef<Tenancy>>();
  known.set(pool, all);
  const found = all.get(tenant)?.deref();
  if (found !== undefined) return found;
  const made = tenancy(pool, tenant);
  all.set(tenant, new WeakRef(made));
  closed.register(made, () => {
    if (all.get(tenant)?.deref() === undefined) all.delete(tenant);
  });
  return made;
}

const closed = new FinalizationRegistry((forget: () => void) => forget());

function tenancy(pool: Pool, tenant: string): Tenancy {
  const onShared = sharing((work) => inShare(pool, tenant, () => onConnection(pool, work)));
  return {
    on: (ws, work) => inScope(pool, { tenant, ws, byKey: true }, work),
    quick: <Row>(ws: readonly number[], query: Query) =>
      onShared(async (client) => {
        inOnePieceFromNow(client);
        const entered = enter(client, { tenant, ws, byKey: true });
        const { rows } = await behind(entered, client.query<Row>(query));
        return rows;
      }),
  };
}
