// The settings of `stet serve`: where to listen, whom to believe, how much to take.
import { dirname } from "node:path";
import { Refusal } from "../../core/failure.ts";
import { exactHost, exactOrigin } from "../../serve/http/access/address.ts";
import { complaintAbout, type GivenToken } from "../../serve/http/access/tokens.ts";
import type { Terminal } from "../options/command.ts";
import { defined } from "../options/given.ts";
import type { ConfigFile } from "./config-file.ts";
import { portIn, portOf, textIn } from "./environment.ts";
import { absolute } from "./paths.ts";

export interface HttpFlags {
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly tokenFile?: string | undefined;
}

export interface HttpSettings {
  readonly host: string;
  readonly port: number;
  /** No port was named: another one will do when it is taken. */
  readonly portIsDefault: boolean;
  readonly tokens: readonly GivenToken[] | undefined;
  readonly tokenFile: string | undefined;
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  readonly rateLimit?: { readonly callsPerSecond?: number | undefined; readonly burst?: number | undefined };
  readonly maxBodyBytes?: number;
  readonly metricsToken?: string;
  readonly drainMs?: number;
  /** That no tool may read. */
  readonly files: readonly string[];
}

export const DEFAULT_PORT = 4100;
const DEFAULT_HOST = "127.0.0.1";

export interface HttpQuestion {
  readonly cwd: string;
  readonly env: Terminal["env"];
  readonly flags: HttpFlags;
  readonly file: ConfigFile | undefined;
}

export function httpSettings({ cwd, env, flags, file }: HttpQuestion): HttpSettings {
  if (file !== undefined) refuseUnfit(file);
  const { host, port: _port, tokens, tokenFile: _tokenFile, ...rest } = file?.config.http ?? {};
  const metricsToken = metricsTokenIn(env);
  const portOutside = portIn(env, "STET_PORT");
  const port = flags.port !== undefined ? portOf(flags.port, "--port") : (portOutside ?? _port);
  const fromFile = _tokenFile === undefined ? undefined : absolute(dirname(file!.path), _tokenFile, env);
  const named = flags.tokenFile ?? textIn(env, "STET_TOKEN_FILE");
  const token = flags.tokenFile === undefined ? textIn(env, "STET_TOKEN") : undefined;
  const tokenFile = named === undefined ? fromFile : absolute(cwd, named, env);
  return {
    ...defined({ ...rest, metricsToken: metricsToken ?? rest.metricsToken }),
    host: flags.host ?? textIn(env, "STET_HOST") ?? host ?? DEFAULT_HOST,
    port: port ?? DEFAULT_PORT,
    portIsDefault: port === undefined,
    // One source only, the nearest: a token from the environment is not joined by those of a file.
    tokens: token !== undefined ? [{ token }] : named === undefined ? tokens?.map(givenToken) : undefined,
    tokenFile: token !== undefined || (named === undefined && tokens !== undefined) ? undefined : tokenFile,
    files: [...new Set([fromFile, tokenFile])].filter((path) => path !== undefined),
  };
}

function metricsTokenIn(env: Terminal["env"]): string | undefined {
  const token = textIn(env, "STET_METRICS_TOKEN");
  const complaint = token === undefined ? undefined : complaintAbout([{ token }]);
  if (complaint === undefined) return token;
  throw new Refusal("invalid_input", `STET_METRICS_TOKEN: ${complaint.what}.`, {
    next: "Make one with: openssl rand -hex 32",
  });
}

/** What the schema cannot tell, at its place in the file. */
function refuseUnfit(file: ConfigFile): void {
  const { tokens = [], allowedHosts = [], allowedOrigins = [] } = file.config.http ?? {};
  const complaint = complaintAbout(tokens.map(givenToken));
  if (complaint !== undefined) {
    throw file.refuse(["http", "tokens", complaint.index], `http.tokens[${complaint.index}]: ${complaint.what}`);
  }
  const { metricsToken } = file.config.http ?? {};
  const unfit = metricsToken === undefined ? undefined : complaintAbout([{ token: metricsToken }]);
  if (unfit !== undefined) throw file.refuse(["http", "metricsToken"], `http.metricsToken: ${unfit.what}`);
  refuseEach(file, "allowedHosts", allowedHosts, exactHost);
  refuseEach(file, "allowedOrigins", allowedOrigins, exactOrigin);
}

function refuseEach(file: ConfigFile, key: string, values: readonly string[], check: (value: string) => string): void {
  for (const [index, value] of values.entries()) {
    try {
      check(value);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { message, suggestedAction } = error.failure;
      throw file.refuse(["http", key, index], `http.${key}[${index}]: ${message} ${suggestedAction}`);
    }
  }
}

function givenToken(given: string | GivenToken): GivenToken {
  return typeof given === "string" ? { token: given } : given;
}
