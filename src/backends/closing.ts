// A backend that ends in order: what is under way when it is closed is done first, and whatever it is asked for later is refused.
import type { Backend, Ledger } from "../core/backend.ts";
import { Refusal } from "../core/failure.ts";

/** How a backend ends. */
export interface Ending {
  /** Even a look needs the backend until it is answered, as where it goes over a network. */
  readonly waitsForLooks?: boolean;
}

/** The backend, which from its `close` on refuses what it is asked for, after what is under way is done. Its methods may not need `this`. */
export function untilClosed(backend: Backend, { waitsForLooks = false }: Ending = {}): Backend {
  const underWay = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

  function tracked<T>(use: Promise<T>): Promise<T> {
    const over = (): void => void underWay.delete(use);
    underWay.add(use);
    use.then(over, over);
    return use;
  }

  const asked =
    <Args extends readonly unknown[], T>(verb: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      closing === undefined ? tracked(verb(...args)) : Promise.reject(closedRefusal());

  /** For what needs nothing of most backends any more when it has given its promise: these are asked all the time. */
  const looked = <Args extends readonly unknown[], T>(
    verb: (...args: Args) => Promise<T>,
  ): ((...args: Args) => Promise<T>) =>
    waitsForLooks
      ? asked(verb)
      : (...args) => (closing === undefined ? verb(...args) : Promise.reject(closedRefusal()));

  function remembered(ledger: (session: string) => Ledger): (session: string) => Ledger {
    return (session) => {
      const { get, set, delete: forget, clear } = ledger(session);
      const later =
        <Args extends readonly unknown[], T>(verb: (...args: Args) => T | Promise<T>) =>
        async (...args: Args): Promise<T> =>
          verb(...args);
      return {
        get: asked(later(get)),
        set: asked(later(set)),
        delete: asked(later(forget)),
        ...(clear !== undefined && { clear: asked(later(clear)) }),
      };
    };
  }

  /** Step by step: the next one may never be asked for, so closing waits for the one under way only. */
  const listed =
    <Args extends readonly unknown[], T>(verb: (...args: Args) => AsyncIterable<T>) =>
    (...args: Args): AsyncIterable<T> => ({
      [Symbol.asyncIterator]() {
        const items = closing === undefined ? verb(...args)[Symbol.asyncIterator]() : undefined;
        const end = async (): Promise<void> => void (await items?.return?.());
        return {
          next: () => (closing === undefined && items !== undefined ? tracked(items.next()) : end().then(refuse)),
          return: (value) => tracked(end()).then(() => ({ done: true, value })),
        };
      },
    });

  async function close(): Promise<void> {
    await Promise.allSettled(underWay);
    await backend.close();
  }

  return {
    ...backend,
    resolve: looked(backend.resolve),
    read: looked(backend.read),
    stream: asked(backend.stream),
    ...(backend.readMany !== undefined && { readMany: asked(backend.readMany) }),
    list: listed(backend.list),
    ...(backend.makeDirectory !== undefined && { makeDirectory: asked(backend.makeDirectory) }),
    commit: asked(backend.commit),
    record: asked(backend.record),
    notice: asked(backend.notice),
    witness: asked(backend.witness),
    recall: asked(backend.recall),
    keep: asked(backend.keep),
    kept: listed(backend.kept),
    forget: asked(backend.forget),
    head: looked(backend.head),
    ...(backend.heads !== undefined && { heads: asked(backend.heads) }),
    ...(backend.tail !== undefined && { tail: looked(backend.tail) }),
    log: listed(backend.log),
    ...(backend.uses !== undefined && { uses: listed(backend.uses) }),
    verify: asked(backend.verify),
    ...(backend.searchable !== undefined && { searchable: asked(backend.searchable) }),
    ...(backend.weigh !== undefined && { weigh: asked(backend.weigh) }),
    sign: asked(backend.sign),
    ...(backend.ledger !== undefined && { ledger: remembered(backend.ledger) }),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

export function closedRefusal(): Refusal {
  return new Refusal("unsupported", "The workspace was closed.", { next: "Open it again." });
}

function refuse(): never {
  throw closedRefusal();
}
