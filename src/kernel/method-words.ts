// What to do about a refusal, in the names of the methods and options of a session. Tools have words of their own.
import { Refusal, reworded } from "../core/failure.ts";
import type { CreateOptions, MoveOptions } from "./verbs.ts";

const IN_THE_WAY = {
  create: "Read it, then use write or edit; or choose another path.",
  move: "Set overwrite: true to put that file into the trash, or choose another path.",
};
const NO_PARENT = "Set createParents: true to have it made, or correct the path.";

/** `path` is where the file shall be: what is in the way there, or missing on the way. `from`: where it is. */
export function inMethodWords(
  method: keyof typeof IN_THE_WAY,
  path: string,
  { createParents }: Pick<CreateOptions | MoveOptions, "createParents">,
  from?: string,
): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Refusal) || error.failure.path === from) throw error;
    const { failure } = error;
    if (failure.kind === "already_exists" && failure.details?.file) throw reworded(error, { next: IN_THE_WAY[method] });
    const parent = failure.kind === "not_found" && failure.details?.missing !== undefined;
    throw parent && createParents !== true && !NOT_TO_BE_MADE.test(path) ? reworded(error, { next: NO_PARENT }) : error;
  };
}

/** A path that names a directory, or leads back out of one that is missing. */
const NOT_TO_BE_MADE = /(?:^|[\\/])\.{0,2}$|(?:^|[\\/])\.\.[\\/]/;
