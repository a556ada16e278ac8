// How long a commit waits for its turn: until the deadline of its call. One that has begun goes through to its end.

import type { CommitOptions, Shown } from "../../core/backend.ts";
import type { Cancellation } from "../../core/cancellation.ts";
import type { Deadline } from "../../core/deadline.ts";

/** Both in one, and watching the clock only for a backend that has to wait: most get their turn at once. */
export class CommitDeadline implements CommitOptions, Cancellation {
  readonly #deadline: Deadline;
  readonly #listeners: (() => void)[] = [];
  #over: (() => void) | undefined;
  readonly shown: Shown;
  reason: unknown;

  constructor(deadline: Deadline, shown: Shown) {
    this.#deadline = deadline;
    this.shown = shown;
  }

  get signal(): Cancellation {
    return this;
  }

  get aborted(): boolean {
    try {
      this.#deadline.check();
      return false;
    } catch (refusal) {
      this.reason = refusal;
      return true;
    }
  }

  addEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.push(listener);
    if (this.#over === undefined) this.#watch();
  }

  #watch(): void {
    const waiting = new Promise<void>((resolve) => {
      this.#over = resolve;
    });
    this.#deadline.race(waiting).catch((refusal) => {
      this.reason = refusal;
      for (const each of this.#listeners.splice(0)) each();
    });
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    const at = this.#listeners.indexOf(listener);
    if (at !== -1) this.#listeners.splice(at, 1);
  }

  /** Good also without what it is taken from. */
  readonly begin = (): (() => void) => {
    const resume = this.#deadline.settle();
    this.over();
    return () => {
      resume();
      if (this.#listeners.length > 0) this.#watch();
    };
  };

  /** Nothing waits any more. */
  over(): void {
    this.#over?.();
  }
}
