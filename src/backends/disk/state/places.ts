// Where in the workspace a state directory of the owner's choice is met: its real place, and every place on the way to it.
import { relative, sep } from "node:path";
import { Refusal } from "../../../core/failure.ts";
import { contains, wayTo } from "../paths/owner-path.ts";

/**
 * Relative to the root, "/" between names. Who could put something else on the way could put a state of his own in the
 * place of the real one, so that is as much a part of it. `stateDir` is absolute; it need not be there yet.
 */
export function statePlaces(root: string, stateDir: string): string[] {
  const { replaceable, end } = wayTo(stateDir);
  if (relative(root, end) === "") {
    throw new Refusal("invalid_input", "The state directory cannot be the workspace itself.", {
      next: "Leave stateDir out, or name a directory of its own.",
    });
  }
  const places = [...replaceable, end].filter((path) => contains(root, path)).map((path) => relative(root, path));
  return [...new Set(places)].map((path) => path.split(sep).join("/"));
}
