// A workspace in a database as a root, postgres://USER@HOST:PORT/DATABASE/[TENANT/]WORKSPACE, and a database of many in place of roots.
import { dirname } from "node:path";
import { Refusal } from "../../core/failure.ts";
import { shown as quoted } from "../../core/printable.ts";
import type { FleetSettings } from "../../fleet/open.ts";
import type { Terminal } from "../options/command.ts";
import type { ConfigFile } from "./config-file.ts";
import { absolute } from "./paths.ts";

/** Where a workspace is, or a whole database of them. */
export interface DatabaseRoot {
  /** For the driver: nothing in it is stet's own. May hold a password: never to be shown. */
  readonly url: string;
  /** "" where none is named. */
  readonly tenant: string;
  /** Undefined: the database as a whole. */
  readonly workspace: string | undefined;
  /** The directory for the copy to search in, as it was written. */
  readonly mirror: string | undefined;
  /** For people: without the password, and without what follows "?". */
  readonly shown: string;
  readonly hasPassword: boolean;
}

export function isDatabaseUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(text);
}

/** What it refuses it does not quote: there may be a password in it. */
export function databaseRoot(text: string): DatabaseRoot {
  if (!URL.canParse(text)) throw malformed();
  const url = new URL(text);
  const [database = "", ...names] = namesIn(url);
  if (names.length > 2 || [database, ...names].includes("")) throw malformed();
  const hasPassword = url.password !== "" || url.searchParams.has("password");
  const mirror = url.searchParams.get("mirror") ?? undefined;
  url.searchParams.delete("mirror");
  url.pathname = `/${encodeURIComponent(database)}`;
  const shown = new URL(url);
  shown.password = "";
  shown.search = "";
  shown.hash = "";
  return {
    url: url.href,
    tenant: names.length === 2 ? names[0]! : "",
    workspace: names.at(-1),
    mirror,
    shown: [shown.href, ...names.map(encodeURIComponent)].join("/"),
    hasPassword,
  };
}

function namesIn({ pathname }: URL): string[] {
  try {
    return pathname.split("/").slice(1).map(decodeURIComponent);
  } catch {
    return [];
  }
}

function malformed(): Refusal {
  return new Refusal("invalid_input", "The address of the database is not one that stet understands.", {
    next: "Write postgres://USER@HOST:PORT/DATABASE/WORKSPACE, or …/DATABASE/TENANT/WORKSPACE, with other characters than letters, digits, - . _ as %XX.",
  });
}

/** Programs of other users can see how a process was called, not its environment. */
export const PASSWORD_SEEN =
  "The password in the address of the database can be seen by every user of this machine: leave it out, and give it as PGPASSWORD, in ~/.pgpass or in the configuration file.";

export interface Fleet extends Omit<FleetSettings, "policy">, Pick<DatabaseRoot, "shown"> {}

/** Undefined where the file names none. */
export function fleetIn(file: ConfigFile | undefined, env: Terminal["env"]): Fleet | undefined {
  const given = file?.config.database;
  if (file === undefined || given === undefined) return undefined;
  if (file.config.roots !== undefined)
    throw file.refuse(["database"], "database: a file has roots or a database, not both");
  const { url: address, mirror, ...rest } = typeof given === "string" ? { url: given } : given;
  const { url, shown, mirror: ofAddress } = databaseRoot(address);
  const copies = mirror ?? ofAddress;
  return { ...rest, url, shown, mirror: copies === undefined ? undefined : absolute(dirname(file.path), copies, env) };
}

/** `name`: NAME, or TENANT/NAME. */
export function workspaceOf(
  { url, shown, mirror }: Fleet,
  name: string,
): DatabaseRoot & { readonly workspace: string } {
  const [first = "", ...rest] = name.split("/");
  if (AS_IN_PATHS.has(first))
    throw new Refusal("invalid_input", `${quoted(name)} is a path, and the configuration is about a database.`, {
      next: "Name a workspace in it, as in: --root TENANT/NAME",
    });
  const [tenant, workspace] = rest.length === 0 ? ["", first] : [first, rest.join("/")];
  const names = (tenant === "" ? [workspace] : [tenant, workspace]).map(encodeURIComponent);
  return { url, tenant, workspace, mirror, shown: [shown, ...names].join("/"), hasPassword: false };
}

/** No tenant and no workspace is meant by what begins so. */
const AS_IN_PATHS: ReadonlySet<string> = new Set(["", ".", "..", "~"]);

export function noneNamed({ shown }: Fleet): Refusal {
  return new Refusal("invalid_input", `${shown} has many workspaces, and none was named.`, {
    next: "Say which one, as in: --root TENANT/NAME",
  });
}
