// stet token: who may call the servers of a database, and what for.
import type { Pool } from "../../../backends/postgres/index.ts";
import {
  createToken,
  listTokens,
  ROLES,
  revokeToken,
  type TokenAbout,
} from "../../../backends/postgres/tenants/tokens.ts";
import { Refusal } from "../../../core/failure.ts";
import { printable } from "../../../core/printable.ts";
import { DATABASE_OPTIONS, runVerb } from "../../open/database.ts";
import { type Command, flag, type Given, type Terminal, value } from "../../options/command.ts";
import type { Verb } from "../../options/given.ts";
import { choiceOf, durationOf, textOf, UsageError } from "../../options/given.ts";
import { answer, table } from "../../terminal/print.ts";

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
  run: (terminal, given) => runVerb(token, VERBS, terminal, given),
};

const VERBS: Readonly<Record<string, Verb<Pool>>> = {
  create: { takes: ["PRINCIPAL"], run: create },
  list: { takes: [], run: list },
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
    ...(expiresAt !== undefined && { expiresAt }),
  });
  if (!given.json)
    terminal.err(`${formatToken(about)}\nIt is shown only now. stet token revoke ${about.id} ends it.\n`);
  return answer(terminal, given, { token: secret, ...about }, `${secret}\n`);
}

/** Of years that have four digits. */
const LATEST = Date.UTC(9999, 11, 31);

function endIn(given: Given): Date | undefined {
  const lasts = durationOf(given, "expires");
  if (lasts === undefined) return undefined;
  const end = Date.now() + lasts;
  if (lasts > 0 && end <= LATEST) return new Date(end);
  throw new UsageError(
    "A token must hold for a while, and not beyond the year 9999.",
    "Give --expires as in 12h or 30d, or leave it out.",
  );
}

function formatToken({ principal, tenant, role, workspaces, id }: TokenAbout): string {
  const whose = tenant === "" ? "" : ` of ${printable(tenant)}`;
  return `Token ${id}: ${printable(principal)} may ${role === "read" ? "read" : "read and change"} ${printable(workspaces.join(", "))}${whose} (${role}).`;
}

async function list(terminal: Terminal, given: Given, pool: Pool): Promise<number> {
  const tenant = textOf(given, "tenant");
  const tokens = await listTokens(pool, {
    all: given.values.all === true,
    ...(tenant !== undefined && { tenant }),
  });
  if (tokens.length === 0 && !given.json) terminal.err("There is no token.\n");
  const words = tokens.length === 0 ? "" : table(terminal, HEADINGS, tokens.map(row));
  return answer(terminal, given, { tokens }, words);
}

const HEADINGS = ["id", "tenant", "principal", "role", "workspaces", "made", "until"];

function row({ id, tenant, principal, role, workspaces, madeAt, expiresAt, revokedAt }: TokenAbout): string[] {
  const isOver = expiresAt !== null && expiresAt.getTime() <= Date.now();
  const end = expiresAt === null ? "no end" : `${isOver ? "expired " : ""}${day(expiresAt)}`;
  const until = revokedAt === null ? end : `revoked ${day(revokedAt)}`;
  return [id, tenant === "" ? "-" : tenant, principal, role, workspaces.join(","), day(madeAt), until].map(printable);
}

function day(date: Date): string {
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
