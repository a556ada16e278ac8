// A parsed patch as steps: which files each section touches, with which proof, and what becomes of them.
import { LINK_MODE, type Path } from "../../core/backend.ts";
import type { Deadline } from "../../core/deadline.ts";
import { Refusal } from "../../core/failure.ts";
import { versionOf } from "../../core/version.ts";
import type { PatchedFile } from "../../edit/patch/index.ts";
import { BOM } from "../../edit/text/source.ts";
import type { Splice } from "../../edit/text/splice.ts";
import type { Current, Next } from "../../kernel/change/plan.ts";
import type { Outline } from "../../kernel/jobs.ts";
import { runInWorker } from "../../kernel/run-in-worker.ts";
import type { Session, Target } from "../../kernel/session.ts";
import { encodeSplices, encodeWhole } from "../../kernel/text/text.ts";
import type { ToolContext } from "../tool.ts";
import { pathIn } from "./fields.ts";

export interface PatchText {
  readonly text: string;
  readonly maxFiles: number;
}

export interface Step {
  /** Of a patch: counts from 0. */
  readonly number: number;
  readonly section: Outline;
  /** Of a move: where from, where to. Of everything else: the one file. Sections that name one file share its place. */
  readonly places: readonly Place[];
}

export interface Place {
  readonly path: Path;
  readonly target: Target;
  /** What the caller expects there: a sha256, "" for nothing, undefined when it does not say. */
  readonly expected: string | undefined;
}

const ACTIONS = { add: "create", update: "edit", delete: "delete", move: "move" } as const;

/** An entry of `expectedSha256ByPath`, and where its key leads: it may spell a path differently than the patch does. */
interface Claim {
  readonly key: string;
  readonly sha256: string;
  readonly paths: readonly string[];
}

export async function stepsOf(
  { session, warn }: ToolContext,
  outline: readonly Outline[],
  expected: Readonly<Record<string, string>>,
): Promise<Step[]> {
  const claims: Claim[] = [];
  for (const [key, sha256] of Object.entries(expected))
    claims.push({ key, sha256, paths: await spellings(session, key) });
  const known = new Map<Path, Place>();
  const steps: Step[] = [];
  for (const [number, section] of outline.entries()) {
    const places = [await placeOf(session, section, claims, known)];
    if (section.toPath !== undefined) places.push(await placeOf(session, section, claims, known, section.toPath));
    steps.push({ number, section, places });
  }
  const places = [...known.values()];
  const unchecked = places.find(({ target, expected }) => !target.createParents && expected === undefined)?.target.path;
  for (const claim of claims) {
    if (places.some(({ target, path }) => fits(claim, target.path, path))) continue;
    const key = claim.key.length > 200 ? `${claim.key.slice(0, 200)}…` : claim.key;
    const why = `expectedSha256ByPath names ${key}, which the patch does not touch`;
    if (unchecked === undefined) warn(`${why}.`);
    // The key may be a typo, and the file would go unchecked.
    else
      throw new Refusal("invalid_input", `${why}, and not ${unchecked}, which it changes.`, {
        path: unchecked,
        next: `Name ${unchecked} in place of ${key}.`,
      });
  }
  return steps;
}

async function placeOf(
  session: Session,
  { op, path: from }: Outline,
  claims: readonly Claim[],
  known: Map<Path, Place>,
  to?: string,
): Promise<Place> {
  const { backend, policy } = session.workspace;
  const arrival = op === "add" || to !== undefined;
  const raw = pathIn(session, to ?? from);
  const link = op === "delete" || (op === "move" && !arrival);
  const { path, via } = await backend.resolve(raw, { link });
  const before = known.get(path);
  if (before !== undefined) {
    // What the session asks the policy for is what the first section does there.
    for (const each of [path, ...via]) policy.check(each, ACTIONS[op]);
    return before;
  }
  const [claim, ...others] = new Set(claims.filter((each) => fits(each, raw, path)).map(({ sha256 }) => sha256));
  if (others.length > 0)
    throw new Refusal("invalid_input", `expectedSha256ByPath expects two different versions of ${raw}.`, {
      path: raw,
      next: "Name each file once.",
    });
  const proof = proofOf(claim, arrival);
  const target = { path: raw, proof, action: ACTIONS[op], link, createParents: arrival };
  const place = { path, target, expected: claim };
  known.set(path, place);
  return place;
}

function fits({ key, paths }: Claim, raw: string, path: Path): boolean {
  return key === raw || paths.includes(path);
}

