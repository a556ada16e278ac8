// Commands on a whole database: finds it and runs a verb in it.
import type { Pool } from "../../backends/postgres/index.ts";
import { Refusal } from "../../core/failure.ts";
import { databaseRoot, fleetIn, isDatabaseUrl, PASSWORD_SEEN } from "../config/database.ts";
import { textIn } from "../config/environment.ts";
import { absolute } from "../config/paths.ts";
import { type Command, type Given, type Terminal, value } from "../options/command.ts";
import { textOf, UsageError, type Verb, verbIn } from "../options/given.ts";

export const DATABASE_OPTIONS = {
  config: value("FILE", "the configuration file that names the database", "c"),
  database: value("URL", "the database itself: postgres://USER@HOST/DATABASE"),
};

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
