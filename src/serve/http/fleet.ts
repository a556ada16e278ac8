// Many workspaces over HTTP: callers are of kinds, by what their tokens allow, and each kind has its own handlers, so that nothing of one is ever sent to another.
import { createAllowance } from "../calls/allowance.ts";
import { offeredIn } from "../calls/described.ts";
import type { PageSite } from "../page/options.ts";
import { createPage } from "../page/page.ts";
import type { Lookup } from "../served/lookup.ts";
import type { ServeOptions } from "../served/served.ts";
import type { FactoryOptions } from "../server.ts";
import type { Exchange } from "./access/caller.ts";
import { denialResponse } from "./access/denial.ts";
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
    const handlers = createHandlers({ ...http, ...httpFactory(found, { ...extra, allowance }) }, terms);
    const offered = new Set(offeredIn(found).map(({ name }) => name));
    const others = new Set(options.surface.tools.map(({ name }) => name).filter((name) => !offered.has(name)));
    return { ...handlers, serve: async (exchange) => tooSmall(exchange, others) ?? handlers.serve(exchange) };
  };
  const { page: asked, onError } = http;
  const { version } = options;
  const page = asked && { ...asked, served: [], lookupFor, version, ...(onError && { onError }) };
  const openPage = page && ((site: PageSite) => createPage(page, site));
  return listenFor({ ...http, principals, allowance, ready, openPage }, (terms) => byKind(handlersFor, terms, close));
}

/** What MCP asks for: a client that can get another token is told which. All others are refused in words by the call. */
function tooSmall({ principal, body }: Exchange, others: ReadonlySet<string>): Response | undefined {
  const { challenge } = principal.granted!;
  if (challenge === undefined) return undefined;
  const beyond = (Array.isArray(body) ? body : [body]).find((message: unknown) => {
    const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } };
    return method === "tools/call" && typeof params?.name === "string" && others.has(params.name);
  });
  if (beyond === undefined) return undefined;
  const message = "This token is not for tools that change files. Get one with the scope that is named.";
  return denialResponse({ status: 403, message, headers: { "www-authenticate": challenge } }, beyond.id ?? null);
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
