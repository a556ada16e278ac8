// A parsed patch as steps: which files each section touches, with which proof, and what becomes of them.
import type { Path } from "../../core/backend.ts";
import type { Deadline } from "../../core/deadline.ts";
import { Refusal } from "../../core/failure.ts";
import { versionOf } from "../../core/version.ts";
import { type FilePlan, movesOntoItself, namedTwice } from "../../edit/patch/index.ts";
import { apart } from "../../kernel/apart/apart.ts";
import type { Outline } from "../../kernel/apart/patch-jobs.ts";
import type { Current, Next } from "../../kernel/change/plan.ts";
import type { Session, Target } from "../../kernel/session.ts";
import { encodeSplices } from "../../kernel/text/text.ts";
import { targetsOf } from "../refused-call.ts";
import type { ToolContext } from "../tool.ts";
import { type Expectations, type Expected, expectations } from "./patch-expected.ts";
import { pathIn } from "./paths.ts";

export interface PatchText {
  readonly text: string;
  readonly maxFiles: number;
}

/** Of a patch: the number counts from 0. */
type Section = Outline & { readonly number: number };

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

export async function stepsOf(context: ToolContext, outline: readonly Outline[], expected: Expected): Promise<Step[]> {
  const { session, call, warn } = context;
  const claims = await expectations(session, expected);
  const taken = new Set<Path>();
  const steps: Step[] = [];
  for (const [number, section] of outline.entries()) {
    try {
      steps.push(await stepOf(session, { ...pathsIn(session, section), number }, claims, taken));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      await session.recordRefusal(error, targetsOf(section), call);
      throw error;
    }
  }
  for (const key of claims.unused()) warn(`expectedSha256ByPath names ${key}, which the patch does not touch.`);
  return steps;
}

function pathsIn(session: Session, section: Outline): Outline {
  const path = pathIn(session, section.path);
  const { toPath } = section;
  return toPath === undefined ? { ...section, path } : { ...section, path, toPath: pathIn(session, toPath) };
}

async function stepOf(session: Session, section: Section, claims: Expectations, taken: Set<Path>): Promise<Step> {
  const places = [await placeOf(section.path, section.op === "add")];
  if (section.toPath !== undefined) places.push(await placeOf(section.toPath, true));
  if (places[1]?.path === places[0]!.path) throw movesOntoItself(section);
  for (const { path, raw } of places) {
    if (taken.has(path)) throw namedTwice(raw, section.patchLine);
    taken.add(path);
  }
  return { section, places };

  async function placeOf(raw: string, arrival: boolean): Promise<Place> {
    const link = section.op === "delete" || (section.op === "move" && !arrival);
    const { path } = await session.workspace.backend.resolve(raw, { link });
    const claim = claims.of(raw, path);
    const proof = arrival ? arrivalProof(claim) : currentProof(claim);
    return { raw, path, expected: claim, arrival, target: { path: raw, proof, action: ACTIONS[section.op], link } };
  }
}

/** Pure: from the current files to the next ones, in the order of the places. */
export async function planSteps(
  { text, maxFiles }: PatchText,
  steps: readonly Step[],
  current: readonly Current[],
  deadline: Deadline,
): Promise<{ plans: FilePlan[]; nexts: Next[] }> {
  const files = new Map(current.map((file) => [file.raw, file]));
  const places = steps.flatMap((step) => step.places);
  for (const place of places) refuseUnexpected(place, files.get(place.raw)!);
  const unchanged = new Set(steps.filter(({ section }) => section.keepsBytes).map(({ section }) => section.path));
  const read = (path: string): string | null => {
    const file = files.get(path)!;
    if (file.version === null) return null;
    return unchanged.has(path) ? "" : file.text.body;
  };
  const chosen = steps.map(({ section: { number, path, toPath } }) => ({
    number,
    path,
    ...(toPath !== undefined && { toPath }),
  }));
  const texts = new Map(current.map(({ raw }) => [raw, read(raw)]));
  const plans = await apart("planOutlined", [text, { maxFiles }, chosen, texts], deadline);
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

function arrivalProof(claim: string | undefined): Target["proof"] {
  if (claim === undefined) return { by: "absence" };
  return claim === "" ? { by: "absence", claimed: true } : { by: "waived" };
}

function currentProof(claim: string | undefined): Target["proof"] {
  return claim === undefined ? { by: "waived" } : { by: "sha256", sha256: claim };
}

/** A sha256 for a file that is to be new is a mismatch whatever is there. */
function refuseUnexpected({ raw, expected, arrival }: Place, file: Current): void {
  if (!arrival || expected === undefined || expected === "") return;
  const exists = file.version !== null;
  const actualSha256 = file.version?.sha ?? null;
  const why = `The patch makes ${raw} as a new file, but expectedSha256ByPath names a version of it`;
  const next = exists
    ? "Use *** Update File to change the file that is there, or choose another path."
    : `Pass "" for ${raw} in expectedSha256ByPath: that says that it is new.`;
  throw new Refusal("stale_file", `${why}, ${exists ? "and it exists already" : "and it does not exist"}.`, {
    path: raw,
    next,
    details: { expectedSha256: expected, exists, actualSha256, currentSha256: actualSha256 },
  });
}
