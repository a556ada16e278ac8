// A database of workspaces, in place of roots: which one, and what is to be known of it to serve what is in it.
import { dirname } from "node:path";
import { Refusal } from "../../core/failure.ts";
import { shown as quoted } from "../../core/printable.ts";
import type { FleetSettings } from "../../fleet/open.ts";
import { isLoopback } from "../../serve/http/access/address.ts";
import type { Terminal } from "../options/command.ts";
import type { ConfigFile } from "./config-file.ts";
import { type DatabaseRoot, databaseRoot } from "./database-root.ts";
import { absolute } from "./paths.ts";

export interface Fleet extends Omit<FleetSettings, "policy">, Pick<DatabaseRoot, "shown"> {}

/** Undefined where the file names none. */
export function fleetIn(file: ConfigFile | undefined, env: Terminal["env"]): Fleet | undefined {
  const given = file?.config.database;
  if (file === undefined || given === undefined) return undefined;
  const { url, mirror, ...rest } = typeof given === "string" ? { url: given } : given;
  const refuse = (what: string): Refusal => file.refuse(["database"], `database: ${what}`);
  if (file.config.roots !== undefined) throw refuse("a file has roots or a database, not both");
  const place = readPlace(url, refuse);
  const plain = Object.entries(keyed(rest)).find(([, address]) => !isPrivate(address));
  if (plain !== undefined) throw refuse(`oauth.${plain[0]} must begin with https://`);
  const copies = mirror ?? place.mirror;
  return {
    ...rest,
    url: place.url,
    shown: place.shown,
    mirror: copies === undefined ? undefined : absolute(dirname(file.path), copies, env),
  };
}

function keyed({ oauth }: Pick<Fleet, "oauth">): Readonly<Record<string, string>> {
  return oauth === undefined ? {} : { issuer: oauth.issuer, audience: oauth.audience, jwks: oauth.jwks };
}

/** Who can change what comes from there could sign anything. */
function isPrivate(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || isLoopback(hostname.replace(/^\[|\]$/g, ""));
}

function readPlace(url: string, refuse: (what: string) => Refusal): DatabaseRoot {
  try {
    const place = databaseRoot(url);
    if (place.workspace === undefined) return place;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  throw refuse("expected postgres://USER@HOST:PORT/DATABASE, and nothing behind it");
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
