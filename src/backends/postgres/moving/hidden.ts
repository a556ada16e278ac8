// Workspaces that a push fills: under names that nothing opens, and under a lock that goes by the name they will have.
import { Refusal } from "../../../core/failure.ts";
import { shown } from "../../../core/printable.ts";
import type { Client } from "../connection/client.ts";
import { within } from "../connection/database.ts";

/** No name of a workspace begins so: it has a control character. */
export const HIDDEN = "\u0001moving ";

export function hiddenName(workspace: string, history: boolean): string {
  return `${HIDDEN}${history ? "all" : "files"} ${workspace}`;
}

export function nameOfHidden(hidden: string): string {
  return hidden.slice(HIDDEN.length).replace(/^\w+ /, "");
}

/** Held as long as the connection is; any first number will do, as long as every stet takes the same. */
export async function lockForPush(client: Client, tenant: string, workspace: string): Promise<void> {
  const [lock] = await within<{ had: boolean }>(client, {
    text: "select pg_try_advisory_lock(7243002, hashtext($1)) as had",
    values: [JSON.stringify([tenant, workspace])],
  });
  if (lock?.had) return;
  throw new Refusal("busy", `Another push to ${shown(workspace)} is under way.`, { next: "Wait until it has ended." });
}
