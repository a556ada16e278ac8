// Handles that the server minted: bound to their owner, bounded in number and idle time, the least useful dropped first.

/** How many sessions by handle are remembered, and for how long. */
export interface HandleLimits {
  /** Per owner, twice: handles passed back at least once, and handles that were not. */
  readonly mostHandles: number;
  /** So long a handle that was not passed back yet is kept beyond that, up to `mostFresh` of them. */
  readonly freshMs: number;
  /** See `freshMs`. */
  readonly mostFresh: number;
  /** A handle that was not used for so long is forgotten. */
  readonly handleIdleMs: number;
  /** The clock, in milliseconds. */
  readonly now: () => number;
}

export interface Handles<T> {
  add(owner: string, handle: string, value: T): void;
  /** undefined when it never was, belongs to another owner, has expired or was dropped. */
  get(owner: string, handle: string): T | undefined;
}

interface Held<T> {
  readonly value: T;
  readonly usedAt: number;
}

/** Of a client that never passes its handle back, thousands may come: they must not push out those in use. */
interface Owned<T> {
  readonly fresh: Map<string, Held<T>>;
  readonly used: Map<string, Held<T>>;
}

const DEFAULTS: HandleLimits = {
  // What each remembers is small: a hash and some line ranges for every file it has read.
  mostHandles: 1000,
  // A model that thinks for long, or an answer that is long on its way.
  freshMs: 10 * 60 * 1000,
  mostFresh: 10_000,
  // A working day with its breaks.
  handleIdleMs: 12 * 60 * 60 * 1000,
  now: Date.now,
};

export function createHandles<T>(limits: Partial<HandleLimits> = {}): Handles<T> {
  const { mostHandles, freshMs, mostFresh, handleIdleMs, now } = { ...DEFAULTS, ...limits };
  const owners = new Map<string, Owned<T>>();
  const mayStay = (count: number, unusedMs: number, fresh: boolean): boolean =>
    (count <= mostHandles && unusedMs <= handleIdleMs) || (fresh && count <= mostFresh && unusedMs < freshMs);
  const keep = (held: Map<string, Held<T>>, handle: string, value: T, fresh: boolean): void => {
    held.delete(handle);
    held.set(handle, { value, usedAt: now() });
    for (const [oldest, { usedAt }] of held) {
      if (mayStay(held.size, now() - usedAt, fresh)) break;
      held.delete(oldest);
    }
  };
  return {
    add(owner, handle, value) {
      const owned = owners.get(owner) ?? { fresh: new Map(), used: new Map() };
      owners.set(owner, owned);
      keep(owned.fresh, handle, value, true);
    },
    get(owner, handle) {
      const owned = owners.get(owner);
      const held = owned?.used.get(handle) ?? owned?.fresh.get(handle);
      if (owned === undefined || held === undefined) return undefined;
      owned.fresh.delete(handle);
      owned.used.delete(handle);
      if (now() - held.usedAt > handleIdleMs) return undefined;
      keep(owned.used, handle, held.value, false);
      return held.value;
    },
  };
}
