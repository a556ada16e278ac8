// A workspace that is not there, as an empty one: its first change makes it, in the same transaction. A call that is refused makes nothing.
import type { Backend, Entry, EntryDraft, Ledger } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import type { Pool } from "../connection/client.ts";
import { type Database, databaseOf } from "../connection/database.ts";
import { makingRow, noSuchWorkspace, numberToCome } from "../tenants/place.ts";

interface ToBeMade {
  readonly pool: Pool;
  readonly tenant: string;
  readonly workspace: string;
  readonly waitMs: number;
  backendOf(database: Database): Backend;
  /** The one that another caller made meanwhile. */
  openOther(): Promise<Backend>;
}

export async function toBeMade({ pool, tenant, workspace, waitMs, backendOf, openOther }: ToBeMade): Promise<Backend> {
  const ws = await numberToCome(pool, tenant, waitMs);
  const unmade = { row: makingRow(ws, tenant, workspace), is: true };
  const own = backendOf({ ...databaseOf(pool, tenant, ws, waitMs), unmade });
  let other: Promise<Backend> | undefined;
  let now = own;

  const commit: Backend["commit"] = (...args) =>
    now.commit(...args).catch(async (error) => {
      if (!meanwhile.has(error)) throw error;
      other ??= openOther().catch((why) => {
        // one that cannot be opened now may be later
        other = undefined;
        throw why;
      });
      now = await other;
      return now.commit(...args);
    });

  /** Refusals in what is not there are written down nowhere. */
  async function record(draft: EntryDraft): Promise<Entry> {
    if (now === own && unmade.is && draft.outcome === "refused") throw noSuchWorkspace(tenant, workspace);
    return now.record(draft);
  }

  async function close(): Promise<void> {
    const opened = await other?.catch(() => undefined);
    await opened?.close();
    await own.close();
  }

  /** Sessions keep theirs: each use asks the workspace that it is by then. */
  function ledger(session: string): Ledger {
    let asked = now;
    let current = now.ledger!(session);
    const ofNow = (): Ledger => {
      if (asked !== now) [asked, current] = [now, now.ledger!(session)];
      return current;
    };
    return {
      get: (path, at) => ofNow().get(path, at),
      set: (path, seen) => ofNow().set(path, seen),
      delete: (path) => ofNow().delete(path),
      clear: () => ofNow().clear?.(),
    };
  }

  return { ...goingOver(own, () => now), commit, record, ledger, close };
}

/** Each method is that of the backend of the moment, also where it was taken out of this object before. */
function goingOver(first: Backend, now: () => Backend): Backend {
  const methods = Object.entries(first).map(([name, value]) => {
    if (typeof value !== "function") return [name, value];
    return [name, (...args: unknown[]) => Reflect.get(now(), name)(...args)];
  });
  return Object.fromEntries(methods);
}

const meanwhile = new WeakSet<Refusal>();

/** Another caller made the workspace, with another number, in the moment before this one would have. */
export function madeMeanwhile(): Refusal {
  const why = "The workspace was made by another call at this moment.";
  const refusal = new Refusal("busy", why, { next: "Try again." });
  meanwhile.add(refusal);
  return refusal;
}
