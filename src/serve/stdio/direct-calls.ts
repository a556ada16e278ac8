// tools/call as the protocols of 2025 have it, past the SDK, which takes longer for it than a small call itself takes.
// Only what is as plain as can be: all else, and every other method, is the SDK's.
import {
  type CallToolResult,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type ProtocolError,
  ProtocolErrorCode,
  type RequestId,
} from "@modelcontextprotocol/server";
import { Cancel } from "../../core/deadline.ts";
import { isRecord } from "../../core/is-record.ts";
import { errorOf } from "../calls/defects.ts";
import type { CallNow } from "../server.ts";

export interface DirectCallOptions {
  /** Throws nothing but protocol errors. */
  readonly call: (made: Pick<CallNow, "request" | "id" | "signal">) => Promise<CallToolResult>;
  readonly send: (message: JSONRPCMessage) => Promise<void>;
}

export interface DirectCalls {
  /** False when the message is for the SDK. */
  take(message: JSONRPCMessage): boolean;
  /** The connection has ended: no client waits for the answers. */
  cancelAll(): void;
}

export function createDirectCalls({ call, send }: DirectCallOptions): DirectCalls {
  const underWay = new Map<RequestId, Cancel>();

  const answer = async (id: RequestId, request: CallNow["request"]): Promise<void> => {
    const signal = new Cancel();
    underWay.set(id, signal);
    const answered = call({ request, id, signal }).then(
      (result) => ({ result }),
      (error: ProtocolError) => ({ error: errorOf(error) }),
    );
    const outcome = await answered.finally(() => underWay.delete(id));
    if (!signal.aborted) await send({ jsonrpc: "2.0", id, ...outcome });
  };

  return {
    take(message) {
      if (!("method" in message)) return false;
      if (message.method === "notifications/cancelled") {
        const { requestId, reason } = (message.params ?? {}) as { requestId?: RequestId; reason?: unknown };
        const cancel = underWay.get(requestId as RequestId);
        cancel?.abort(reason);
        return cancel !== undefined;
      }
      if (message.method !== "tools/call" || !("id" in message) || !isPlain(message.params)) return false;
      if (underWay.has(message.id)) {
        // Without the id: the answer to that is the first call's.
        const words = `A call of the id ${JSON.stringify(message.id).slice(0, 200)} is still under way.`;
        void send({ jsonrpc: "2.0", error: { code: ProtocolErrorCode.InvalidRequest, message: words } }).catch(
          () => {},
        );
        return true;
      }
      void answer(message.id, message.params).catch(() => {});
      return true;
    },
    cancelAll() {
      for (const cancel of underWay.values()) cancel.abort("The connection has ended.");
    },
  };
}

function isPlain(params: JSONRPCRequest["params"]): params is CallNow["request"] {
  const { name, arguments: input, _meta, ...others } = (params ?? {}) as Record<string, unknown>;
  if (typeof name !== "string" || Object.keys(others).length > 0) return false;
  return (input === undefined || isRecord(input)) && (_meta === undefined || (isRecord(_meta) && isOrdinary(_meta)));
}

/** A progress token and what clients put there for themselves, but nothing that later protocols have a meaning for. */
function isOrdinary({ progressToken, ...others }: Record<string, unknown>): boolean {
  const known = progressToken === undefined || typeof progressToken === "string" || Number.isSafeInteger(progressToken);
  return known && !Object.keys(others).some((key) => key.startsWith("io.modelcontextprotocol/"));
}
