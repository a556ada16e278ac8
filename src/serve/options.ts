// Checks the names of a server's options: a misspelt one is refused before anything is served.
import { type Shape, strictOptions, validate } from "../api/options.ts";
import type { GivenToken } from "./http/access/tokens.ts";
import type { HttpOptions } from "./http/options.ts";
import type { FactoryOptions } from "./server.ts";
import type { StdioOptions } from "./stdio/stdio.ts";
import type { ServeOptions } from "./workspaces/named.ts";

const SERVE = strictOptions<ServeOptions>({
  surface: true,
  served: true,
  lookup: true,
  nothing: true,
  version: true,
  results: true,
});
const COMMON: Shape<FactoryOptions> = {
  log: true,
  allowance: true,
  askFirst: true,
  onCall: true,
};
const FACTORY = strictOptions<FactoryOptions>(COMMON);
const STDIO = strictOptions<StdioOptions>({ ...COMMON, transport: true, maxMessageBytes: true, roots: true });
const HTTP = strictOptions<HttpOptions>({
  host: true,
  port: true,
  tokens: true,
  allowedHosts: true,
  allowedOrigins: true,
  limits: true,
  page: true,
  drainMs: true,
  metrics: true,
  onSessionClosed: true,
  onRequest: true,
  onError: true,
});
const TOKEN = strictOptions<GivenToken>({ name: true, token: true });

export function checkFactoryOptions(options: ServeOptions, extra: FactoryOptions): void {
  validate(options, SERVE);
  validate(extra, FACTORY);
}

export function checkStdioOptions(extra: StdioOptions): void {
  validate(extra, STDIO);
}

/** A token whose name is misspelt would be one without a name. */
export function checkHttpOptions(http: HttpOptions): void {
  validate(http, HTTP);
  for (const each of http.tokens ?? []) validate(each, TOKEN, { noObject: "A token is an object.", noun: "field" });
}
