// When the answer to the last COMMIT of a push was lost: whether the workspace appeared.
import { Refusal } from "../../../core/failure.ts";
import { shown } from "../../../core/printable.ts";
import { BEGIN } from "../connection/client.ts";
import type { Database } from "../connection/database.ts";
import { again, databaseOf, within } from "../connection/database.ts";
import { HIDDEN } from "./hidden.ts";

/** With the lock of its row: the connection that was lost may be about to commit still, and holds it until it is over. */
export async function hasAppeared({ pool, tenant, ws, waitMs }: Database, workspace: string): Promise<boolean> {
  const { on } = databaseOf(pool, tenant, ws, waitMs);
  const look = () =>
    on(async (client) => {
      await client.query(BEGIN);
      await client.query(`set local lock_timeout = ${waitMs}`);
      const rows = await within<{ hidden: boolean }>(client, {
        text: "select starts_with(name, $2) as hidden from workspace where id = $1 for no key update",
        values: [ws, HIDDEN],
      });
      await client.query("rollback").catch(() => {});
      return rows[0];
    });
  const row = await again(waitMs, look).catch(() => undefined);
  if (row !== undefined) return !row.hidden;
  throw new Refusal(
    "outcome_unknown",
    `The connection was lost at the very end of the push to ${shown(workspace)}: whether it is there is not known.`,
    { next: "stet workspaces list tells. If it is not there, run the same command again: it goes on where it was." },
  );
}
