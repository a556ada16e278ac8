// Many workspaces over HTTP. Each kind of caller, by what its token allows, has handlers of its own, so that nothing of one kind is
// sent to another.
import { createAllowance } from "../calls/allowance.ts";
import { offeredIn } from "../calls/described.ts";
import type { FactoryOptions } from "../server.ts";
import type { Lookup } from "../workspaces/lookup.ts";
import type { ServeOptions } from "../workspaces/named.ts";
import type { Principal, Tokens } from "./access/tokens.ts";
import { denialResponse } from "./denial.ts";
import { createHandlers, type Exchange, type HandlerOptions, type Handlers } from "./handlers.ts";
import { type HttpOptions, type HttpServing, httpLimits } from "./options.ts";
import type { CreatePage, PageSite } from "./page.ts";
import { httpFactory, listenFor } from "./server.ts";

type Terms = Pick<HandlerOptions, "limits" | "onError">;

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
export function startFleetHttp(
  { principals, lookupFor, ready, close, ...options }: FleetOptions,
  http: HttpOptions,
  extra: FactoryOptions,
  createPage: CreatePage,
): Promise<HttpServing> {
  const allowance = createAllowance(httpLimits(http.limits).answersBytes);
  const handlersFor = (principal: Principal, terms: Terms): Handlers => {
    const found: ServeOptions = { ...options, served: NONE, lookup: lookupFor(principal) };
    const { factory, close } = httpFactory(found, { ...extra, allowance });
    const handlers = createHandlers({ ...http, ...terms, factory }, close);
    const offered = new Set(offeredIn(found).map(({ name }) => name));
    const others = new Set(options.surface.tools.map(({ name }) => name).filter((name) => !offered.has(name)));
    return { ...handlers, serve: async (exchange) => tooSmall(exchange, others) ?? handlers.serve(exchange) };
  };
  const { version } = options;
  const page = http.page && { ...http.page, served: [], lookupFor, version, onError: http.onError };
  const openPage = page && ((site: PageSite) => createPage(page, site));
  return listenFor({ ...http, principals, allowance, ready, openPage }, (terms) => byKind(handlersFor, terms, close));
}

/** What MCP asks for: a client that can get another token learns which. All others are refused in words by the call. */
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
const MAX_KINDS = 256;

function byKind(
  handlersFor: (principal: Principal, terms: Terms) => Handlers,
  terms: Terms,
  closed: () => Promise<void>,
): Handlers {
  /** The one used longest ago first. */
  const kinds = new Map<string, Handlers>();

  function of(principal: Principal): Handlers {
    const { kind } = principal.granted!;
    const handlers = kinds.get(kind) ?? handlersFor(principal, terms);
    kinds.delete(kind);
    kinds.set(kind, handlers);
    if (kinds.size > MAX_KINDS) makeRoom(handlers);
    return handlers;
  }

  function makeRoom(but: Handlers): void {
    for (const [kind, handlers] of kinds) {
      if (handlers === but || !handlers.isIdle()) continue;
      kinds.delete(kind);
      handlers
        .close()
        .then(handlers.release)
        .catch((error) => terms.onError(error));
      return;
    }
  }

  const all = (act: (handlers: Handlers) => Promise<void>): Promise<unknown> =>
    Promise.all([...kinds.values()].map(act));
  return {
    serve: (exchange) => of(exchange.principal).serve(exchange),
    isIdle: () => [...kinds.values()].every((handlers) => handlers.isIdle()),
    close: async () => void (await all((handlers) => handlers.close())),
    async release() {
      await all((handlers) => handlers.release());
      await closed();
    },
  };
}
