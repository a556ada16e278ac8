// How the caller of something that takes time takes it back.

/** What is needed of an AbortSignal, which is one: to make a real one for every call costs more than a small call does. */
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

/** One that is cancelled by the code that holds it. */
export class Cancel implements Cancellation {
  aborted = false;
  reason: unknown;
  readonly #listeners = new Set<() => void>();

  abort(reason: unknown): void {
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.#listeners) listener();
  }

  addEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.delete(listener);
  }
}

/** Cancelled when one of two is. The reason is that of the first, if it is. */
export class Either implements Cancellation {
  readonly #one: Cancellation;
  readonly #other: Cancellation;

  constructor(one: Cancellation, other: Cancellation) {
    this.#one = one;
    this.#other = other;
  }

  get aborted(): boolean {
    return this.#one.aborted || this.#other.aborted;
  }

  get reason(): unknown {
    return this.#one.aborted ? this.#one.reason : this.#other.reason;
  }

  addEventListener(type: "abort", listener: () => void): void {
    this.#one.addEventListener(type, listener);
    this.#other.addEventListener(type, listener);
  }

  removeEventListener(type: "abort", listener: () => void): void {
    this.#one.removeEventListener(type, listener);
    this.#other.removeEventListener(type, listener);
  }
}
