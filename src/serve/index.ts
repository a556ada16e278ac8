// Serving stet over MCP (`stet/serve`): over stdio, over HTTP, or built into a server of your own.
export type { RootsOpener } from "./client-roots.ts";
export { FAILURE_META_KEY, type Log } from "./defects.ts";
export type { HandleLimits } from "./handles.ts";
export type { HttpCaller } from "./http/caller.ts";
export type { HttpServing } from "./http/options.ts";
export { readTokens } from "./http/token-sources.ts";
export { serveWorkspacesOverHttp, type WorkspaceHttpOptions } from "./http/workspaces.ts";
export { MOST_MESSAGE_BYTES } from "./message-bytes.ts";
export { type OverHttp, overHttp } from "./over-http.ts";
export type { SessionIn } from "./resources.ts";
export type { Results, Served, ServeOptions } from "./served.ts";
export { createServerFactory, type FactoryOptions, type ServerFactory } from "./server.ts";
export type { Caller, Keying, Sessions } from "./sessions.ts";
export { type StdioOptions, type StdioServing, serveOnStdio } from "./stdio.ts";
export type { Watches, WatchLimits } from "./watches.ts";
