// Opens a workspace: on a directory of real files, with the further directories that its policy lists, or on any backend.
import { strictOptions, validate, withOptions } from "../api/options.ts";
import { type DiskOptions, disk } from "../backends/disk/index.ts";
import type { Backend } from "../core/backend.ts";
import { OPENED_WITH, WORKSPACE_OPTIONS } from "../kernel/options.ts";
import { type Elsewhere, Workspace, type WorkspaceOptions } from "../kernel/workspace.ts";
import { furtherRoots, openFurther } from "./further.ts";

/** What a workspace is opened on, and what its owner decides. */
export type OpenOptions = WorkspaceOptions & (OnBackend | OnDisk);

interface OnBackend {
  /** Any backend, in place of a directory. */
  readonly backend: Backend;
  readonly root?: never;
}

interface OnDisk extends DiskOptions, FurtherOptions {
  readonly backend?: never;
}

/** What is done about directories outside the root. */
export interface FurtherOptions {
  /**
   * Directories outside the root that `allowedPaths` of the policy lists are opened as further workspaces, unless this is
   * false; `closed` are absolute paths that stay closed in them.
   */
  readonly further?: false | { readonly closed?: readonly string[] };
}

/** A workspace on a directory of real files, or on any other backend. */
export function openWorkspace(options: OpenOptions): Workspace {
  const known = (options?.backend ?? null) === null ? ON_DISK : ON_BACKEND;
  validate(options, known, { noObject: OPENED_WITH });
  const { backend, root, durability, stateDir, segmentBytes, lockMs, remember, further, ...rest }: AnyOptions = options;
  if (backend) return new Workspace(backend, rest);
  if (further) validate(further, FURTHER);
  const { segmentBytes: bytes, lockMs: ms } = rest.limits ?? {};
  const common = { durability, stateDir, segmentBytes: segmentBytes ?? bytes, lockMs: lockMs ?? ms, remember };
  const opened = disk({ root, ...common } as DiskOptions);
  let elsewhere: Elsewhere | undefined;
  try {
    // A malformed policy is refused before anything else is opened.
    const first = new Workspace(opened, rest);
    if (further === false) return first;
    elsewhere = openElsewhere(first, common, further?.closed ?? [], rest);
    if (elsewhere.further.length + elsewhere.notOpened.length === 0) return first;
    return new Workspace(opened, rest, elsewhere);
  } catch (error) {
    for (const each of [opened, ...(elsewhere?.further ?? [])]) void each.close();
    throw error;
  }
}

function openElsewhere(
  { backend, policyInput }: Workspace,
  common: { readonly [K in keyof DiskOptions]?: DiskOptions[K] | undefined },
  closed: readonly string[],
  rest: WorkspaceOptions,
): Elsewhere {
  const question = { root: backend.directory!, stateDir: common.stateDir, policy: policyInput, closed };
  const { opened, notOpened } = openFurther(furtherRoots(question), ({ policy, ...place }) => {
    const on = disk({ ...common, ...place } as DiskOptions);
    try {
      return new Workspace(on, { ...rest, policy });
    } catch (error) {
      void on.close();
      throw error;
    }
  });
  return { further: opened, notOpened };
}

type AnyOptions = WorkspaceOptions & Partial<DiskOptions> & FurtherOptions & { readonly backend?: Backend };

const FURTHER = strictOptions<Exclude<FurtherOptions["further"], false | undefined>>({ closed: true });
const ON_BACKEND = withOptions(["backend"], WORKSPACE_OPTIONS);
const OF_DISK = ["root", "durability", "stateDir", "segmentBytes", "lockMs", "remember", "further"];
const ON_DISK = withOptions(OF_DISK, ON_BACKEND);
