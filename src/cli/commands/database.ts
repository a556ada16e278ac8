// stet token, quota and workspaces: who may call the servers of a database, what its tenants may have, and what is in it.
import { migrate, openPool, type Pool } from "../../backends/postgres/index.ts";
import {
  type Quota,
  removeQuota,
  setQuota,
  type Usage,
  usageOfTenants,
} from "../../backends/postgres/tenants/quotas.ts";
import {
  createToken,
  listTokens,
  ROLES,
  revokeToken,
  type TokenAbout,
} from "../../backends/postgres/tenants/tokens.ts";
import { deleteWorkspace, listWorkspaces, type WorkspaceAbout } from "../../backends/postgres/tenants/workspaces.ts";
import { Refusal } from "../../core/failure.ts";
import { printable, shown } from "../../core/printable.ts";
import { plural } from "../../words/plural.ts";
import { databaseRoot, fleetIn, isDatabaseUrl, PASSWORD_SEEN } from "../config/database.ts";
import { textIn } from "../config/environment.ts";
import { absolute } from "../config/paths.ts";
import { type Command, flag, type Given, type Terminal, value } from "../options/command.ts";
import { bytesOf, choiceOf, countOf, durationOf, textOf, UsageError, type Verb, verbIn } from "../options/given.ts";
import { agreed } from "../options/person.ts";
import { answer, sizeInWords, table } from "../terminal/print.ts";

const DATABASE_OPTIONS = {
  config: value("FILE", "the configuration file that names the database", "c"),
  database: value("URL", "the database itself: postgres://USER@HOST/DATABASE"),
};

export const token: Command = {
  name: "token",
  summary: "Make, list and revoke the tokens of servers of a database",
  usage: "token create PRINCIPAL [--role ROLE] [--workspaces NAMES] [--tenant NAME] [--expires AGE] | list | revoke ID",
  options: {
    ...DATABASE_OPTIONS,
    tenant: value("NAME", "whose workspaces it reaches (default: those without a tenant); of list: only theirs"),
    role: value("ROLE", "read, write, or owner, which also makes workspaces by their first change (default: write)"),
    workspaces: value("NAMES", "names joined by commas, with * for any characters (default: *)"),
    expires: value("AGE", "how long it holds: 12h, 30d (default: until it is revoked)"),
    all: flag("of list: also those that were revoked, or have expired"),
  },
  examples: [
    "stet token create ada --tenant acme --workspaces 'web,api-*' --config fleet.json",
    "stet token list --config fleet.json",
    "stet token revoke 1f0c22a4be90 --database postgres://stet@localhost/stet",
  ],
  notes: ["A token is shown once. The database keeps its sha256, which opens nothing."],
  run: (terminal, given) => runVerb(token, TOKEN_VERBS, terminal, given),
};

const TOKEN_VERBS: Verbs = {
  create: { takes: ["PRINCIPAL"], run: create },
  list: { takes: [], run: listAllTokens },
  revoke: { takes: ["ID"], run: revoke },
};

async function create(terminal: Terminal, given: Given, pool: Pool): Promise<number> {
  const principal = given.positionals[0]!;
  const expiresAt = endIn(given);
  const role = textOf(given, "role") ?? "write";
  const { token: secret, about } = await createToken(pool, {
    principal,
    tenant: textOf(given, "tenant") ?? "",
    role: choiceOf(role, ROLES, `There is no role ${JSON.stringify(role)}.`),
    workspaces: (textOf(given, "workspaces") ?? "*").split(",").map((pattern) => pattern.trim()),
    expiresAt,
  });
  if (!given.json)
    terminal.err(`${formatToken(about)}\nIt is shown only now. stet token revoke ${about.id} ends it.\n`);
  return answer(terminal, given, { token: secret, ...about }, `${secret}\n`);
}

function endIn(given: Given): Date | undefined {
  const lasts = durationOf(given, "expires");
  if (lasts === undefined) return undefined;
  if (lasts > 0) return new Date(Date.now() + lasts);
  throw new UsageError("A token must hold for a while.", "Give --expires as in 12h or 30d, or leave it out.");
}

