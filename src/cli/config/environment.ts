// The environment variables of the command line, read strictly, so that a typing error opens no door.
import { delimiter } from "node:path";
import { Refusal } from "../../core/failure.ts";
import { UsageError } from "../options/given.ts";
import { isDatabaseUrl } from "./database.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** They win over the configuration file; flags win over them. */
const VARIABLES = [
  ...["STET_CONFIG", "STET_ROOT", "STET_SURFACE", "STET_RESULTS", "STET_READ_ONLY", "STET_STRICT", "STET_ON_STALE"],
  ...["STET_DURABILITY", "STET_STATE", "STET_MAX_MESSAGE_BYTES", "STET_HOST", "STET_PORT", "STET_TOKEN"],
  ...["STET_METRICS_TOKEN", "STET_TOKEN_FILE"],
] as const;

/** Read elsewhere: by the surface `files`, the search, the locks, the launcher and the tests. */
const OTHERS: readonly string[] = [
  ...["STET_FS_MODE", "STET_FS_ROOT", "STET_FS_MAX_BYTES", "STET_FS_STORE_BYTES", "STET_FS_READ_ONLY"],
  ...["STET_FS_LEGACY", "STET_TYPED_RESULTS", "STET_TOOL_TIMEOUT", "STET_SEARCH", "STET_NO_NATIVE"],
  ...["STET_NO_COMPILE_CACHE", "STET_HEAVY", "STET_CONFORMANCE"],
];

export type Variable = (typeof VARIABLES)[number];

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

/** Undefined where it is not set; refuses what `read` cannot. */
function readIn<T>(
  env: Environment,
  name: Variable,
  expected: string,
  read: (text: string) => T | undefined,
): T | undefined {
  const text = textIn(env, name);
  const value = text === undefined ? undefined : read(text);
  if (text !== undefined && value === undefined) throw wrong(name, text, expected);
  return value;
}

export function booleanIn(env: Environment, name: Variable): boolean | undefined {
  return readIn(env, name, "true or false", (text) => {
    if (/^(1|true|yes|on)$/i.test(text)) return true;
    return /^(0|false|no|off)$/i.test(text) ? false : undefined;
  });
}

export function choiceIn<T extends string>(env: Environment, name: Variable, choices: readonly T[]): T | undefined {
  return readIn(env, name, choices.join(" or "), (text) => choices.find((known) => known === text));
}

export function bytesIn(env: Environment, name: Variable): number | undefined {
  return readIn(env, name, "a whole number of bytes greater than 0", (text) =>
    /^\d{1,15}$/.test(text) && Number(text) > 0 ? Number(text) : undefined,
  );
}

const A_PORT = "a port from 0 to 65535";

export function portIn(env: Environment, name: Variable): number | undefined {
  return readIn(env, name, A_PORT, portOf);
}

export function portFlag(text: string): number {
  const port = portOf(text);
  if (port === undefined) throw new UsageError(wrong("--port", text, A_PORT).message);
  return port;
}

function portOf(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65535 ? Number(text) : undefined;
}

/** Perhaps a typing error: STET_READONLY would leave the workspace writable. */
export function unknownVariables(env: Environment): readonly string[] {
  const known: readonly string[] = [...VARIABLES, ...OTHERS];
  return Object.keys(env).filter((name) => /^STET_/.test(name) && !known.includes(name));
}

function wrong(name: string, value: string, expected: string): Refusal {
  return new Refusal("invalid_input", `${name}: expected ${expected}, found ${JSON.stringify(value)}.`, {
    next: `Correct ${name}; until then stet does not start.`,
    details: { variable: name },
  });
}
