// Many workspaces over HTTP. Callers of each kind, by what their token allows, have a factory of their own, which finds what is theirs.
import { createAllowance } from "../calls/allowance.ts";
import { offeredIn } from "../calls/described.ts";
import type { FactoryOptions } from "../server.ts";
import type { Lookup } from "../workspaces/lookup.ts";
import type { ServeOptions } from "../workspaces/named.ts";
import type { Principal, Tokens } from "./access/tokens.ts";
import { denialResponse } from "./denial.ts";
import type { Exchange, HttpCaller } from "./handlers.ts";
import { type HttpOptions, type HttpServing, httpLimits } from "./options.ts";
import type { CreatePage, PageSite } from "./page.ts";
import { httpFactory, serveFactoryOverHttp } from "./server.ts";

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

/** So many kinds at most: one that is made again finds the same. */
const MAX_KINDS = 256;
const NONE = [] as unknown as ServeOptions["served"];

/** Serves workspaces that are found by name. */
export function startFleetHttp(
  { principals, lookupFor, ready, close, ...options }: FleetOptions,
  http: HttpOptions,
  extra: FactoryOptions,
  createPage: CreatePage,
): Promise<HttpServing> {
  const allowance = createAllowance(httpLimits(http.limits).answersBytes);
  const { version } = options;
  const page = http.page && { ...http.page, served: [], lookupFor, version, onError: http.onError };
  const create = (principal: Principal) => {
    const found: ServeOptions = { ...options, served: NONE, lookup: lookupFor(principal) };
    const offered = new Set(offeredIn(found).map(({ name }) => name));
    return { ...httpFactory(found, { ...extra, allowance }), offered };
  };
  /** The one used longest ago first. */
  const kinds = new Map<string, ReturnType<typeof create>>();
  const of = (principal: Principal): ReturnType<typeof create> => {
    const { kind } = principal.granted!;
    const known = kinds.get(kind) ?? create(principal);
    kinds.delete(kind);
    kinds.set(kind, known);
    if (kinds.size > MAX_KINDS) kinds.delete(kinds.keys().next().value!);
    return known;
  };

  /** What MCP asks for: a client that can get another token learns which. All others are refused in words by the call. */
  const refuse = ({ principal, calls }: Exchange): Response | undefined => {
    const { challenge } = principal.granted!;
    if (challenge === undefined) return undefined;
    const { offered } = of(principal);
    const isBeyond = (tool: unknown) =>
      !offered.has(String(tool)) && options.surface.tools.some(({ name }) => name === tool);
    const beyond = calls.find(({ tool }) => isBeyond(tool));
    return beyond && denialResponse({ ...TOO_SMALL, headers: { "www-authenticate": challenge } }, beyond.id);
  };

  return serveFactoryOverHttp({
    ...http,
    principals,
    allowance,
    ready,
    refuse,
    factory: (caller: HttpCaller) => of(caller.principal).factory(caller),
    openPage: page && ((site: PageSite) => createPage(page, site)),
    async close() {
      await Promise.all([...kinds.values()].map((each) => each.close()));
      await close();
    },
  });
}

const TOO_SMALL = {
  status: 403,
  message: "This token is not for tools that change files. Get one with the scope that is named.",
};
