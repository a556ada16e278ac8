// The settings of `stet serve`: where to listen, whom to believe, how much to take.
import { dirname } from "node:path";
import { Refusal } from "../../core/failure.ts";
import { complaintAbout, type GivenToken } from "../../serve/http/access/tokens.ts";
import type { Terminal } from "../options/command.ts";
import { defined } from "../options/given.ts";
import type { ConfigFile } from "./config-file.ts";
import { portFlag, portIn, textIn } from "./environment.ts";
import { absolute } from "./paths.ts";
import type { Config } from "./schema.ts";

export interface HttpFlags {
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly tokenFile?: string | undefined;
}

type InFile = Omit<NonNullable<Config["http"]>, "tokens" | "tokenFile" | "host" | "port">;

export interface HttpSettings extends InFile {
  readonly host: string;
  readonly port: number;
  /** No port was named: another one will do when it is taken. */
  readonly portIsDefault: boolean;
  readonly tokens: readonly GivenToken[] | undefined;
  readonly tokenFile: string | undefined;
  /** That no tool may read. */
  readonly files: readonly string[];
}

const DEFAULT_PORT = 4100;
const DEFAULT_HOST = "127.0.0.1";

export function httpSettings(
  { cwd, env }: Pick<Terminal, "cwd" | "env">,
  flags: HttpFlags,
  file: ConfigFile | undefined,
): HttpSettings {
  const { tokens, tokenFile, ...inFile } = file?.config.http ?? {};
  const portOutside = portIn(env, "STET_PORT");
  const port = flags.port !== undefined ? portFlag(flags.port) : (portOutside ?? inFile.port);
  const fromFile = tokenFile === undefined ? undefined : absolute(dirname(file!.path), tokenFile, env);
  const named = flags.tokenFile ?? textIn(env, "STET_TOKEN_FILE");
  const namedFile = named === undefined ? fromFile : absolute(cwd, named, env);
  const token = flags.tokenFile === undefined ? textIn(env, "STET_TOKEN") : undefined;
  const ofFile =
    named === undefined ? tokens?.map((each) => (typeof each === "string" ? { token: each } : each)) : undefined;
  // One source only, the nearest: a token from the environment is not joined by those of a file.
  const given = token !== undefined ? [{ token }] : ofFile;
  return {
    ...inFile,
    ...defined({ metricsToken: metricsTokenIn(env) }),
    host: flags.host ?? textIn(env, "STET_HOST") ?? inFile.host ?? DEFAULT_HOST,
    port: port ?? DEFAULT_PORT,
    portIsDefault: port === undefined,
    tokens: given,
    tokenFile: given === undefined ? namedFile : undefined,
    files: [...new Set([fromFile, namedFile])].filter((path) => path !== undefined),
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
