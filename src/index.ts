// What users import: open a workspace, act in it, read its history.
import type { Backend } from "./backends/backend.ts";
import { type DiskOptions, disk } from "./backends/disk/index.ts";
import { refuseUnknownOptions, WORKSPACE_OPTIONS, Workspace, type WorkspaceOptions } from "./kernel/workspace.ts";

export type OpenOptions = WorkspaceOptions &
  ({ readonly backend: Backend; readonly root?: never } | (DiskOptions & { readonly backend?: never }));

/** A workspace on a directory of real files, or on any other backend. */
export function openWorkspace(options: OpenOptions): Workspace {
  refuseUnknownOptions(options, (options?.backend ?? null) === null ? ON_DISK : ON_BACKEND);
  const { backend, root, durability, stateDir, registerDir, segmentBytes, lockMs, ...rest }: AnyOptions = options;
  if (backend) return new Workspace(backend, rest);
  const { segmentBytes: bytes, lockMs: ms } = rest.limits ?? {};
  const opened = disk({
    root,
    durability,
    stateDir,
    registerDir,
    segmentBytes: segmentBytes ?? bytes,
    lockMs: lockMs ?? ms,
  } as DiskOptions);
  try {
    return new Workspace(opened, rest);
  } catch (error) {
    void opened.close();
    throw error;
  }
}

type AnyOptions = WorkspaceOptions & Partial<DiskOptions> & { readonly backend?: Backend };

const ON_BACKEND = ["backend", ...WORKSPACE_OPTIONS];
const ON_DISK = ["root", "durability", "stateDir", "registerDir", "segmentBytes", "lockMs", ...ON_BACKEND];

export type * from "./backends/backend.ts";
export { LINK_MODE } from "./backends/backend.ts";
export { generateCheckpointKeys } from "./backends/checkpoint.ts";
export type { Current, Next } from "./kernel/change.ts";
export { type Failure, type FailureKind, Refusal, type Result } from "./kernel/failure.ts";
export type { Proof } from "./kernel/gate.ts";
export * from "./kernel/history/checkpoints.ts";
export * from "./kernel/history/retention.ts";
export * from "./kernel/history/trash.ts";
export * from "./kernel/history/undo.ts";
export * from "./kernel/history/writers.ts";
export { LIMITS, type Limits } from "./kernel/limits.ts";
export type { ReadResult } from "./kernel/page.ts";
export type { ChangedFile } from "./kernel/report.ts";
export type { CallOptions, Changed, ChangeOptions, Edit, ReadOptions, Session, Target } from "./kernel/session.ts";
export * from "./kernel/verbs.ts";
export { bytesOf, isSha, shaOf, versionOf } from "./kernel/version.ts";
export { Workspace, type WorkspaceOptions } from "./kernel/workspace.ts";
