// Questions of one moment asked as one: sessions go on at the same time, and ask for the same things.
import type { Database } from "./database.ts";
import { isLost } from "./failures.ts";

/** As many as are asked at once: all answers are in memory together. */
const MOST = { ofOne: 16, ofSeveral: 64 };

export interface Asked<Key> {
  readonly database: Database;
  readonly key: Key;
}

interface Waiting<Key, Value> extends Asked<Key> {
  resolve(value: Value): void;
  reject(error: unknown): void;
}

/** Of one workspace. `ask` answers in the order of the keys. What one key does wrong is not told to the others. */
export function together<Key, Value>(
  ask: (database: Database, keys: readonly Key[]) => Promise<readonly Value[]>,
): (database: Database, key: Key) => Promise<Value> {
  const ofOne = (all: readonly Asked<Key>[]): Promise<readonly Value[]> =>
    ask(
      all[0]!.database,
      all.map(({ key }) => key),
    );
  return asOne(ofOne, (database) => database, MOST.ofOne);
}

/** Of all workspaces of a tenant. */
export function withNeighbours<Key, Value>(
  ask: (all: readonly Asked<Key>[]) => Promise<readonly Value[]>,
): (database: Database, key: Key) => Promise<Value> {
  return asOne(ask, ({ tenancy }) => tenancy, MOST.ofSeveral);
}

function asOne<Key, Value>(
  ask: (all: readonly Asked<Key>[]) => Promise<readonly Value[]>,
  groupOf: (database: Database) => object,
  most: number,
): (database: Database, key: Key) => Promise<Value> {
  const lines = new WeakMap<object, Waiting<Key, Value>[]>();

  async function answer(waiting: readonly Waiting<Key, Value>[]): Promise<void> {
    try {
      const values = await ask(waiting);
      for (const [n, each] of waiting.entries()) each.resolve(values[n]!);
    } catch (error) {
      if (waiting.length > 1 && !isLost(error)) for (const each of waiting) void answer([each]);
      else for (const each of waiting) each.reject(error);
    }
  }

  return (database, key) =>
    new Promise((resolve, reject) => {
      const group = groupOf(database);
      const waiting = lines.get(group) ?? [];
      lines.set(group, waiting);
      waiting.push({ database, key, resolve, reject });
      if (waiting.length > 1) return;
      soon(group, () => {
        lines.delete(group);
        for (let at = 0; at < waiting.length; at += most) void answer(waiting.slice(at, at + most));
      });
    });
}

const moments = new WeakMap<object, (() => void)[]>();

/** Behind everything that has arrived by now, and all at once. */
function soon(group: object, run: () => void): void {
  const others = moments.get(group);
  if (others !== undefined) {
    others.push(run);
    return;
  }
  const all = [run];
  moments.set(group, all);
  setImmediate(() => {
    moments.delete(group);
    for (const each of all) each();
  });
}
