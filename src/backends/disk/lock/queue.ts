// Waiting for the lock: callers in this thread stand in line, and the first of them asks the system until it gets it.

import type { Cancellation } from "../../../core/cancellation.ts";
import { Refusal } from "../../../core/failure.ts";
import type { Flavour } from "./contract.ts";

export interface Release {
  /** Gives the lock back. Calling it again does nothing. */
  (): void;
  /** It is certain that nothing else has held the lock since it was last given back. */
  readonly isAlone: boolean;
}

export interface AcquireOptions {
  readonly timeoutMs: number;
  /** Its reason is what the wait ends with, where that is a refusal. */
  readonly signal?: Cancellation | undefined;
}

export class LockQueue {
  readonly #flavour: Flavour;
  readonly #waiting: Waiter[] = [];
  #held = false;
  #closed = false;
  #timer: NodeJS.Timeout | NodeJS.Immediate | null = null;
  #asking: { readonly since: number; tries: number } | null = null;

  constructor(flavour: Flavour) {
    this.#flavour = flavour;
  }

  tryAcquire(): Release | null {
    if (this.#held || this.#waiting.length > 0 || !this.#flavour.take(false)) return null;
    return this.#hold();
  }

  async acquire({ timeoutMs, signal }: AcquireOptions): Promise<Release> {
    if (signal?.aborted) throw cancelled(signal);
    if (!this.#held && this.#waiting.length === 0 && this.#flavour.take(true)) return this.#hold();
    return new Promise<Release>((resolve, reject) => {
      const leave = (refusal: () => Refusal): void => {
        if (!this.#remove(waiter)) return;
        waiter.stop();
        reject(refusal());
      };
      const onAbort = (): void => leave(() => cancelled(signal));
      const onTimeout = (): void => {
        // the event loop may have been held up for longer than anybody held the lock
        if (this.#waiting[0] === waiter && !this.#held) this.#ask();
        leave(() => this.#busy(timeoutMs));
      };
      const timeout = setTimeout(onTimeout, timeoutMs);
      const stop = (): void => {
        clearTimeout(timeout);
        signal?.removeEventListener("abort", onAbort);
      };
      const waiter: Waiter = { resolve, reject, stop };
      signal?.addEventListener("abort", onAbort);
      this.#waiting.push(waiter);
      if (this.#waiting.length === 1 && !this.#held) this.#askLater();
    });
  }

  /** A holder keeps it; the system resources go when it is released. */
  close(): void {
    this.#closed = true;
    if (!this.#held && this.#waiting.length === 0) this.#flavour.close();
  }

  #hold(): Release {
    this.#held = true;
    this.#asking = null;
    let released = false;
    const release = (): void => {
      if (released) return;
      released = true;
      this.#flavour.drop();
      this.#held = false;
      if (this.#waiting.length > 0) this.#ask();
      else if (this.#closed) this.#flavour.close();
    };
    return Object.assign(release, { isAlone: this.#flavour.isAlone() });
  }

  #ask(): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    this.#forgetTimer();
    try {
      if (!this.#flavour.take(true)) {
        this.#askLater();
        return;
      }
    } catch (error) {
      this.#remove(first);
      first.stop();
      first.reject(error);
      if (this.#waiting.length > 0) this.#askLater();
      return;
    }
    this.#waiting.shift();
    first.stop();
    first.resolve(this.#hold());
  }

  #askLater(): void {
    const again = (): void => this.#ask();
    this.#asking ??= { since: performance.now(), tries: 0 };
    if (this.#asking.tries++ < EAGER_TRIES) {
      this.#timer = setImmediate(again);
      return;
    }
    const pause = pauseAfter(performance.now() - this.#asking.since);
    this.#timer = setTimeout(again, Math.round(pause * (0.5 + Math.random())));
  }

  #remove(waiter: Waiter): boolean {
    const place = this.#waiting.indexOf(waiter);
    if (place === -1) return false;
    this.#waiting.splice(place, 1);
    if (this.#waiting.length > 0 || this.#held) return true;
    this.#forgetTimer();
    this.#asking = null;
    this.#flavour.giveUp();
    if (this.#closed) this.#flavour.close();
    return true;
  }

  #forgetTimer(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer as NodeJS.Timeout);
    clearImmediate(this.#timer as NodeJS.Immediate);
    this.#timer = null;
  }

  #busy(timeoutMs: number): Refusal {
    const holder = this.#held ? "another call in this process" : this.#flavour.holder();
    return new Refusal("busy", `The workspace is in use by ${holder}; waited ${timeoutMs} ms.`, {
      next: "Try again in a moment.",
      details: { holder },
    });
  }
}

interface Waiter {
  readonly resolve: (release: Release) => void;
  readonly reject: (error: unknown) => void;
  readonly stop: () => void;
}

const EAGER_TRIES = 3;

/** More often after a while, so that the one that waits longest gets it first; rarely when the holder takes really long. */
function pauseAfter(waitedMs: number): number {
  if (waitedMs < 20) return 4;
  return waitedMs < 1000 ? 1 : 10;
}

function cancelled(signal: Cancellation | undefined): Refusal {
  if (signal?.reason instanceof Refusal) return signal.reason;
  return new Refusal("cancelled", "The call was cancelled while it waited for the workspace.", {
    next: "Call again if it is still wanted.",
    cause: signal?.reason,
  });
}
