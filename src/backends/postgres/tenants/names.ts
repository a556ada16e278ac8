// Names of workspaces and tenants.
import { Refusal } from "../../../core/failure.ts";
import { isPrintable, shown } from "../../../core/printable.ts";

const NAME_BYTES = 200;

export function isName(name: unknown): name is string {
  const fits = typeof name === "string" && name.trim() !== "" && Buffer.byteLength(name) <= NAME_BYTES;
  return fits && isPrintable(name);
}

export function checkName(name: string): void {
  if (isName(name)) return;
  throw new Refusal("invalid_input", `${shown(String(name))} cannot be the name of a workspace or a tenant.`, {
    next: `Use a name of at most ${NAME_BYTES} bytes, without control characters.`,
  });
}
