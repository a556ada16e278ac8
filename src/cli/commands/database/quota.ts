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
import { printable } from "../../../core/printable.ts";
import { plural } from "../../../words/plural.ts";
import { DATABASE_OPTIONS, runVerb } from "../../open/database.ts";
import { type Command, type Given, type Terminal, value } from "../../options/command.ts";
import type { Verb } from "../../options/given.ts";
import { bytesOf, countOf, UsageError } from "../../options/given.ts";
import { answer, sizeInWords, table } from "../../terminal/print.ts";

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

async function remove(terminal: Terminal, given: Given, pool: Pool): Promise<number> {
  const tenant = given.positionals[0]!;
  if (!(await removeQuota(pool, tenant)))
    throw new Refusal("not_found", `${printable(tenant)} has no quota.`, { next: "stet quota list shows them." });
  return answer(terminal, given, { tenant, quota: null }, `${printable(tenant)} has no quota any more.\n`);
}

async function list(terminal: Terminal, given: Given, pool: Pool): Promise<number> {
  const tenants = await usageOfTenants(pool);
  return answer(terminal, given, { tenants }, table(terminal, HEADINGS, tenants.map(row)));
}

const HEADINGS = ["tenant", "workspaces", "has", "files", "quota"];

function row({ tenant, workspaces, bytes, files, quota: limits }: Usage): string[] {
  const name = tenant === "" ? "-" : printable(tenant);
  return [name, `${workspaces}`, sizeInWords(bytes), `${files}`, limits === null ? "-" : formatQuota(limits)];
}
