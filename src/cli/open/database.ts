// Commands on a whole database: finds it and runs a verb in it.
import type { Pool } from "../../backends/postgres/index.ts";
import { Refusal } from "../../core/failure.ts";
import { databaseRoot, isDatabaseUrl, PASSWORD_SEEN } from "../config/database-root.ts";
import { textIn } from "../config/environment.ts";
import { fleetIn } from "../config/fleet.ts";
import { absolute } from "../config/paths.ts";
import { textOf } from "../options/amounts.ts";
import type { Command, Given, Terminal } from "../options/command.ts";
import { UsageError } from "../options/usage.ts";
import { type Verb, verbIn } from "../options/verbs.ts";

export const DATABASE_OPTIONS = { config: { type: "string", short: "c" }, database: { type: "string" } } as const;
export const DATABASE_ABOUT = {
  config: "the configuration file that names the database",
  database: "the database itself: postgres://USER@HOST/DATABASE",
} as const;

/** Does what the first argument names, in the database. */
export async function runVerb(
  command: Pick<Command, "name" | "usage">,
  verbs: Readonly<Record<string, Verb<Pool>>>,
  terminal: Terminal,
  given: Given,
): Promise<number> {
  const { verb, rest } = verbIn(command, verbs, given);
  const { migrate, openPool } = await import("../../backends/postgres/index.ts");
  const pool = await openPool(await databaseNamed(terminal, given), { connections: 1 });
  try {
    await migrate(pool);
    return await verb.run(terminal, rest, pool);
  } finally {
    await pool.end();
  }
}

/** For the driver: it may hold a password. */
async function databaseNamed(terminal: Terminal, given: Given): Promise<string> {
  const url = textOf(given, "database");
  if (url !== undefined) return addressGiven(terminal, url);
  const { cwd, env } = terminal;
  const file = textOf(given, "config") ?? textIn(env, "STET_CONFIG");
  if (file === undefined)
    throw new UsageError("No database was named.", "Name it with --config FILE or --database postgres://HOST/NAME.");
  const { readConfigFile } = await import("../config/config-file.ts");
  const fleet = fleetIn(readConfigFile(absolute(cwd, file, env), { named: true }), env);
  if (fleet !== undefined) return fleet.url;
  throw new Refusal("invalid_input", `The configuration file ${file} names no database.`, {
    next: 'Write it there: "database": "postgres://USER@HOST/NAME"',
  });
}

function addressGiven(terminal: Terminal, url: string): string {
  const place = isDatabaseUrl(url) ? databaseRoot(url) : undefined;
  if (place === undefined || place.workspace !== undefined)
    throw new UsageError("--database is a whole database.", "Give it as postgres://USER@HOST:PORT/DATABASE.");
  if (place.hasPassword) terminal.err(`stet: ${PASSWORD_SEEN}\n`);
  return place.url;
}
