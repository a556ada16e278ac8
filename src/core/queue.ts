// Queues: at most so many callers at once, and one after the other for the same key.

/** At most so many callers at once. */
export interface Limit {
  /** Takes a place. An owner gets at most as many as stay free for others; a waiter without an owner gets the next. */
  enter(owner?: string): Place;
}

export interface Place {
  /** Resolves when the place is free; undefined when it already is. */
  readonly turn: Promise<void> | undefined;
  /** Gives the place back, or leaves the queue. Call it once. */
  leave(): void;
}

export function limit(max: number): Limit {
  const held = new Map<string | undefined, number>();
  const waiting = new Set<{ readonly owner: string | undefined; readonly call: () => void }>();
  let free = max;

  const fits = (owner: string | undefined): boolean =>
    free > 0 && (owner === undefined || (held.get(owner) ?? 0) < free);

  function take(owner: string | undefined, count: 1 | -1): void {
    free -= count;
    const now = (held.get(owner) ?? 0) + count;
    if (now === 0) held.delete(owner);
    else held.set(owner, now);
  }

  function giveBack(owner: string | undefined): void {
    take(owner, -1);
    for (const waiter of waiting) {
      if (!fits(waiter.owner)) continue;
      waiting.delete(waiter);
      take(waiter.owner, 1);
      waiter.call();
    }
  }

  return {
    enter(owner) {
      if (fits(owner)) {
        take(owner, 1);
        return { turn: undefined, leave: () => giveBack(owner) };
      }
      const waiter = { owner, call: (): void => undefined };
      const turn = new Promise<void>((resolve) => {
        waiter.call = resolve;
      });
      waiting.add(waiter);
      return { turn, leave: () => (waiting.delete(waiter) ? undefined : giveBack(owner)) };
    },
  };
}

/** Runs the work of one key in the order in which it came, whether or not the work before it failed. */
export class KeyedQueue<K extends string = string> {
  readonly #tails = new Map<K, Promise<void>>();

  /** Waits for all keys; taken in sorted order, so two calls can never wait for each other. `waiting` may give up. */
  async run<T>(
    keys: readonly K[],
    work: () => Promise<T>,
    waiting: (turn: Promise<void>) => Promise<void> = (turn) => turn,
  ): Promise<T> {
    const releases: (() => void)[] = [];
    try {
      for (const key of [...new Set(keys)].sort()) {
        const turn = this.#tails.get(key);
        releases.push(this.#take(key, turn));
        if (turn !== undefined) await waiting(turn);
      }
      return await work();
    } finally {
      for (const release of releases) release();
    }
  }

  /** A call that gives up while it waits must not let the next one pass the call before it. */
  #take(key: K, turn: Promise<void> | undefined): () => void {
    let release!: () => void;
    const done = new Promise<void>((resolve) => {
      release = resolve;
    });
    const tail = turn === undefined ? done : turn.then(() => done);
    this.#tails.set(key, tail);
    const forget = (): void => void (this.#tails.get(key) === tail && this.#tails.delete(key));
    return () => {
      release();
      if (turn === undefined) forget();
      else void turn.then(forget);
    };
  }
}