/** As a link itself and through it; nowhere, when it is no path of this workspace. */
async function spellings({ workspace: { backend } }: Session, key: string): Promise<string[]> {
  const paths: string[] = [];
  for (const link of [false, true]) {
    try {
      paths.push((await backend.resolve(key, { link })).path);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return paths;
}

/** Each once, in the order in which the patch names them. */
export function placesOf(steps: readonly Step[]): Place[] {
  return [...new Set(steps.flatMap((step) => step.places))];
}

/** Pure: from the current files to the next ones, in the order of the places. */
export async function planSteps(
  { text, maxFiles }: PatchText,
  steps: readonly Step[],
  current: readonly Current[],
  deadline: Deadline,
): Promise<{ warnings: string[]; nexts: Next[] }> {
  const texts = new Map<string, string | null>();
  for (const [i, place] of placesOf(steps).entries()) {
    const file = current[i]!;
    refuseUnexpected(place, file);
    const keeps = needsNoText(steps, place);
    if (file.version?.mode === LINK_MODE && !keeps) throw changesLink(file);
    const body = () => (file.text.bom ? BOM : "") + file.text.body;
    texts.set(place.path, file.version === null ? null : keeps ? "" : body());
  }
  const chosen = steps.map(({ number, places: [from, to] }) => ({
    number,
    path: from!.path,
    ...(to !== undefined && { toPath: to.path }),
  }));
  const { warnings, files } = await runInWorker("planOutlined", [text, { maxFiles }, chosen, texts], deadline);
  return { warnings, nexts: current.map((file) => nextOf(file, files.get(file.path) ?? null, current)) };
}

/** Deleted as it is, or moved and not named again. */
function needsNoText(steps: readonly Step[], place: Place): boolean {
  const { section, places } = steps.find((step) => step.places.includes(place))!;
  if (!section.keepsBytes || section.op === "delete") return section.keepsBytes;
  return steps.filter((step) => step.places.includes(places[1]!)).length === 1;
}

function nextOf(file: Current, made: PatchedFile | null, current: readonly Current[]): Next {
  if (made === null) return file.version === null ? undefined : null;
  const { text: body, mode } = made;
  const bits = mode === undefined ? {} : { mode };
  const from = current.find(({ path }) => path === made.from?.path);
  const splices = from === undefined || made.splices.length === 0 ? [] : behindMark(from, made);
  if (from === file) return mode === undefined ? { splices } : { body, mode };
  // Of a file that is deleted and made anew nothing is kept but its mode.
  if (from === undefined) return { version: { ...versionOf(encodeWhole(null, body), file.version?.mode), ...bits } };
  const version = from.version!;
  if (version.mode === LINK_MODE && mode !== undefined) throw changesLink(from);
  const moved = splices.length === 0 ? version : versionOf(encodeSplices(from.text, splices), version.mode);
  return { version: { ...moved, ...bits }, movedFrom: from.path };
}

/** A diff may have the byte order mark in its first line, or leave it out: its splices, of the text behind the mark. */
function behindMark({ raw, text }: Current, { splices, text: made }: PatchedFile): readonly Splice[] {
  if (!text.bom) return splices;
  if (!made.startsWith(BOM))
    throw new Refusal("unsupported", `The patch takes the byte order mark off ${raw}; a file keeps it.`, {
      path: raw,
      next: "Leave U+FEFF out of the patch, or give it in the first line before and after the change.",
    });
  const behind = (at: number): number => Math.max(0, at - BOM.length);
  return splices.map(({ start, end, text: added }) => {
    return { start: behind(start), end: behind(end), text: start === 0 ? added.slice(BOM.length) : added };
  });
}

/** The text of a link is where it leads: a patch that changed it could lead out of the workspace. */
function changesLink({ raw }: Current): Refusal {
  return new Refusal("unsupported", `${raw} is a link: a patch can move it as it is, but not change it.`, {
    path: raw,
    next: "Move the link without hunks, in a patch of its own; *** Update File changes the file that it leads to.",
  });
}

function proofOf(claim: string | undefined, arrival: boolean): Target["proof"] {
  if (!arrival) return claim === undefined ? { by: "waived" } : { by: "sha256", sha256: claim };
  if (claim === undefined) return { by: "absence" };
  return claim === "" ? { by: "absence", claimed: true } : { by: "waived" };
}

/** A sha256 for a file that is to be new is a mismatch whatever is there. */
function refuseUnexpected({ target: { path: raw, createParents }, expected }: Place, file: Current): void {
  if (!createParents || expected === undefined || expected === "") return;
  const exists = file.version !== null;
  const why = `The patch makes ${raw} as a new file, but expectedSha256ByPath names a version of it`;
  const next = exists
    ? "Use *** Update File to change the file that is there, or choose another path."
    : `Pass "" for ${raw} in expectedSha256ByPath: that says that it is new.`;
  throw new Refusal("stale_file", `${why}, ${exists ? "and it exists already" : "and it does not exist"}.`, {
    path: raw,
    next,
    details: { expectedSha256: expected, exists },
  });
}
