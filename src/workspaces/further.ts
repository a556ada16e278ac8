// Directories outside the root that a policy lists: each a workspace of its own, confined, with its own history.
import { statSync } from "node:fs";
import { parse, resolve } from "node:path";
import { homeOfUser, stateHome } from "../backends/disk/home.ts";
import { contains, realPlace, wayTo } from "../backends/disk/paths/owner-path.ts";
import { Refusal } from "../core/failure.ts";
import type { PolicyInput, ProtectRule } from "../kernel/policy/input.ts";
import { denyPlaces, fromAnyRoot, type Outside, outsideOf, protectionBelow } from "./places.ts";

export interface FurtherQuestion {
  /** Of the first workspace: real, absolute. */
  readonly root: string;
  /** Where histories lie, if not in the usual place. */
  readonly stateDir: string | undefined;
  readonly policy: PolicyInput | undefined;
  /** Absolute places that stay closed, with all below them. */
  readonly closed: readonly string[];
}

export interface FurtherRoot {
  /** As it was written. */
  readonly root: string;
  readonly policy: PolicyInput;
}

export interface Further {
  readonly roots: readonly FurtherRoot[];
  /** What was listed and stays closed, and why. */
  readonly notOpened: readonly string[];
}

export function furtherRoots(question: FurtherQuestion): Further {
  const roots: FurtherRoot[] = [];
  const notOpened: string[] = [];
  for (const outside of outsideOf(question.policy, question.root)) {
    const why = whyClosed(outside.directory, question);
    if (why === undefined) roots.push(rootFor(outside, question));
    else notOpened.push(`allowedPaths: ${outside.directory} stays closed: ${why}.`);
  }
  return { roots, notOpened };
}

function whyClosed(directory: string, { stateDir, closed }: FurtherQuestion): string | undefined {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return "it is no directory";
  const real = realPlace(directory);
  const home = process.env.HOME || homeOfUser();
  if (real === parse(real).root || (home !== undefined && contains(real, realPlace(home))))
    return "it is a whole disk, a whole home directory or lies above it";
  const by = protectionBelow(parse(real).root, real) ?? protectionBelow(parse(directory).root, directory);
  if (by !== undefined) return `it is, or lies in, a protected place (${by.rule})`;
  return [...statesOf(stateDir), ...closed].some((place) => contains(realPlace(place), real))
    ? "stet keeps its own files there"
    : undefined;
}

function statesOf(stateDir: string | undefined): string[] {
  const home = stateDir === undefined ? stateHome() : resolve(stateDir);
  return home === undefined ? [] : [home];
}

function rootFor({ directory, globs }: Outside, question: FurtherQuestion): FurtherRoot {
  const { root, stateDir, policy = {}, closed } = question;
  const real = realPlace(directory);
  const { allowedPaths, allowed_paths, deniedPaths, denied_paths, protect, ...rest } = policy;
  const own = { ...rest, ...(protect !== undefined && { protect: protectionFor(protect) }), allowedPaths: globs };
  const denied = { ...own, deniedPaths: fromAnyRoot(deniedPaths ?? denied_paths) };
  const places = [root, ...statesOf(stateDir), ...closed];
  const ways = places.flatMap((place) => [place, ...wayTo(place).replaceable, realPlace(place)]);
  return { root: directory, policy: denyPlaces(denied, real, ways) };
}

function protectionFor(protect: NonNullable<PolicyInput["protect"]>): NonNullable<PolicyInput["protect"]> {
  if (protect === false) return false;
  if (Array.isArray(protect)) return rulesFor(protect);
  const { add, remove } = protect as { add?: readonly ProtectRule[]; remove?: readonly string[] };
  return { ...(add !== undefined && { add: rulesFor(add) }), ...(remove !== undefined && { remove }) };
}

function rulesFor(rules: readonly ProtectRule[]): readonly ProtectRule[] {
  return rules
    .map(({ paths, except, ...rule }) => ({
      ...rule,
      paths: fromAnyRoot(paths),
      ...(except !== undefined && { except: fromAnyRoot(except) }),
    }))
    .filter(({ paths }) => paths.length > 0);
}

/** Opens them in turn; one that cannot be opened stays closed, and takes nothing else with it. */
export function openFurther<T>(further: Further, open: (root: FurtherRoot) => T): { opened: T[]; notOpened: string[] } {
  const opened: T[] = [];
  const notOpened = [...further.notOpened];
  for (const root of further.roots) {
    try {
      opened.push(open(root));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      notOpened.push(`allowedPaths: ${root.root} stays closed: ${error.failure.message}`);
    }
  }
  return { opened, notOpened };
}
