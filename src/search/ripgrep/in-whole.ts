// What is found in a copy counts only if nothing was missing there: it lies in a cache, which may be emptied at any time.
import type { Path } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { parentOf } from "../../core/paths.ts";
import type { Scope } from "../scope.ts";
import type { Ripgrep } from "./process.ts";

/** Undefined: JavaScript has to do it. */
export async function inWhole<T>(
  { isWhole }: Ripgrep,
  { at }: Scope,
  search: () => Promise<T | undefined>,
): Promise<T | undefined> {
  if (isWhole === undefined) return search();
  const below = at.kind === "file" ? (parentOf(at.path) as Path) : at.path;
  try {
    const found = await search();
    return (await isWhole(below)) ? found : undefined;
  } catch (error) {
    const isEnded = error instanceof Refusal && (error.kind === "timeout" || error.kind === "cancelled");
    if (isEnded || (await isWhole(below))) throw error;
    return undefined;
  }
}
