// The newest entry of the journal.
import type { Backend, Entry } from "../../../core/backend.ts";

/** Undefined while there is none. */
export async function newestEntry(backend: Pick<Backend, "log">): Promise<Entry | undefined> {
  for await (const entry of backend.log({ newestFirst: true, limit: 1 })) return entry;
  return undefined;
}