function formatToken({ principal, tenant, role, workspaces, id }: TokenAbout): string {
  const whose = tenant === "" ? "" : ` of ${printable(tenant)}`;
  return `Token ${id}: ${printable(principal)} may ${role === "read" ? "read" : "read and change"} ${printable(workspaces.join(", "))}${whose} (${role}).`;
}

async function listAllTokens(terminal: Terminal, given: Given, pool: Pool): Promise<number> {
  const tenant = textOf(given, "tenant");
  const tokens = await listTokens(pool, {
    all: given.values.all === true,
    ...(tenant !== undefined && { tenant }),
  });
  if (tokens.length === 0 && !given.json) terminal.err("There is no token.\n");
  const words = tokens.length === 0 ? "" : table(terminal, TOKEN_HEADINGS, tokens.map(tokenRow));
  return answer(terminal, given, { tokens }, words);
}

const TOKEN_HEADINGS = ["id", "tenant", "principal", "role", "workspaces", "made", "until"];

function tokenRow({ id, tenant, principal, role, workspaces, madeAt, expiresAt, revokedAt }: TokenAbout): string[] {
  const isOver = expiresAt !== null && expiresAt.getTime() <= Date.now();
  const end = expiresAt === null ? "no end" : `${isOver ? "expired " : ""}${minute(expiresAt)}`;
  const until = revokedAt === null ? end : `revoked ${minute(revokedAt)}`;
  return [id, tenant === "" ? "-" : tenant, principal, role, workspaces.join(","), minute(madeAt), until].map(
    printable,
  );
}

function minute(date: Date): string {
  return date.toISOString().slice(0, 16).replace("T", " ");
}

async function revoke(terminal: Terminal, given: Given, pool: Pool): Promise<number> {
  const id = given.positionals[0]!;
  const about = await revokeToken(pool, id);
  if (about === undefined)
    throw new Refusal("not_found", `There is no token ${printable(id)}.`, { next: "stet token list shows the ids." });
  const said = `Revoked: token ${about.id} of ${printable(about.principal)} opens nothing any more.\n`;
  return answer(terminal, given, about, said);
}

export const quota: Command = {
  name: "quota",
  summary: "Limit what a tenant of a database may have and do",
  usage: "quota set TENANT [--bytes SIZE] [--files N] [--entries-per-second N] | remove TENANT | list",
  options: {
    ...DATABASE_OPTIONS,
    bytes: value("SIZE", "of all its versions and journal entries together: 500M, 20G"),
    files: value("N", "in all its workspaces"),
    "entries-per-second": value("N", "changes, and calls that were refused, in all its workspaces"),
  },
  examples: [
    "stet quota set acme --bytes 20G --files 200000 --entries-per-second 50 --config fleet.json",
    "stet quota list --config fleet.json",
    "stet quota remove acme --config fleet.json",
  ],
  notes: ["What is left out of set has no limit. Changes of a tenant with a quota are made one after the other."],
  run: (terminal, given) => runVerb(quota, QUOTA_VERBS, terminal, given),
};

const QUOTA_VERBS: Verbs = {
  set: { takes: ["TENANT"], run: limit },
  remove: { takes: ["TENANT"], run: removeLimit },
  list: { takes: [], run: listQuotas },
};

async function limit(terminal: Terminal, given: Given, pool: Pool): Promise<number> {
  const tenant = given.positionals[0]!;
  const limits: Quota = {
    bytes: bytesOf(given, "bytes") ?? null,
    files: countOf(given, "files") ?? null,
    entriesPerSecond: countOf(given, "entries-per-second") ?? null,
  };
  if (Object.values(limits).every((limit) => limit === null))
    throw new UsageError("stet quota set needs a limit.", "Give --bytes, --files or --entries-per-second.");
  await setQuota(pool, tenant, limits);
  const said = `${printable(tenant)} may have ${formatQuota(limits)}.\n`;
  return answer(terminal, given, { tenant, quota: limits }, said);
}

function formatQuota({ bytes, files, entriesPerSecond }: Quota): string {
  return [
    ...(bytes === null ? [] : [sizeInWords(bytes)]),
    ...(files === null ? [] : [plural(files, "file")]),
    ...(entriesPerSecond === null ? [] : [`${plural(entriesPerSecond, "entry")} a second`]),
  ].join(", ");
}

