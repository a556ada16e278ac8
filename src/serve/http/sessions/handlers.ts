// What answers requests that have passed the guards: 2025 clients in their sessions, 2026 clients one by one.
import { isLegacyRequest } from "@modelcontextprotocol/server";
import type { Exchange } from "../access/caller.ts";
import type { HttpLimits } from "../limits.ts";
import type { FactoryHttpOptions } from "../options.ts";
import { createLegacySessions } from "./legacy-sessions.ts";
import { createModernHandler } from "./modern-handler.ts";

export interface Handlers {
  serve(exchange: Exchange): Promise<Response>;
  /** No request is being answered, and no session is open. */
  isIdle(): boolean;
  /** Ends sessions and streams; calls under way have been waited for. */
  end(): Promise<void>;
  /** The last thing: when everything has gone out. */
  close(): Promise<void>;
}

export interface HandlerTerms {
  readonly limits: HttpLimits;
  readonly onError: (error: Error) => void;
}

export function createHandlers(options: FactoryHttpOptions, terms: HandlerTerms): Handlers {
  const modern = createModernHandler({ ...options, ...terms });
  const legacy = createLegacySessions({ ...options, ...terms });
  let open = 0;
  return {
    async serve(exchange) {
      open += 1;
      void exchange.finished.then(() => {
        open -= 1;
      });
      const isOf2025 = await isLegacyRequest(exchange.request, exchange.body);
      return (isOf2025 ? legacy : modern).serve(exchange);
    },
    isIdle: () => open === 0 && legacy.isEmpty(),
    end: async () => void (await Promise.all([modern.close(), legacy.close()])),
    close: async () => options.close?.(),
  };
}
