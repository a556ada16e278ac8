// Finds names near a missing one, for its refusal.
import type { Path } from "../../core/backend.ts";
import { ifRefused, type Refusal } from "../../core/failure.ts";
import { isPrintable } from "../../core/printable.ts";
import { yieldEvery } from "../../core/yield-every.ts";
import { similarity } from "../../edit/text/similarity.ts";
import { knowing } from "../../words/index.ts";
import type { Workspace } from "../workspace.ts";

/** Adds paths that may have been meant to a refusal of a missing file; returns any other as it is. */
export async function withNearNames(workspace: Workspace, refusal: Refusal): Promise<Refusal> {
  const { kind, path, details } = refusal.failure;
  if (kind !== "not_found" || path === undefined || details?.nearest !== undefined) return refusal;
  const nearest = await nearNames(workspace, path).catch(ifRefused([]));
  return nearest.length === 0 ? refusal : knowing(refusal, { nearest });
}

/** Looks into the deepest existing directory on the way, and names only what the policy allows to list. */
async function nearNames(workspace: Workspace, raw: string): Promise<readonly string[]> {
  const place = await firstMissing(workspace, raw);
  if (place === undefined || !workspace.policy.allows(place.directory, "list")) return [];
  const near: string[] = [];
  for (const path of await alike(workspace, place.directory, place.name))
    near.push(await whole(workspace, path, place.rest).catch(ifRefused(path)));
  return near;
}

interface Missing {
  readonly directory: Path;
  readonly name: string;
  /** What follows the missing name. */
  readonly rest: readonly string[];
}

async function firstMissing({ backend }: Workspace, raw: string): Promise<Missing | undefined> {
  const { path, kind } = await backend.resolve(raw.replace(/(?<=[^/])\/+$/, ""));
  if (kind !== "absent") return undefined;
  const names = path.split("/");
  let directory = "" as Path;
  for (const [at, name] of names.entries()) {
    const next = await backend.resolve(names.slice(0, at + 1).join("/"), { link: true });
    if (next.kind === "absent") return { directory, name, rest: names.slice(at + 1) };
    directory = next.path;
  }
  return undefined;
}

/** The most alike first. */
async function alike({ backend, policy }: Workspace, directory: Path, wanted: string): Promise<Path[]> {
  const found: { readonly path: Path; readonly score: number }[] = [];
  const yieldNow = yieldEvery();
  let looked = 0;
  for await (const { name, path } of backend.list(directory)) {
    await yieldNow();
    if (++looked > MAX_LOOKED_AT) break;
    const score = likeness(wanted, name);
    if (score >= MIN_LIKENESS && isPrintable(name) && policy.allows(path, "list")) found.push({ path, score });
  }
  found.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
  return found.slice(0, MAX_NAMED).map(({ path }) => path);
}

/** Ignores case, takes off little for another extension, and gives nothing for a common one. */
function likeness(wanted: string, name: string): number {
  const [a, b] = [parted(wanted), parted(name)];
  if (a.stem === b.stem) return a.extension === b.extension ? 1 : SAME_STEM;
  const [one, other] = a.extension === b.extension ? [a.stem, b.stem] : [a.whole, b.whole];
  return Math.max(similarity(one, other), swapped(one, other) ? 1 - 1 / one.length : 0);
}

function parted(name: string): { readonly whole: string; readonly stem: string; readonly extension: string } {
  const whole = name.toLowerCase();
  const stem = whole.replace(/(?<=.)\..*$/su, "");
  return { whole, stem, extension: whole.slice(stem.length) };
}

/** Two neighbouring letters have changed places. */
function swapped(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  const at = [...a].findIndex((letter, n) => letter !== b[n]);
  return at !== -1 && a.slice(0, at) + (a[at + 1] ?? "") + a[at] + a.slice(at + 2) === b;
}

/** The rest of the path below a directory that may have been meant, if it exists; else that directory. */
async function whole({ backend, policy }: Workspace, near: Path, rest: readonly string[]): Promise<string> {
  if (rest.length === 0) return near;
  const path = [near, ...rest].join("/");
  const at = await backend.resolve(path);
  const shown = at.kind !== "absent" && [path, at.path].every((each) => policy.allows(each, "list"));
  return shown && isPrintable(path) ? path : near;
}

const MAX_NAMED = 3;
/** Names of one directory that are compared, in a few milliseconds. */
const MAX_LOOKED_AT = 2000;
const MIN_LIKENESS = 0.6;
const SAME_STEM = 0.8;
