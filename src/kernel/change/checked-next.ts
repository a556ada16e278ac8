// Validates what an edit function returned: a program without types may return anything.
import { LINK_MODE, type Path, type Version } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { formatValue, strictOptions, TEXT, validate, value } from "../../core/options.ts";
import { isSha, versionOfLarge } from "../../core/version.ts";
import type { Splice } from "../../edit/text/splice.ts";
import { PERMISSIONS } from "../options.ts";
import type { Current, Next } from "./plan.ts";

const NO_NEXT = "An edit must give { splices }, { body }, { version }, null or undefined for each file.";
const SPLICES = value("a list of { start, end, text }", (given) => {
  const fits = (each: Partial<Splice> | null): boolean =>
    Number.isSafeInteger(each?.start) && Number.isSafeInteger(each?.end) && typeof each?.text === "string";
  return Array.isArray(given) && given.every(fits);
});
const VERSION = value("made by versionOf", isVersion);
const NEXT = strictOptions<NonNullable<Next>>({
  splices: SPLICES,
  body: TEXT,
  encoding: TEXT,
  mode: PERMISSIONS,
  version: VERSION,
  movedFrom: true,
});

export async function validateNexts(given: unknown, targets: readonly Current[]): Promise<readonly Next[]> {
  if (!Array.isArray(given) || given.length > targets.length) {
    const found = Array.isArray(given) ? `a list of ${given.length}` : formatValue(given);
    throw new Refusal("invalid_input", `An edit must give a list, one item for each target, not ${found}.`, {
      next: `There are ${targets.length} targets. Give null to delete a file, undefined to leave it alone.`,
    });
  }
  for (const [n, next] of given.entries()) {
    if (next === undefined || next === null) continue;
    const { raw: path } = targets[n]!;
    validate(next, NEXT, { noObject: NO_NEXT, noun: "field" });
    const ways = [next.splices, next.body, next.version].filter((each) => each !== undefined);
    if (ways.length !== 1) throw new Refusal("invalid_input", NO_NEXT, { path });
    if (next.version !== undefined) await checkVersion(next, path, targets);
  }
  return given;
}

const RETURNED = strictOptions<{ readonly splices: readonly Splice[] }>({ splices: SPLICES }, ["splices"]);

/** What the function of `edit` returned. */
export function validateSplices(splices: unknown): void {
  validate({ splices }, RETURNED);
}

/** The history finds a version by its name, so a name that is not that of the bytes would lose them. */
async function checkVersion(
  { version, movedFrom }: { readonly version: Version; readonly movedFrom?: Path },
  path: string,
  targets: readonly Current[],
): Promise<void> {
  if (movedFrom !== undefined && !targets.some((each) => each.path === movedFrom))
    throw new Refusal("invalid_input", `${movedFrom} is not a target of this change, so nothing moves from there.`, {
      path,
      next: "Name it as a target too, and give null for it.",
    });
  if (targets.some((each) => each.version?.parts === version.parts && each.version.sha === version.sha)) return;
  const { sha, size } = await versionOfLarge(version.parts);
  if (sha === version.sha && size === version.size) return;
  throw new Refusal("invalid_input", "The sha256 or the size of the version is not that of its bytes.", {
    path,
    next: "Make it with versionOf, and leave the bytes as they are until the change is made.",
  });
}

function isVersion(given: unknown): boolean {
  const { sha, parts, mode } = (given ?? {}) as Partial<Version>;
  if (!isSha(sha) || !Array.isArray(parts) || !parts.every((part) => part instanceof Uint8Array)) return false;
  return mode === undefined || mode === LINK_MODE || PERMISSIONS.safeParse(mode).success;
}
