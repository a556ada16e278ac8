// A workspace in a database as a root: postgres://USER@HOST:PORT/DATABASE/WORKSPACE, or …/DATABASE/TENANT/WORKSPACE.
import { Refusal } from "../../core/failure.ts";

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
