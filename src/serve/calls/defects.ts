// Exceptions on their way out: a refusal is said in words; anything else is a defect, logged and called one, and the server goes on.
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { Cancel, type Cancellation } from "../../core/deadline.ts";
import { type Failure, Refusal } from "../../core/failure.ts";
import { inWords } from "../../surfaces/refusal.ts";

/** Where a refusal is there as data: in `_meta` of a tool's result, in `data` of a protocol error. */
export const FAILURE_META_KEY = "stet/failure";

/** Takes one line of a log. */
export type Log = (line: string) => void;

/** stdout may belong to JSON-RPC, so never there. */
export const logToStderr: Log = (line) => void process.stderr.write(`${line}\n`);

export interface Guard {
  /** The signal that the call gets follows the given one, and is also that of `cancelAll`. */
  <T>(what: string, given: Cancellation, act: (signal: Cancellation) => Promise<T>): Promise<T>;
  /** When nothing that it guards is under way any more. */
  settled(): Promise<void>;
  /** Cancels what is under way and what still comes. Unlike a call that its client cancelled, each is answered. */
  cancelAll(): void;
}

export function createGuard(log: Log): Guard {
  const underWay = new Map<Promise<unknown>, Cancel>();
  let ended = false;
  const guard = async <T>(what: string, given: Cancellation, act: (signal: Cancellation) => Promise<T>): Promise<T> => {
    const signal = new Cancel(given);
    if (ended) signal.abort(ENDED);
    const acting = act(signal);
    underWay.set(acting, signal);
    try {
      return await acting;
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      if (error instanceof Refusal) throw asProtocolError(error);
      throw defect(what, error, log);
    } finally {
      underWay.delete(acting);
    }
  };
  const settled = async (): Promise<void> => {
    while (underWay.size > 0) await Promise.allSettled(underWay.keys());
  };
  const cancelAll = (): void => {
    ended = true;
    for (const signal of underWay.values()) signal.abort(ENDED);
  };
  return Object.assign(guard, { settled, cancelAll });
}

const ENDED = new Error("The server ends.");

/** Logs it, and says no more of it than that it is one. */
export function defect(what: string, error: unknown, log: Log): ProtocolError {
  log(`stet failed in ${what}: ${error instanceof Error ? error.stack : String(error)}`);
  return new ProtocolError(ProtocolErrorCode.InternalError, words(what));
}

/** As it stands in a JSON-RPC message. */
export function errorOf({ code, message, data }: ProtocolError) {
  return { code, message, data };
}

export function asProtocolError({ failure }: Refusal, data: Readonly<Record<string, unknown>> = {}): ProtocolError {
  const words = inWords(failure, "");
  return new ProtocolError(ProtocolErrorCode.InvalidParams, boundedText(words), {
    ...data,
    [FAILURE_META_KEY]: boundedFailure(failure),
  });
}

function words(what: string): string {
  return `stet failed in ${what}. This is a defect, not a refusal: look at the files concerned before you go on. The server's log says more.`;
}

/** More than any refusal says by itself, the diff of a stale file included. */
const MAX_TEXT = 32_000;
/** In the data, where the same is said again. */
const MAX_PART = 8_000;
const MAX_PATH = 4_096;
const MAX_ENTRIES = 1_000;

export function boundedText(text: string): string {
  return cut(text, MAX_TEXT);
}

export function boundedFailure(failure: Failure): Failure {
  return JSON.stringify(failure).length <= MAX_PART ? failure : (smaller(failure) as Failure);
}

function smaller(value: unknown): unknown {
  if (typeof value === "string") return cut(value, MAX_PART);
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map(smaller);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).slice(0, MAX_ENTRIES);
  return Object.fromEntries(entries.map(([key, each]) => [cut(key, MAX_PATH), smaller(each)]));
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // Not between the halves of a surrogate pair.
  const kept = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "");
  return `${kept}… (${text.length - kept.length} characters more)`;
}
