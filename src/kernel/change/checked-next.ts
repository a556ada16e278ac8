// What an edit function gave back, looked at before it is used: a program without types may give anything.
import type { Path, Version } from "../../core/backend.ts";
import { LINK_MODE } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { optionNames, refuseUnknownOptions } from "../../core/options/option-names.ts";
import { PERMISSIONS, TEXT, valueInWords } from "../../core/options/option-values.ts";
import { isSha, versionOfLarge } from "../../core/version.ts";
import type { Splice } from "../../edit/text/splice.ts";
import type { Current, Next } from "./plan.ts";

const FIELDS = optionNames<NonNullable<Next>>({
  splices: true,
  body: TEXT,
  encoding: TEXT,
  mode: PERMISSIONS,
  version: true,
  movedFrom: true,
});

/** In the order of the targets. What was given is copied: it stays as it was looked at. */
export async function checkedNexts(given: unknown, targets: readonly Current[]): Promise<readonly Next[]> {
  if (!Array.isArray(given) || given.length > targets.length) {
    const found = Array.isArray(given) ? `a list of ${given.length}` : valueInWords(given);
    throw new Refusal("invalid_input", `An edit must give a list, one item for each target, not ${found}.`, {
      next: `There are ${targets.length} targets. Give null to delete a file, undefined to leave it alone.`,
    });
  }
  const nexts: Next[] = [];
  for (const [n, next] of given.entries()) nexts.push(await checkedNext(next, targets[n]!, targets));
  return nexts;
}

async function checkedNext(given: unknown, { raw }: Current, targets: readonly Current[]): Promise<Next> {
  if (given === undefined || given === null) return given;
  refuseUnknownOptions(given, FIELDS, { noObject: NO_NEXT, noun: "field" });
  const next = { ...(given as NonNullable<Next>) };
  if (["splices", "body", "version"].filter((name) => name in next).length !== 1)
    throw new Refusal("invalid_input", NO_NEXT, { path: raw });
  if ("splices" in next) return { splices: checkedSplices(next.splices, raw) };
  if ("version" in next) await checkVersion(next, raw, targets);
  else if (typeof next.body !== "string") throw new Refusal("invalid_input", NO_NEXT, { path: raw });
  return next;
}

const NO_NEXT = "What shall become of a file is one of { splices }, { body }, { version }, null and undefined.";

export function checkedSplices(splices: unknown, path: string): readonly Splice[] {
  const fits = (each: Partial<Splice> | null): boolean =>
    Number.isSafeInteger(each?.start) && Number.isSafeInteger(each?.end) && typeof each?.text === "string";
  const copies: unknown = Array.isArray(splices) ? splices.map(copyOf) : undefined;
  if (Array.isArray(copies) && copies.every(fits)) return copies;
  throw new Refusal("invalid_input", "An edit must give a list of { start, end, text }.", {
    path,
    next: "Return such a list from the function; an empty one changes nothing.",
  });
}

/** Each field is asked for once. */
function copyOf(splice: Partial<Splice> | null | undefined): Partial<Splice> {
  const { start, end, text } = splice ?? {};
  return {
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
    ...(text !== undefined && { text }),
  };
}

/** The history finds a version by its name, so a name that is not that of the bytes would lose them. */
async function checkVersion(
  { version, movedFrom }: { readonly version: Version; readonly movedFrom?: Path },
  path: string,
  targets: readonly Current[],
): Promise<void> {
  if (!isVersion(version)) throw new Refusal("invalid_input", "A version is what versionOf makes.", { path });
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

function isVersion(value: unknown): value is Version {
  const { sha, parts, mode } = (value ?? {}) as Partial<Version>;
  if (!isSha(sha) || !Array.isArray(parts) || !parts.every((part) => part instanceof Uint8Array)) return false;
  return mode === undefined || mode === LINK_MODE || PERMISSIONS.fits(mode);
}
