// What a call waits for: work that is done at once is not watched, work that is not can be cut off.
import { describe, expect, it } from "vitest";
import type { Cancellation } from "../../src/core/cancellation.ts";
import { startDeadline } from "../../src/core/deadline.ts";
import { refuses } from "../../src/testing/assertions.ts";

const never = () => new Promise<never>(() => {});
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("a deadline", () => {
  it("cuts off work when its time is up", async () => {
    await refuses("timeout", () => startDeadline(5).race(never()));
    await refuses("timeout", () => startDeadline(5).untilSettled(never()));
  });

  it("cuts off work that is cancelled, in the same turn and later", async () => {
    const soon = new AbortController();
    const cutSoon = refuses("cancelled", () => startDeadline(60_000, soon.signal).race(never()));
    soon.abort();
    await cutSoon;
    const later = new AbortController();
    const cutLater = refuses("cancelled", () => startDeadline(60_000, later.signal).race(never()));
    await nextTurn();
    await nextTurn();
    later.abort();
    await cutLater;
  });

  it("waits for what was settled, whatever happens meanwhile", async () => {
    const cancel = new AbortController();
    const deadline = startDeadline(60_000, cancel.signal);
    let finish = (_value: string) => {};
    const work = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const waiting = deadline.untilSettled(work);
    deadline.settle();
    cancel.abort();
    await nextTurn();
    await nextTurn();
    finish("done");
    expect(await waiting).toBe("done");
  });

  it("listens for nothing once the work is done", async () => {
    const cancel = new Listened();
    const deadline = startDeadline(60_000, cancel);
    await deadline.race(Promise.resolve());
    await nextTurn();
    expect(cancel.most).toBe(0);
    await deadline.race(nextTurn().then(nextTurn));
    expect(cancel.most).toBe(1);
    expect(cancel.listeners.size).toBe(0);
  });
});

class Listened implements Cancellation {
  readonly aborted = false;
  readonly reason = undefined;
  readonly listeners = new Set<() => void>();
  most = 0;

  addEventListener(_type: "abort", listener: () => void): void {
    this.listeners.add(listener);
    this.most = Math.max(this.most, this.listeners.size);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.listeners.delete(listener);
  }
}
