// A path that is looked up in the journal: as the journal spells it, whatever is there now.
import type { Backend, Path } from "../../../core/backend.ts";
import { Refusal } from "../../../core/failure.ts";
import { namesOf } from "../../../core/paths.ts";

/** Refuses what leads outside. What lay below a directory that is a file by now still has its history. */
export async function pathInHistory(backend: Pick<Backend, "resolve">, raw: string): Promise<Path> {
  if (typeof raw !== "string") throw new Refusal("invalid_input", "A path must be a string.");
  try {
    return (await backend.resolve(raw, { link: true, existed: true })).path;
  } catch (error) {
    if (error instanceof Refusal && error.kind === "not_a_directory") return namesOf(raw).join("/") as Path;
    throw error;
  }
}
