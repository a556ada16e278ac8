// The calls of a 2025 session without an answer: no two of one id, none beyond its time, and no stream left open by cancelled ones.
import type { Denial } from "../access/denial.ts";

export type CallId = string | number;

export interface Unanswered {
  /** Why these calls of one request cannot be told apart from each other, or from those that are under way. */
  refuse(ids: readonly CallId[]): Denial | undefined;
  begin(ids: readonly CallId[]): void;
  isEmpty(): boolean;
  /** They were refused before they began. */
  drop(ids: readonly CallId[]): void;
  answered(id: CallId): void;
  /** False when it had been answered, or cancelled, before. */
  cancelled(id: CallId): boolean;
  /** No call will be answered any more. */
  clear(): void;
}

export interface UnansweredOptions {
  readonly callMs: number;
  /** Cancels a call that took too long and answers in its place. */
  readonly giveUp: (id: CallId) => void;
  /** Ends the stream that these calls shared: they get no answer, and all others of their request have one. */
  readonly endStream: (cancelled: readonly CallId[]) => void;
}

/** The calls of one request, which share a stream. */
interface Posted {
  readonly waiting: Set<CallId>;
  readonly cancelled: Set<CallId>;
  readonly deadline: NodeJS.Timeout;
}

export function createUnanswered({ callMs, giveUp, endStream }: UnansweredOptions): Unanswered {
  /** A cancelled call keeps its id until the others of its request are answered. */
  const underWay = new Map<CallId, Posted>();

  function settle(id: CallId): boolean {
    const posted = underWay.get(id);
    if (posted?.waiting.delete(id) !== true) return false;
    underWay.delete(id);
    if (posted.waiting.size === 0) end(posted);
    return true;
  }

  function end({ cancelled, deadline }: Posted): void {
    clearTimeout(deadline);
    for (const id of cancelled) underWay.delete(id);
    if (cancelled.size > 0) endStream([...cancelled]);
  }

  return {
    refuse(ids) {
      const taken = ids.find((id, at) => underWay.has(id) || ids.indexOf(id) !== at);
      return taken === undefined ? undefined : inUse(taken);
    },

    begin(ids) {
      if (ids.length === 0) return;
      const waiting = new Set(ids);
      const deadline = setTimeout(() => [...waiting].forEach(giveUp), callMs);
      const posted: Posted = { waiting, cancelled: new Set(), deadline };
      for (const id of ids) underWay.set(id, posted);
    },

    isEmpty: () => underWay.size === 0,
    drop: (ids) => ids.forEach(settle),
    answered: (id) => void settle(id),

    cancelled(id) {
      const posted = underWay.get(id);
      if (posted?.waiting.delete(id) !== true) return false;
      posted.cancelled.add(id);
      if (posted.waiting.size === 0) end(posted);
      return true;
    },

    clear() {
      for (const { deadline } of underWay.values()) clearTimeout(deadline);
      underWay.clear();
    },
  };
}

function inUse(id: CallId): Denial {
  const message = `Invalid Request: the id ${JSON.stringify(id)} is that of another call without an answer. Give each call its own.`;
  return { status: 400, code: -32600, message };
}
