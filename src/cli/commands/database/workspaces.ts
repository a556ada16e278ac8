// stet workspaces: what is in a database, and how one of them is deleted, for the database's owner.
import type { Pool } from "../../../backends/postgres/index.ts";
import { deleteWorkspace, listWorkspaces, type WorkspaceAbout } from "../../../backends/postgres/tenants/workspaces.ts";
import { Refusal } from "../../../core/failure.ts";
import { printable, shown } from "../../../core/printable.ts";
import { plural } from "../../../words/plural.ts";
import { DATABASE_OPTIONS, runVerb } from "../../open/database.ts";
import { type Command, flag, type Given, type Terminal, value } from "../../options/command.ts";
import type { Verb } from "../../options/given.ts";
import { textOf } from "../../options/given.ts";
import { agreed } from "../../options/person.ts";
import { answer, sizeInWords, table } from "../../terminal/print.ts";

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
  run: (terminal, given) => runVerb(workspaces, VERBS, terminal, given),
};

const VERBS: Readonly<Record<string, Verb<Pool>>> = {
  list: { takes: [], run: list },
  delete: { takes: ["NAME"], run: remove },
};

async function list(terminal: Terminal, given: Given, pool: Pool): Promise<number> {
  const all = await listWorkspaces(pool, textOf(given, "tenant"));
  if (all.length === 0 && !given.json) terminal.err("There is no workspace.\n");
  const words = all.length === 0 ? "" : table(terminal, HEADINGS, all.map(row));
  return answer(terminal, given, { workspaces: all }, words);
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
  return answer(terminal, given, { deleted: { tenant, name, entries, files } }, `Deleted ${what}.\n`);
}
