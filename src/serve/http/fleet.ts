// Many workspaces over HTTP: callers are of kinds, by what their tokens allow, and each kind has its own handlers, so that nothing of one is ever sent to another.
import { createAllowance } from "../calls/allowance.ts";
import type { PageSite } from "../page/options.ts";
import { createPage } from "../page/page.ts";
import type { Lookup } from "../served/lookup.ts";
import type { ServeOptions } from "../served/served.ts";
import type { FactoryOptions } from "../server.ts";
import type { Principal, Tokens } from "./access/tokens.ts";
import { httpFactory } from "./factory.ts";
import { httpLimits } from "./limits.ts";
import { listenFor } from "./listen.ts";
import type { HttpOptions, HttpServing } from "./options.ts";
import { createHandlers, type Handlers, type HandlerTerms } from "./sessions/handlers.ts";

/** What is served to whom. */
export interface FleetOptions extends Omit<ServeOptions, "served" | "nothing" | "lookup"> {
  /** Who calls. */
  readonly principals: Tokens;
  /** What callers of this kind can find. */
  lookupFor(principal: Principal): Lookup;
  /** Rejects when calls could not be served now. */
  ready(): Promise<void>;
  /** After the last answer. */
  close(): Promise<void>;
}

/** Serves workspaces that are found by name. */
export function serveFleetOverHttp(
  { principals, lookupFor, ready, close, ...options }: FleetOptions,
  http: HttpOptions = {},
  extra: FactoryOptions = {},
): Promise<HttpServing> {
  const allowance = createAllowance(httpLimits(http.limits).answersBytes);
  const handlersFor = (principal: Principal, terms: HandlerTerms): Handlers => {
    const found: ServeOptions = { ...options, served: NONE, lookup: lookupFor(principal) };
    return createHandlers({ ...http, ...httpFactory(found, { ...extra, allowance }) }, terms);
  };
  const { page: asked, onError } = http;
  const { version } = options;
  const page = asked && { ...asked, served: [], lookupFor, version, ...(onError && { onError }) };
  const openPage = page && ((site: PageSite) => createPage(page, site));
  return listenFor({ ...http, principals, allowance, ready, openPage }, (terms) => byKind(handlersFor, terms, close));
}

const NONE = [] as unknown as ServeOptions["served"];

/** So many kinds at most, if the others are idle: what they hold in memory is little. */
const MOST_KINDS = 256;

function byKind(
  handlersFor: (principal: Principal, terms: HandlerTerms) => Handlers,
  terms: HandlerTerms,
  closed: () => Promise<void>,
): Handlers {
  /** The one used longest ago first. */
  const kinds = new Map<string, Handlers>();

  function of(principal: Principal): Handlers {
    const { kind } = principal.granted!;
    const handlers = kinds.get(kind) ?? handlersFor(principal, terms);
    kinds.delete(kind);
    kinds.set(kind, handlers);
    if (kinds.size > MOST_KINDS) makeRoom(handlers);
    return handlers;
  }

  function makeRoom(but: Handlers): void {
    for (const [kind, handlers] of kinds) {
      if (handlers === but || !handlers.isIdle()) continue;
      kinds.delete(kind);
      handlers
        .end()
        .then(handlers.close)
        .catch((error) => terms.onError(error));
      return;
    }
  }

  const all = (act: (handlers: Handlers) => Promise<void>): Promise<unknown> =>
    Promise.all([...kinds.values()].map(act));
  return {
    serve: (exchange) => of(exchange.principal).serve(exchange),
    isIdle: () => [...kinds.values()].every((handlers) => handlers.isIdle()),
    end: async () => void (await all((handlers) => handlers.end())),
    async close() {
      await all((handlers) => handlers.close());
      await closed();
    },
  };
}
