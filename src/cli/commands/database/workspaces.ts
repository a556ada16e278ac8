// stet workspaces: what is in a database, and how one of them is deleted, for the database's owner.
import type { Pool } from "../../../backends/postgres/index.ts";
import { deleteWorkspace, listWorkspaces, type WorkspaceAbout } from "../../../backends/postgres/tenants/workspaces.ts";
import { Refusal } from "../../../core/failure.ts";
import { plural } from "../../../core/plural.ts";
import { printable, shown } from "../../../core/printable.ts";
import { DATABASE_ABOUT, DATABASE_OPTIONS, runVerb } from "../../open/database.ts";
import { textOf } from "../../options/amounts.ts";
import type { Command, Given, Terminal } from "../../options/command.ts";
import { agreed, YES_OPTION } from "../../options/confirmation.ts";
import type { Verb } from "../../options/verbs.ts";
import { printJson, sizeInWords, table } from "../../terminal/print.ts";

export const workspaces: Command = {
  name: "workspaces",
  summary: "List the workspaces of a database, or delete one",
  usage: "workspaces list [--tenant NAME] | delete NAME|TENANT/NAME [--yes]",
  options: {
    ...DATABASE_OPTIONS,
    tenant: { type: "string" },
    ...YES_OPTION,
  },
  about: {
    ...DATABASE_ABOUT,
    tenant: "list: only those of this tenant",
    yes: "delete: do it; without it, say only what would go",
  },
  examples: ["stet workspaces list --config fleet.json", "stet workspaces delete acme/web --config fleet.json --yes"],
  notes: ["A workspace that is deleted is gone with its history: stet pull saves it before."],
  run: (terminal, given) => runVerb(workspaces, VERBS, terminal, given),
};

const VERBS: Readonly<Record<string, Verb<Pool>>> = {
  list: { takes: [], run: list },
  delete: { takes: ["NAME"], run: remove },
};

async function list(terminal: Terminal, given: Given, pool: Pool): Promise<number> {
  const all = await listWorkspaces(pool, textOf(given, "tenant"));
  if (given.values.json === true) printJson(terminal, { workspaces: all });
  else if (all.length === 0) terminal.err("There is no workspace.\n");
  else terminal.out(`${table(terminal, HEADINGS, all.map(row))}\n`);
  return 0;
}

const HEADINGS = ["tenant", "name", "entries", "files", "has", "made"];

function row({ tenant, name, entries, files, bytes, madeAt }: WorkspaceAbout): string[] {
  const made = madeAt.toISOString().slice(0, 16).replace("T", " ");
  const names = [tenant === "" ? "-" : printable(tenant), printable(name)];
  return [...names, `${entries}`, `${files}`, sizeInWords(bytes), made];
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
  if (given.values.json === true) printJson(terminal, { deleted: { tenant, name, entries, files } });
  else terminal.out(`Deleted ${what}.\n`);
  return 0;
}
