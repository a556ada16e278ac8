// What there is to see of a watched file from outside: when this changes, the file has.
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { Backend, Path } from "../../core/backend.ts";
import type { Served } from "../served/served.ts";

/** A link that now leads to a place that may not be read looks like nothing at all, so that it tells nothing. */
export async function stateOf({ workspace: { backend, policy } }: Served, path: string): Promise<string> {
  try {
    const at = await backend.resolve(path);
    if (![at.path, ...at.via].every((each) => policy.allows(each, "read"))) return HIDDEN;
    const identity = await identityOf(backend, at.path);
    // The place was looked at by its path, which tells of another file when the root has gone: then this refuses.
    await backend.resolve(".");
    return `${at.path} ${at.kind} ${at.size} ${at.mtimeMs} ${identity}`;
  } catch {
    return HIDDEN;
  }
}

const HIDDEN = "hidden";

/** Size and time of a file can be set to what they were; which file it is, and when it was last touched at all, cannot. */
async function identityOf(backend: Backend, path: Path): Promise<string> {
  if (backend.directory === undefined) return `${(await backend.head(path))?.seq}`;
  const found = await lstat(join(backend.directory, path), { bigint: true }).catch(() => undefined);
  return found === undefined ? "" : `${found.ino} ${found.ctimeNs}`;
}
