// A parsed patch as steps: which files each section touches, with which proof, and what becomes of them.
import type { Path } from "../../backends/backend.ts";
import { type FilePlan, type Patch, planPatch } from "../../edit/patch.ts";
import type { Current, Next } from "../../kernel/change.ts";
import { Refusal, STALE_ACTION } from "../../kernel/failure.ts";
import type { Target } from "../../kernel/session.ts";
import { encodeSplices } from "../../kernel/text.ts";
import { versionOf } from "../../kernel/version.ts";
import type { ToolContext } from "../tool.ts";
import { type Expected, expectations } from "./patch-expected.ts";
import { pathIn } from "./paths.ts";

export type Section = Patch["sections"][number];

export interface Step {
  readonly section: Section;
  /** Of a move: where from, where to. Of everything else: the one file. */
  readonly places: readonly Place[];
}

interface Place {
  readonly raw: string;
  readonly path: Path;
  readonly target: Target;
  /** What the caller expects there: a sha256, "" for nothing, undefined when it does not say. */
  readonly expected: string | undefined;
  readonly arrival: boolean;
}

const ACTIONS = { add: "create", update: "edit", delete: "delete", move: "move" } as const;

export async function stepsOf(context: ToolContext, patch: Patch, expected: Expected): Promise<Step[]> {
  const claims = await expectations(context.session, expected);
  const taken = new Set<Path>();
  const steps: Step[] = [];
  for (const section of patch.sections) {
    const places = [await placeOf(section.path, section.op === "add")];
    if (section.op === "move") places.push(await placeOf(section.toPath, true));
    refuseMoveOntoItself(section, places);
    for (const { path, raw } of places) {
      if (taken.has(path)) throw repeated(raw, section.patchLine);
      taken.add(path);
    }
    steps.push({ section, places });

    async function placeOf(raw: string, arrival: boolean): Promise<Place> {
      const link = section.op === "delete" || (section.op === "move" && !arrival);
      const { session } = context;
      const { path } = await session.workspace.backend.resolve(pathIn(session, raw), { link });
      const claim = claims.of(raw, path);
      const proof = arrival ? arrivalProof(claim) : currentProof(claim);
      return { raw, path, expected: claim, arrival, target: { path: raw, proof, action: ACTIONS[section.op], link } };
    }
  }
  for (const key of claims.unused()) context.warn(`expectedSha256ByPath names ${key}, which the patch does not touch.`);
  return steps;
}

/** Pure: from the current files to the next ones, in the order of the places. */
export function planSteps(steps: readonly Step[], current: readonly Current[]): { plans: FilePlan[]; nexts: Next[] } {
  const files = new Map(current.map((file) => [file.raw, file]));
  const places = steps.flatMap((step) => step.places);
  for (const place of places) refuseUnexpected(place, files.get(place.raw)!);
  const unchanged = new Set(steps.filter(({ section }) => keepsBytes(section)).map(({ section }) => section.path));
  const read = (path: string): string | null => {
    const file = files.get(path)!;
    if (file.version === null) return null;
    return unchanged.has(path) ? "" : file.text.body;
  };
  const plans = planPatch({ format: "envelope", sections: steps.map(({ section }) => section) }, read);
  return { plans, nexts: plans.flatMap((plan) => nextsOf(plan, files)) };
}

function nextsOf(plan: FilePlan, files: ReadonlyMap<string, Current>): Next[] {
  const file = files.get(plan.path)!;
  const mode = plan.mode === undefined ? {} : { mode: plan.mode };
  if (plan.op === "delete") return [null];
  if (plan.op === "add") return [{ body: plan.newText, ...mode }];
  if (plan.op === "update")
    return [plan.mode === undefined ? { splices: plan.splices } : { body: plan.newText, ...mode }];
  const version = file.version!;
  const moved = plan.splices.length === 0 ? version : versionOf(encodeSplices(file.text, plan.splices), version.mode);
  return [null, { version: { ...moved, ...mode }, movedFrom: file.path }];
}

/** Files that need not be text: the patch takes them as they are. */
function keepsBytes(section: Section): boolean {
  if (section.op === "delete") return section.content === undefined;
  return section.op === "move" && section.hunks.length === 0;
}

function arrivalProof(claim: string | undefined): Target["proof"] {
  return claim === undefined || claim === "" ? { by: "absence" } : { by: "waived" };
}

function currentProof(claim: string | undefined): Target["proof"] {
  return claim === undefined ? { by: "waived" } : { by: "sha256", sha256: claim };
}

/** A sha256 for a file that is to be new is a mismatch whatever is there; so is "" for one that exists. */
function refuseUnexpected({ raw, expected, arrival }: Place, file: Current): void {
  const mismatch = arrival ? expected !== undefined && expected !== "" : expected === "" && file.version !== null;
  if (!mismatch) return;
  const actualSha256 = file.version?.sha ?? null;
  const why = arrival
    ? `The patch makes ${raw} as a new file, but you expect a version of it.`
    : `${raw} exists already.`;
  throw new Refusal("stale_file", why, {
    path: raw,
    next: STALE_ACTION,
    details: { expectedSha256: expected, actualSha256, currentSha256: actualSha256 },
  });
}

function refuseMoveOntoItself(section: Section, [from, to]: readonly Place[]): void {
  if (to === undefined || from?.path !== to.path) return;
  throw new Refusal("command_failed", `The patch moves ${section.path} onto itself.`, {
    path: section.path,
    next: "Use *** Update File to change a file where it is.",
    details: { line: section.patchLine },
  });
}

function repeated(path: string, line: number): Refusal {
  return new Refusal("patch_apply_error", `The patch names ${path} twice, the second time at line ${line}.`, {
    path,
    next: "Put all changes of one file into one section.",
    details: { path, reason: "duplicate_path", line },
  });
}
