// Exceptions on their way out: a refusal is said in words; anything else is a defect, logged and called one, and the server goes on.
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { Refusal } from "../kernel/failure.ts";
import { inWords } from "../surfaces/call.ts";

/** Where a refusal is there as data: in `_meta` of a tool's result, in `data` of a protocol error. */
export const FAILURE_META_KEY = "stet/failure";

export type Log = (line: string) => void;

/** stdout may belong to JSON-RPC, so never there. */
export const logToStderr: Log = (line) => void process.stderr.write(`${line}\n`);

export interface Guard {
  <T>(what: string, act: () => Promise<T>): Promise<T>;
  /** When nothing that it guards is under way any more. */
  settled(): Promise<void>;
}

export function createGuard(log: Log): Guard {
  const underWay = new Set<Promise<unknown>>();
  const guard = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
    const acting = act();
    underWay.add(acting);
    try {
      return await acting;
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      if (error instanceof Refusal) throw asProtocolError(error);
      log(`stet failed in ${what}: ${error instanceof Error ? error.stack : String(error)}`);
      throw new ProtocolError(ProtocolErrorCode.InternalError, words(what));
    } finally {
      underWay.delete(acting);
    }
  };
  const settled = async (): Promise<void> => {
    while (underWay.size > 0) await Promise.allSettled(underWay);
  };
  return Object.assign(guard, { settled });
}

export function asProtocolError({ failure }: Refusal, data: Readonly<Record<string, unknown>> = {}): ProtocolError {
  const words = inWords(failure, "");
  return new ProtocolError(ProtocolErrorCode.InvalidParams, words, { ...data, [FAILURE_META_KEY]: failure });
}

function words(what: string): string {
  return `stet failed in ${what}. This is a defect, not a refusal: look at the files concerned before you go on. The server's log says more.`;
}
