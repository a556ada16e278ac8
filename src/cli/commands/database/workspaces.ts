// stet workspaces: what is in a database, and how one of them is deleted, for the database's owner.
import type { Pool } from "../../../backends/postgres/index.ts";
import { deleteWorkspace, listWorkspaces, type WorkspaceAbout } from "../../../backends/postgres/tenants/workspaces.ts";
import { counted } from "../../../core/counted.ts";
import { Refusal } from "../../../core/failure.ts";
import { printable, shown } from "../../../core/printable.ts";
import { DATABASE_ABOUT, DATABASE_OPTIONS, runVerb, type Verb } from "../../open/database.ts";
import { textOf } from "../../options/amounts.ts";
import type { Command, Given, Terminal } from "../../options/command.ts";
import { agreed, YES_OPTION } from "../../options/confirmation.ts";
import { columns, printJson, sizeInWords } from "../../terminal/print.ts";

export const workspaces: Command = {
  name: "workspaces",
  summary: "List the workspaces of a database, or delete one",
  usage: "workspaces list [--tenant NAME] | delete NAME|TENANT/NAME [--unfinished] [--yes]",
  options: {
    ...DATABASE_OPTIONS,
    tenant: { type: "string" },
    unfinished: { type: "boolean" },
    ...YES_OPTION,
  },
  about: {
    ...DATABASE_ABOUT,
    tenant: "list: only those of this tenant",
    unfinished: "delete: what a push that was cut short, or refused, left behind",
    yes: "delete: do it; without it, say only what would go",
  },
  examples: [
    "stet workspaces list --config fleet.json",
    "stet workspaces delete acme/web --config fleet.json --yes",
    "stet workspaces delete acme/web --unfinished --config fleet.json --yes",
  ],
  notes: ["A workspace that is deleted is gone with its history: stet pull saves it before."],
  run: (terminal, given) => runVerb(workspaces, VERBS, terminal, given),
};

const VERBS: Readonly<Record<string, Verb>> = {
  list: { takes: [], run: list },
  delete: { takes: ["NAME"], run: remove },
};

async function list(terminal: Terminal, given: Given, pool: Pool): Promise<number> {
  const all = await listWorkspaces(pool, textOf(given, "tenant"));
  if (given.values.json === true) printJson(terminal, { workspaces: all });
  else if (all.length === 0) terminal.err("There is no workspace.\n");
  else terminal.out(`${columns([HEADINGS, ...all.map(row)])}\n`);
  return 0;
}

const HEADINGS = ["TENANT", "NAME", "ENTRIES", "FILES", "HAS", "MADE", ""];

function row({ tenant, name, unfinished, entries, files, bytes, madeAt }: WorkspaceAbout): string[] {
  const made = madeAt.toISOString().slice(0, 16).replace("T", " ");
  const state = unfinished ? "push not finished" : "";
  const names = [tenant === "" ? "-" : printable(tenant), printable(name)];
  return [...names, `${entries}`, unfinished ? "-" : `${files}`, sizeInWords(bytes), made, state];
}

async function remove(terminal: Terminal, given: Given, pool: Pool, named: string): Promise<number> {
  const unfinished = given.values.unfinished === true;
  const [first = "", ...rest] = named.split("/");
  const [tenant, name] = rest.length === 0 ? ["", first] : [first, rest.join("/")];
  const all = (await listWorkspaces(pool, tenant)).filter((each) => each.name === name);
  const found = all.filter((each) => each.unfinished === unfinished);
  if (found.length === 0) throw nothingThere(named, unfinished, all.length > 0);
  const entries = found.reduce((sum, each) => sum + each.entries, 0);
  const files = found.reduce((sum, each) => sum + each.files, 0);
  const what = unfinished ? `what a push to ${shown(named)} left` : `the workspace ${shown(named)}`;
  const has = unfinished ? counted(entries, "entry") : `${counted(files, "file")} and ${counted(entries, "entry")}`;
  if (!(await agreed(terminal, given, `delete ${what}, with ${has}, for good`))) return 1;
  await deleteWorkspace(pool, { tenant, name, unfinished });
  if (given.values.json === true) printJson(terminal, { deleted: { tenant, name, unfinished, entries, files } });
  else terminal.out(`Deleted ${what}, with ${has}.\n`);
  return 0;
}

function nothingThere(named: string, unfinished: boolean, isOther: boolean): Refusal {
  const name = shown(named.slice(named.indexOf("/") + 1));
  const why = unfinished ? `No push to ${name} left anything here.` : `There is no workspace ${name} in this database.`;
  const other = unfinished ? "What is there is a workspace: leave out --unfinished." : LEFT;
  return new Refusal("not_found", why, { next: isOther ? other : "stet workspaces list shows all." });
}

const LEFT = "A push that was cut short left something: --unfinished deletes that.";
