// stet quota: what the tenants of a database may have and do, and what they have.
import type { Pool } from "../../../backends/postgres/index.ts";
import {
  type Quota,
  removeQuota,
  setQuota,
  type Usage,
  usageOfTenants,
} from "../../../backends/postgres/tenants/quotas.ts";
import { Refusal } from "../../../core/failure.ts";
import { plural } from "../../../core/plural.ts";
import { printable } from "../../../core/printable.ts";
import { DATABASE_ABOUT, DATABASE_OPTIONS, runVerb } from "../../open/database.ts";
import { bytesOf, countOf } from "../../options/amounts.ts";
import type { Command, Given, Terminal } from "../../options/command.ts";
import { UsageError } from "../../options/usage.ts";
import type { Verb } from "../../options/verbs.ts";
import { printJson, sizeInWords, table } from "../../terminal/print.ts";

export const quota: Command = {
  name: "quota",
  summary: "Limit what a tenant of a database may have and do",
  usage: "quota set TENANT [--bytes SIZE] [--files N] [--entries-per-second N] | remove TENANT | list",
  options: {
    ...DATABASE_OPTIONS,
    bytes: { type: "string" },
    files: { type: "string" },
    "entries-per-second": { type: "string" },
  },
  about: {
    ...DATABASE_ABOUT,
    bytes: "of all its versions and journal entries together: 500M, 20G",
    files: "in all its workspaces",
    "entries-per-second": "changes, and calls that were refused, in all its workspaces",
  },
  examples: [
    "stet quota set acme --bytes 20G --files 200000 --entries-per-second 50 --config fleet.json",
    "stet quota list --config fleet.json",
    "stet quota remove acme --config fleet.json",
  ],
  notes: ["What is left out of set has no limit. Changes of a tenant with a quota are made one after the other."],
  run: (terminal, given) => runVerb(quota, VERBS, terminal, given),
};

const VERBS: Readonly<Record<string, Verb<Pool>>> = {
  set: { takes: ["TENANT"], run: set },
  remove: { takes: ["TENANT"], run: remove },
  list: { takes: [], run: list },
};

async function set(terminal: Terminal, given: Given, pool: Pool): Promise<number> {
  const tenant = given.positionals[0]!;
  const limits: Quota = {
    bytes: bytesOf(given, "bytes") ?? null,
    files: countOf(given, "files") ?? null,
    entriesPerSecond: countOf(given, "entries-per-second") ?? null,
  };
  if (Object.values(limits).every((limit) => limit === null))
    throw new UsageError("stet quota set needs a limit.", "Give --bytes, --files or --entries-per-second.");
  await setQuota(pool, tenant, limits);
  if (given.values.json === true) printJson(terminal, { tenant, quota: limits });
  else terminal.out(`${printable(tenant)} may have ${formatQuota(limits)}.\n`);
  return 0;
}

function formatQuota({ bytes, files, entriesPerSecond }: Quota): string {
  return [
    ...(bytes === null ? [] : [sizeInWords(bytes)]),
    ...(files === null ? [] : [plural(files, "file")]),
    ...(entriesPerSecond === null ? [] : [`${plural(entriesPerSecond, "entry")} a second`]),
  ].join(", ");
}

async function remove(terminal: Terminal, given: Given, pool: Pool): Promise<number> {
  const tenant = given.positionals[0]!;
  if (!(await removeQuota(pool, tenant)))
    throw new Refusal("not_found", `${printable(tenant)} has no quota.`, { next: "stet quota list shows them." });
  if (given.values.json === true) printJson(terminal, { tenant, quota: null });
  else terminal.out(`${printable(tenant)} has no quota any more.\n`);
  return 0;
}

async function list(terminal: Terminal, given: Given, pool: Pool): Promise<number> {
  const tenants = await usageOfTenants(pool);
  if (given.values.json === true) printJson(terminal, { tenants });
  else terminal.out(`${table(terminal, ["tenant", "workspaces", "has", "files", "quota"], tenants.map(row))}\n`);
  return 0;
}

function row({ tenant, workspaces, bytes, files, quota: limits }: Usage): string[] {
  const name = tenant === "" ? "-" : printable(tenant);
  return [name, `${workspaces}`, sizeInWords(bytes), `${files}`, limits === null ? "-" : formatQuota(limits)];
}
