// Questions of one moment asked as one: sessions of a workspace go on at the same time, and ask for the same things.
import type { Database } from "./database.ts";
import { isLost } from "./failures.ts";

/** As many as are asked at once: all answers are in memory together. */
const MOST = 16;

interface Waiting<Key, Value> {
  readonly key: Key;
  resolve(value: Value): void;
  reject(error: unknown): void;
}

/** `ask` answers in the order of the keys. What one key does wrong is not told to the others. */
export function together<Key, Value>(
  ask: (database: Database, keys: readonly Key[]) => Promise<readonly Value[]>,
): (database: Database, key: Key) => Promise<Value> {
  const lines = new WeakMap<Database, Waiting<Key, Value>[]>();

  async function answer(database: Database, waiting: readonly Waiting<Key, Value>[]): Promise<void> {
    try {
      const keys = waiting.map(({ key }) => key);
      const values = await ask(database, keys);
      for (const [n, each] of waiting.entries()) each.resolve(values[n]!);
    } catch (error) {
      if (waiting.length > 1 && !isLost(error)) for (const each of waiting) void answer(database, [each]);
      else for (const each of waiting) each.reject(error);
    }
  }

  return (database, key) =>
    new Promise((resolve, reject) => {
      const waiting = lines.get(database) ?? [];
      lines.set(database, waiting);
      waiting.push({ key, resolve, reject });
      if (waiting.length > 1) return;
      soon(database, () => {
        lines.delete(database);
        for (let at = 0; at < waiting.length; at += MOST) void answer(database, waiting.slice(at, at + MOST));
      });
    });
}

const moments = new WeakMap<Database, (() => void)[]>();

/** Behind everything that has arrived by now, and all at once. */
function soon(database: Database, run: () => void): void {
  const others = moments.get(database);
  if (others !== undefined) {
    others.push(run);
    return;
  }
  const all = [run];
  moments.set(database, all);
  setImmediate(() => {
    moments.delete(database);
    for (const each of all) each();
  });
}
