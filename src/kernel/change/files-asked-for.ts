// Which files a refused call was about, by every name that leads to them: what decides later who may read the words of the refusal.
import type { Backend } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { LIMITS } from "../../core/limits.ts";
import { untilOrLater } from "./external.ts";

export const MOST_TARGETS = 20;
const MOST_CHARS = 64 * 1024;

/** Canonical, the names of links among them. Undefined where not every one of them is known: then none counts as known. */
export async function filesAskedFor(
  backend: Pick<Backend, "resolve">,
  asked: readonly unknown[],
): Promise<readonly string[] | undefined> {
  const paths = [...new Set(asked)];
  if (paths.length === 0 || paths.length > MOST_TARGETS || !paths.every(isWhole)) return undefined;
  let found: readonly string[] | undefined;
  await untilOrLater(
    namesOf(backend, paths).then((names) => {
      found = names;
    }),
    "a moment",
  );
  return found;
}

/** One that may have been cut off, or that a patch has in quotes, names another file. */
function isWhole(path: unknown): path is string {
  return typeof path === "string" && path.length < LIMITS.pathBytes && !path.startsWith('"');
}

async function namesOf(
  backend: Pick<Backend, "resolve">,
  paths: readonly string[],
): Promise<readonly string[] | undefined> {
  const names = new Set<string>();
  try {
    for (const path of paths) {
      const at = await backend.resolve(path, { existed: true });
      const itself = at.throughLink ? await backend.resolve(path, { existed: true, link: true }) : at;
      for (const { path: own, via } of [at, itself]) for (const name of [own, ...via]) names.add(name);
    }
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
  const chars = [...names].reduce((sum, name) => sum + name.length, 0);
  return chars > MOST_CHARS ? undefined : [...names];
}
