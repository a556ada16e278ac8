// The names of options: a misspelt one is refused, since it would otherwise be one that was never given.
import { Refusal } from "../core/failure.ts";
import { isRecord } from "../core/is-record.ts";
import { similarity } from "../core/similarity.ts";
import type { UndoOptions, UndoWhat } from "./history/undo/undo.ts";
import type { CallOptions, ChangeOptions, ReadOptions, Who } from "./session-options.ts";
import type { CreateOptions, Knows, MoveOptions } from "./verbs.ts";
import type { WorkspaceOptions } from "./workspace.ts";

/** The compiler holds these lists: an option more, or one less, is one here. */
type ByName<T> = Readonly<Record<T extends unknown ? keyof T : never, true>>;

const CALL: ByName<CallOptions> = {
  tool: true,
  call: true,
  signal: true,
  deadlineMs: true,
  deadline: true,
  progress: true,
};
const CHANGE: ByName<ChangeOptions> = {
  ...CALL,
  onStale: true,
  strict: true,
  inspect: true,
  dryRun: true,
  of: true,
  maxFiles: true,
  journalDiff: true,
  details: true,
};
const KNOWS: ByName<Knows> = { expectedSha256: true, proof: true };

export const WORKSPACE_OPTIONS = named<WorkspaceOptions>({
  policy: true,
  limits: true,
  onStale: true,
  strict: true,
  journalDiff: true,
});
export const OPENED_WITH = "A workspace is opened with an object of options.";
export const WHO = named<Who>({ id: true, agent: true, owner: true });
export const CALL_OPTIONS = named<CallOptions>(CALL);
export const READ_OPTIONS = named<ReadOptions>({
  ...CALL,
  encoding: true,
  column: true,
  pageBytes: true,
  mark: true,
  at: true,
});
export const CREATE_OPTIONS = named<CreateOptions>({ ...CHANGE, createParents: true, mode: true });
export const CHANGE_OPTIONS = named<ChangeOptions | Knows>({ ...CHANGE, ...KNOWS });
export const MOVE_OPTIONS = named<MoveOptions | Knows>({ ...CHANGE, ...KNOWS, overwrite: true, createParents: true });
export const UNDO_OPTIONS = named<UndoOptions>({ ...CHANGE, onLaterChanges: true, among: true });
export const UNDO_WHAT = named<UndoWhat>({
  entry: true,
  session: true,
  agent: true,
  since: true,
  sinceSeq: true,
  path: true,
});

/** Before anything is done. */
export function refuseUnknownOptions(
  given: unknown,
  known: ReadonlySet<string>,
  { noObject = "Options are given as an object.", noun = "option" } = {},
): void {
  if (!isRecord(given)) throw new Refusal("invalid_input", noObject, { next: all(known, noun) });
  for (const name of Object.keys(given)) {
    if (known.has(name)) continue;
    const near = nearest(name, known);
    throw new Refusal("invalid_input", `There is no ${noun} ${JSON.stringify(name)} here.`, {
      next: near === undefined ? all(known, noun) : `Did you mean ${near}?`,
    });
  }
}

function nearest(name: string, known: ReadonlySet<string>): string | undefined {
  const [best] = [...known]
    .map((each) => ({ each, alike: similarity(name.toLowerCase(), each.toLowerCase()) }))
    .sort((a, b) => b.alike - a.alike);
  return best !== undefined && best.alike >= ALIKE ? best.each : undefined;
}

const ALIKE = 0.6;

function all(known: ReadonlySet<string>, noun: string): string {
  return `The ${noun}s are ${[...known].join(", ")}.`;
}

function named<T>(names: ByName<T>): ReadonlySet<string> {
  return new Set(Object.keys(names));
}
