// What users import: open a workspace, act in it, read its history. Every name is listed, and a test holds the list.
export { generateSigningKeys } from "./backends/journal/signed-heads.ts";
export type {
  Aspect,
  Author,
  Backend,
  Change,
  CommitNote,
  CommitOptions,
  Committed,
  Entry,
  EntryChange,
  EntryDraft,
  Forgotten,
  Head,
  HistoryWeight,
  KeptVersion,
  Kind,
  Ledger,
  LineRange,
  Listed,
  LogFilter,
  LookedAt,
  MayChange,
  Outcome,
  Path,
  Resolved,
  ResolveOptions,
  SearchableCopy,
  Seen,
  Sha,
  Shown,
  Use,
  Verification,
  VerifyOptions,
  Version,
  When,
  Witnessed,
} from "./core/backend.ts";
export { LINK_MODE } from "./core/backend.ts";
export type { Cancellation } from "./core/deadline.ts";
export { type Failure, type FailureKind, Refusal, type RefusalContext } from "./core/failure.ts";
export { LIMITS, type Limits } from "./core/limits.ts";
export type { ChangedBy, LineSpan, MergeConflict, RefusalDetails, SinceVersion } from "./core/refusal-details.ts";
export { bytesOf, isSha, shaOf, versionOf } from "./core/version.ts";
export type { Splice } from "./edit/text/splice.ts";
export type { Proof } from "./kernel/change/gate.ts";
export type { Current, Next } from "./kernel/change/plan.ts";
export type { ChangedFile } from "./kernel/change/report.ts";
export {
  type Checkpoint,
  closeCheckpoint,
  openCheckpoint,
  openCheckpoints,
  rollBackTo,
} from "./kernel/history/checkpoints.ts";
export { markReviewed, type ReviewedSet, reviewedEntries } from "./kernel/history/marks.ts";
export { type NetChanges, type NetFile, type NetOf, netChanges } from "./kernel/history/net.ts";
export { type Purged, type PurgedAll, purge, purgeAll } from "./kernel/history/purge.ts";
export {
  type Collected,
  type CollectOptions,
  collectGarbage,
  type DroppedVersions,
  type RetentionPolicy,
} from "./kernel/history/retention.ts";
export { findTrashed, listTrash, restore, type Trashed } from "./kernel/history/trash.ts";
export {
  type HunkWhat,
  type ModeBack,
  type Undone,
  type UndoOptions,
  type UndoWhat,
  undoHunk,
} from "./kernel/history/undo.ts";
export type {
  CallOptions,
  Changed,
  ChangeOptions,
  CreateOptions,
  Edit,
  Knows,
  MoveOptions,
  Progress,
  ReadOptions,
  SpliceText,
  Target,
  Who,
} from "./kernel/options.ts";
export type { ProtectChanges, ProtectRule } from "./kernel/policy/input.ts";
export type { Action, Decision, OwnerAction, Policy, PolicyInput } from "./kernel/policy/policy.ts";
export type { ReadResult } from "./kernel/read/page.ts";
export type { Session } from "./kernel/session.ts";
export type { EolStyle, Text } from "./kernel/text/text.ts";
export { Workspace, type WorkspaceOptions } from "./kernel/workspace.ts";
export { type FurtherOptions, type OpenOptions, openWorkspace } from "./workspaces/open.ts";
