// A backend that ends in order: what is under way when it is closed is done first, and whatever it is asked for later is refused.

import type { Backend } from "../core/backend.ts";
import { Refusal } from "../core/failure.ts";

/** `leaving` is told when nothing new is let in any more; the backend itself is closed when nothing is under way. */
export function untilClosed(backend: Backend, leaving?: () => void): Backend {
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

  /** For what needs nothing of the backend any more when it has given its promise: these are asked all the time. */
  const looked =
    <Args extends readonly unknown[], T>(verb: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      closing === undefined ? verb(...args) : Promise.reject(closedRefusal());

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
    leaving?.();
    await Promise.allSettled(underWay);
    await backend.close();
  }

  return {
    ...backend,
    resolve: looked(backend.resolve),
    read: looked(backend.read),
    stream: asked(backend.stream),
    list: listed(backend.list),
    commit: asked(backend.commit),
    record: asked(backend.record),
    notice: asked(backend.notice),
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
    ...(backend.weigh !== undefined && { weigh: asked(backend.weigh) }),
    sign: asked(backend.sign),
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
