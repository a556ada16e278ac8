// The environment variables of the command line: each with its meaning, read strictly, so that a typing error opens no door.
import { delimiter } from "node:path";
import { Refusal } from "../../core/failure.ts";
import { UsageError } from "../options/given.ts";
import { isDatabaseUrl } from "./database.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** They win over the configuration file; flags win over them. */
export const VARIABLES = {
  STET_CONFIG: "the configuration file to use",
  STET_ROOT: `the directories to serve, joined by "${delimiter}", or one workspace in a database`,
  STET_SURFACE: "the surfaces to serve, joined by commas",
  STET_RESULTS: "text or structured",
  STET_READ_ONLY: "true: deny every change",
  STET_STRICT: "true: refuse what is otherwise allowed with a warning",
  STET_ON_STALE: "reject or rebase",
  STET_DURABILITY: "full or fast",
  STET_STATE: "where the histories of all roots lie; an absolute path of a directory that lasts",
  STET_MAX_MESSAGE_BYTES: "the longest message of a client",
  STET_HOST: "the address that stet serve listens on",
  STET_PORT: "the port that stet serve listens on",
  STET_TOKEN: "the bearer token of stet serve",
  STET_METRICS_TOKEN: "the bearer token of /metrics",
  STET_TOKEN_FILE: "a file with the bearer tokens of stet serve",
} as const;

/** Read elsewhere: by the surface `files`, the search, the locks, the launcher and the tests. */
const OTHERS: readonly string[] = [
  "STET_FS_MODE",
  "STET_FS_ROOT",
  "STET_FS_MAX_BYTES",
  "STET_FS_STORE_BYTES",
  "STET_FS_READ_ONLY",
  "STET_FS_LEGACY",
  "STET_TYPED_RESULTS",
  "STET_TOOL_TIMEOUT",
  "STET_SEARCH",
  "STET_NO_NATIVE",
  "STET_NO_COMPILE_CACHE",
  "STET_HEAVY",
  "STET_CONFORMANCE",
];

export type Variable = keyof typeof VARIABLES;

/** An empty variable counts as not set. */
export function textIn(env: Environment, name: Variable): string | undefined {
  return env[name]?.trim() || undefined;
}

export function listIn(env: Environment, name: Variable): readonly string[] | undefined {
  const text = textIn(env, name);
  // the address of a database has colons of its own
  if (text !== undefined && isDatabaseUrl(text)) return [text];
  const parts = text?.split(delimiter).filter((part) => part !== "");
  return parts?.length === 0 ? undefined : parts;
}

export function booleanIn(env: Environment, name: Variable): boolean | undefined {
  const value = textIn(env, name);
  if (value === undefined) return undefined;
  if (/^(1|true|yes|on)$/i.test(value)) return true;
  if (/^(0|false|no|off)$/i.test(value)) return false;
  throw wrong(name, value, "true or false");
}

export function choiceIn<T extends string>(env: Environment, name: Variable, choices: readonly T[]): T | undefined {
  const value = textIn(env, name);
  if (value === undefined) return undefined;
  const choice = choices.find((known) => known === value);
  if (choice === undefined) throw wrong(name, value, choices.join(" or "));
  return choice;
}

export function bytesIn(env: Environment, name: Variable): number | undefined {
  const value = textIn(env, name);
  if (value === undefined) return undefined;
  const bytes = /^\d{1,15}$/.test(value) ? Number(value) : 0;
  if (bytes > 0) return bytes;
  throw wrong(name, value, "a whole number of bytes greater than 0");
}

export function portIn(env: Environment, name: Variable): number | undefined {
  const value = textIn(env, name);
  return value === undefined ? undefined : portOf(value, name);
}

export function portOf(value: string, name: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (port <= 65535) return port;
  throw wrong(name, value, "a port from 0 to 65535");
}

/** Perhaps a typing error: STET_READONLY would leave the workspace writable. */
export function unknownVariables(env: Environment): readonly string[] {
  return Object.keys(env).filter((name) => /^STET_/.test(name) && !(name in VARIABLES) && !OTHERS.includes(name));
}

function wrong(name: string, value: string, expected: string): Refusal | UsageError {
  const why = `${name}: expected ${expected}, found ${JSON.stringify(value)}.`;
  if (name.startsWith("--")) return new UsageError(why);
  return new Refusal("invalid_input", why, {
    next: `Correct ${name}; until then stet does not start.`,
    details: { variable: name },
  });
}
