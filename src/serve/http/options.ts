// What an owner decides about a server over HTTP, and what they get.
import type { ServerEventBus } from "@modelcontextprotocol/server";
import type { Allowance } from "../calls/allowance.ts";
import type { PageOptions, PageSite } from "../page/options.ts";
import type { Page } from "../page/page.ts";
import type { HttpServerFactory } from "./access/caller.ts";
import type { GivenToken } from "./access/given-tokens.ts";
import type { Tokens } from "./access/tokens.ts";
import type { HttpLimits } from "./limits.ts";
import type { MetricsOptions } from "./metrics.ts";

/** What an owner decides about a server over HTTP. */
export interface HttpOptions {
  /** 127.0.0.1 unless told; any other than loopback needs `tokens`. */
  readonly host?: string;
  /** 0, the default, takes any free one. */
  readonly port?: number;
  /** None given: one of 256 random bits is made, and told in `token` of what is returned. */
  readonly tokens?: readonly GivenToken[];
  /** Further exact values of Host, with the port where clients send one. */
  readonly allowedHosts?: readonly string[];
  /** Further exact values of Origin. */
  readonly allowedOrigins?: readonly string[];
  /** Those that are left out keep their defaults. */
  readonly limits?: Partial<HttpLimits>;
  /** `GET /metrics`, with a token of its own; there is none unless given. */
  readonly metrics?: MetricsOptions;
  /** How long calls are still taken after a shutdown was asked for, while readiness says no: for what sends them elsewhere then. */
  readonly drainMs?: number;
  /** The page at `/`, for people who review what agents did; there is none unless given. */
  readonly page?: HttpPage;
  /** Told the Mcp-Session-Id of every 2025 session that has ended. */
  readonly onSessionClosed?: (sessionId: string) => void;
  /** Told of every request when it has been answered, for an access log. */
  readonly onRequest?: (event: RequestEvent) => void;
  /** Told of defects; not of requests that were refused. */
  readonly onError?: (error: Error) => void;
}

/** The page at `/` for the people whose agents are served. */
export type HttpPage = Omit<PageOptions, "served" | "lookupFor" | "version" | "onError">;

/** What is served behind the guards. */
export interface ListenOptions extends HttpOptions {
  /** In place of `tokens`: they are known elsewhere. */
  readonly principals?: Tokens;
  /** Opens the page at `/`, where there is one. */
  readonly openPage?: ((site: PageSite) => Page) | undefined;
  /** Where unread answers are counted, when calls look there too. */
  readonly allowance?: Allowance;
  /** Rejects when calls could not be served now; nothing of the error is told. */
  readonly ready?: () => Promise<void>;
}

/** What follows from the workspaces, or from a server of another kind. */
export interface FactoryHttpOptions extends ListenOptions {
  readonly factory: HttpServerFactory;
  /** Where a server of another kind publishes changes for the streams of 2026 clients. */
  readonly bus?: ServerEventBus;
  /** The last thing a shutdown does. */
  readonly close?: () => Promise<void>;
}

/** One line of an access log. Has no token, no body, no query. */
export interface RequestEvent {
  /** Of HTTP. */
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Of the answer. */
  readonly status: number;
  /** From the request to the end of the answer. */
  readonly ms: number;
  /** The address that it came from. */
  readonly remote: string;
  /** Whose token it had, if a valid one. */
  readonly principal?: string;
  /** Why its token opens nothing, where that is known. */
  readonly denied?: string;
}

/** A server that listens. */
export interface HttpServing {
  /** Of the MCP endpoint, as a client on this machine writes it. */
  readonly url: string;
  /** As it was given. */
  readonly host: string;
  /** As it was given, or the one that was free. */
  readonly port: number;
  /** Only when none was given: to be shown to the owner once. */
  readonly token: string | undefined;
  /** The address of the page with a secret that lets its owner in, once; only where there is a page. */
  readonly pageLink: string | undefined;
  /** Lets running calls finish, for a while, then ends sessions and streams. */
  close(): Promise<void>;
}
