// Cancels calls: a signal that is cheap to make, and the deadline of a call, which is such a signal.
import { Refusal } from "./failure.ts";

/** The part of AbortSignal that stet uses. Node takes longer to make a real one than a small call takes. */
export interface Cancellation {
  /** Whether it has been called off. */
  readonly aborted: boolean;
  /** What to throw then. */
  readonly reason: unknown;
  /** As of an AbortSignal. */
  addEventListener(type: "abort", listener: () => void): void;
  /** As of an AbortSignal. */
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Cancelled by the code that holds it, or with the signal that it follows. */
export class Cancel implements Cancellation {
  readonly #followed: Cancellation | undefined;
  readonly #listeners = new Set<() => void>();
  #own: { readonly reason: unknown } | undefined;

  constructor(followed?: Cancellation) {
    this.#followed = followed;
  }

  get aborted(): boolean {
    return this.#own !== undefined || this.#followed?.aborted === true;
  }

  get reason(): unknown {
    return (this.#own ?? this.#followed)?.reason;
  }

  abort(reason: unknown): void {
    this.#own = { reason };
    for (const listener of this.#listeners) listener();
  }

  addEventListener(type: "abort", listener: () => void): void {
    this.#listeners.add(listener);
    this.#followed?.addEventListener(type, listener);
  }

  removeEventListener(type: "abort", listener: () => void): void {
    this.#listeners.delete(listener);
    this.#followed?.removeEventListener(type, listener);
  }
}

/** The deadline of one call, which the caller's signal can end early. Steps check it; a commit under way may pass it. */
export class Deadline implements Cancellation {
  readonly #ms: number;
  readonly #end: number;
  readonly #signal: Cancellation | undefined;
  readonly #timers = new Map<() => void, NodeJS.Timeout>();
  #committing = 0;
  /** Ends a call whose time was up during a commit, as soon as the commit is taken back. */
  #late: (() => void) | undefined;
  /** The same refusal for the whole call, so that the journal records it once. */
  #refusal: Refusal | undefined;

  constructor(ms: number, signal?: Cancellation) {
    this.#ms = ms;
    this.#end = performance.now() + ms;
    this.#signal = signal;
  }

  get aborted(): boolean {
    return this.#refusal !== undefined || this.#signal?.aborted === true || this.remainingMs() === 0;
  }

  get reason(): Refusal {
    this.#refusal ??= this.#signal?.aborted ? cancelled(this.#signal) : timedOut(this.#ms);
    return this.#refusal;
  }

  /** Throws a refusal when the time is up or the caller has gone away. */
  check(): void {
    if (this.aborted) throw this.reason;
  }

  /** As a timer accepts it. */
  remainingMs(): number {
    return Math.min(Math.max(0, this.#end - performance.now()), MAX_TIMER_MS);
  }

  addEventListener(type: "abort", listener: () => void): void {
    this.#timers.set(
      listener,
      setTimeout(() => this.reason && listener(), this.remainingMs()),
    );
    this.#signal?.addEventListener(type, listener);
  }

  removeEventListener(type: "abort", listener: () => void): void {
    clearTimeout(this.#timers.get(listener));
    this.#timers.delete(listener);
    this.#signal?.removeEventListener(type, listener);
  }

  /** The work's result, or a refusal when the time is up first. For work that changes nothing. */
  async race<T>(work: T | Promise<T>): Promise<T> {
    return work instanceof Promise ? this.#race(work, () => true) : work;
  }

  /** The result of a whole call, or a refusal when the time is up before anything in it was committed. */
  untilSettled<T>(work: Promise<T>): Promise<T> {
    return this.#race(work, () => this.#committing === 0);
  }

  /** As `check`; then the call waits for what follows, such as a commit, beyond its time. The returned function takes that back. */
  settle(): () => void {
    this.check();
    this.#committing += 1;
    return () => {
      this.#committing -= 1;
      this.#late?.();
    };
  }

  async #race<T>(work: Promise<T>, mayCut: () => boolean): Promise<T> {
    let refuse = (): void => undefined;
    const cut = new Promise<never>((_, reject) => {
      refuse = () => {
        if (mayCut()) reject(this.reason);
        else this.#late = refuse;
      };
    });
    // Most calls end within this turn, and need neither timer nor listener.
    const nextTurn = setImmediate(() => (this.aborted ? refuse() : this.addEventListener("abort", refuse)));
    try {
      return await Promise.race([work, cut]);
    } finally {
      clearImmediate(nextTurn);
      this.removeEventListener("abort", refuse);
    }
  }
}

/** A longer timer fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

function timedOut(ms: number): Refusal {
  return new Refusal("timeout", `The call took longer than ${ms / 1000} s and was stopped.`, {
    next: "Try again, or ask for less in one call.",
  });
}

function cancelled(signal: Cancellation): Refusal {
  return new Refusal("cancelled", "The call was cancelled.", {
    next: "Call again if it is still wanted.",
    cause: signal.reason,
  });
}
