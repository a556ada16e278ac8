// Serving stet over MCP (`stet/serve`): over stdio, over HTTP, or built into a server of your own.

export { serveOverHttp } from "../page/server/serve.ts";
export { FAILURE_META_KEY, type Log } from "./calls/defects.ts";
export type { GivenToken } from "./http/access/tokens.ts";
export { readTokens } from "./http/access/tokens.ts";
export { createMetrics, type Metrics, type MetricsOptions } from "./http/metrics.ts";
export type { HttpLimits, HttpOptions, HttpServing, RequestEvent } from "./http/options.ts";
export type { HttpPage } from "./http/page.ts";
export { MAX_MESSAGE_BYTES } from "./message-bytes.ts";
export type { SessionIn } from "./resources.ts";
export { type CallEvent, createServerFactory, type FactoryOptions, type ServerFactory } from "./server.ts";
export { type StdioOptions, type StdioServing, serveOnStdio } from "./stdio/stdio.ts";
export type { RootsOpener } from "./workspaces/client-roots.ts";
export type { Lookup } from "./workspaces/lookup.ts";
export type { NamedWorkspace, Results, ServeOptions } from "./workspaces/named.ts";
export type { SessionScope, Sessions } from "./workspaces/sessions.ts";
