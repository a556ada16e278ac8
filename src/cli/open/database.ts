// Which database a command is about that works on the whole of one.
import { Refusal } from "../../core/failure.ts";
import { databaseRoot, isDatabaseUrl, PASSWORD_SEEN } from "../config/database-root.ts";
import { textIn } from "../config/environment.ts";
import { fleetIn } from "../config/fleet.ts";
import { absolute } from "../config/paths.ts";
import { textOf } from "../options/amounts.ts";
import type { Given, Terminal } from "../options/command.ts";
import { UsageError } from "../options/usage.ts";

/** For the driver: it may hold a password. */
export async function databaseNamed(terminal: Terminal, given: Given): Promise<string> {
  const url = textOf(given, "database");
  if (url !== undefined) return addressGiven(terminal, url);
  const { cwd, env } = terminal;
  const file = textOf(given, "config") ?? textIn(env, "STET_CONFIG");
  if (file === undefined)
    throw new UsageError("No database was named.", "Name it with --config FILE or --database postgres://HOST/NAME.");
  const { readConfigFile } = await import("../config/file/config-file.ts");
  const fleet = fleetIn(readConfigFile(absolute(cwd, file, env)), false, env);
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
