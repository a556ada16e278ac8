// A backend that says so when it is used after it was closed, whatever it is asked for.
import { Refusal } from "../kernel/failure.ts";
import type { Backend } from "./backend.ts";

export function untilClosed(backend: Backend): Backend {
  let closing: Promise<void> | undefined;
  const asked =
    <Args extends readonly unknown[], T>(verb: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      closing === undefined ? verb(...args) : Promise.reject(closedRefusal());
  const listed =
    <Args extends readonly unknown[], T>(verb: (...args: Args) => AsyncIterable<T>) =>
    (...args: Args): AsyncIterable<T> =>
      closing === undefined ? verb(...args) : refusing();
  return {
    ...backend,
    resolve: asked(backend.resolve),
    read: asked(backend.read),
    stream: asked(backend.stream),
    list: listed(backend.list),
    commit: asked(backend.commit),
    record: asked(backend.record),
    notice: asked(backend.notice),
    recall: asked(backend.recall),
    keep: asked(backend.keep),
    kept: listed(backend.kept),
    forget: asked(backend.forget),
    head: asked(backend.head),
    log: listed(backend.log),
    verify: asked(backend.verify),
    sign: asked(backend.sign),
    close() {
      closing ??= backend.close();
      return closing;
    },
  };
}

export function closedRefusal(): Refusal {
  return new Refusal("unsupported", "The workspace was closed.", { next: "Open it again." });
}

// biome-ignore lint/correctness/useYield: it refuses when it is asked for the first item, as one that was open would
async function* refusing(): AsyncGenerator<never> {
  throw closedRefusal();
}
