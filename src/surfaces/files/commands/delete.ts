// Deletes a file from a store. Disabled in a sandbox.
import { Refusal } from "../../../core/failure.ts";
import { printable } from "../../../core/printable.ts";
import { legible } from "../../shared/legible.ts";
import type { Outcome } from "../outcome.ts";
import type { DeleteParams } from "../params.ts";
import type { Place } from "../place.ts";
import { deleteDisabled, readOnly } from "../words.ts";

export async function remove(
  { mode, session, call, settings, warn }: Place,
  { file_path: path }: DeleteParams,
): Promise<Outcome> {
  if (settings.mode === "sandbox" && settings.readOnly) throw readOnly(path, "delete");
  if (mode === "sandbox") throw deleteDisabled(path);
  const outcome = (summary: string): Outcome => ({ plain: summary, typed: { path, summary } });
  try {
    const { warnings } = await session.delete(path, { ...call, proof: { by: "waived" } });
    warn(...warnings.map((warning) => legible(warning, path)));
    return outcome(`Deleted file ${printable(path)}`);
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== "not_found") throw error;
    return outcome(`File ${printable(path)} did not exist (delete operation was idempotent)`);
  }
}