async function removeLimit(terminal: Terminal, given: Given, pool: Pool): Promise<number> {
  const tenant = given.positionals[0]!;
  if (!(await removeQuota(pool, tenant)))
    throw new Refusal("not_found", `${printable(tenant)} has no quota.`, { next: "stet quota list shows them." });
  return answer(terminal, given, { tenant, quota: null }, `${printable(tenant)} has no quota any more.\n`);
}

async function listQuotas(terminal: Terminal, given: Given, pool: Pool): Promise<number> {
  const tenants = await usageOfTenants(pool);
  return answer(terminal, given, { tenants }, table(terminal, QUOTA_HEADINGS, tenants.map(quotaRow)));
}

const QUOTA_HEADINGS = ["tenant", "workspaces", "has", "files", "quota"];

function quotaRow({ tenant, workspaces, bytes, files, quota: limits }: Usage): string[] {
  const name = tenant === "" ? "-" : printable(tenant);
  return [name, `${workspaces}`, sizeInWords(bytes), `${files}`, limits === null ? "-" : formatQuota(limits)];
}

export const workspaces: Command = {
  name: "workspaces",
  summary: "List the workspaces of a database, or delete one",
  usage: "workspaces list [--tenant NAME] | delete NAME|TENANT/NAME [--yes]",
  options: {
    ...DATABASE_OPTIONS,
    tenant: value("NAME", "list: only those of this tenant"),
    yes: flag("delete: do it; without it, say only what would go", "y"),
  },
  examples: ["stet workspaces list --config fleet.json", "stet workspaces delete acme/web --config fleet.json --yes"],
  notes: ["A workspace that is deleted is gone with its history: stet pull saves it before."],
  run: (terminal, given) => runVerb(workspaces, WORKSPACE_VERBS, terminal, given),
};

const WORKSPACE_VERBS: Verbs = {
  list: { takes: [], run: listAllWorkspaces },
  delete: { takes: ["NAME"], run: remove },
};

async function listAllWorkspaces(terminal: Terminal, given: Given, pool: Pool): Promise<number> {
  const all = await listWorkspaces(pool, textOf(given, "tenant"));
  if (all.length === 0 && !given.json) terminal.err("There is no workspace.\n");
  const words = all.length === 0 ? "" : table(terminal, WORKSPACE_HEADINGS, all.map(workspaceRow));
  return answer(terminal, given, { workspaces: all }, words);
}

const WORKSPACE_HEADINGS = ["tenant", "name", "entries", "files", "has", "made"];

function workspaceRow({ tenant, name, entries, files, bytes, madeAt }: WorkspaceAbout): string[] {
  const names = [tenant === "" ? "-" : printable(tenant), printable(name)];
  return [...names, `${entries}`, `${files}`, sizeInWords(bytes), minute(madeAt)];
}

async function remove(terminal: Terminal, given: Given, pool: Pool): Promise<number> {
  const named = given.positionals[0]!;
  const [first = "", ...rest] = named.split("/");
  const [tenant, name] = rest.length === 0 ? ["", first] : [first, rest.join("/")];
  const found = (await listWorkspaces(pool, tenant)).find((each) => each.name === name);
  if (found === undefined)
    throw new Refusal("not_found", `There is no workspace ${shown(name)} in this database.`, {
      next: "stet workspaces list shows all.",
    });
  const { entries, files } = found;
  const what = `the workspace ${shown(named)}, with ${plural(files, "file")} and ${plural(entries, "entry")}`;
  if (!(await agreed(terminal, given, `delete ${what}, for good`))) return 1;
  await deleteWorkspace(pool, { tenant, name });
  return answer(terminal, given, { deleted: { tenant, name, entries, files } }, `Deleted ${what}.\n`);
}

type Verbs = Readonly<Record<string, Verb<Pool>>>;

/** Does what the first argument names, in the database. */
async function runVerb(command: Command, verbs: Verbs, terminal: Terminal, given: Given): Promise<number> {
  const { verb, rest } = verbIn(command, verbs, given);
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
