// The names of what the kernel is told: lists that `refuseUnknownOptions` compares with.
import type { LogFilter, VerifyOptions } from "../core/backend.ts";
import { type ByName, optionNames } from "../core/option-names.ts";
import type { Proof } from "./change/gate.ts";
import type { CheckpointOptions } from "./history/checkpoints.ts";
import type { CollectOptions, RetentionPolicy } from "./history/retention.ts";
import type { RestoreOptions, TrashFilter } from "./history/trash/trash.ts";
import type { UndoOptions, UndoWhat } from "./history/undo/undo.ts";
import type { CallOptions, ChangeOptions, ReadOptions, Target, Who } from "./session-options.ts";
import type { CreateOptions, Knows, MoveOptions } from "./verbs.ts";
import type { WorkspaceOptions } from "./workspace.ts";

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

export const WORKSPACE_OPTIONS = optionNames<WorkspaceOptions>({
  policy: true,
  limits: true,
  onStale: true,
  strict: true,
  journalDiff: true,
});
export const OPENED_WITH = "A workspace is opened with an object of options.";
export const WHO = optionNames<Who>({ id: true, agent: true, owner: true });
export const CALL_OPTIONS = optionNames<CallOptions>(CALL);
export const READ_OPTIONS = optionNames<ReadOptions>({
  ...CALL,
  encoding: true,
  column: true,
  pageBytes: true,
  mark: true,
  at: true,
});
export const CHANGE_OPTIONS = optionNames<ChangeOptions>(CHANGE);
export const CREATE_OPTIONS = optionNames<CreateOptions>({ ...CHANGE, createParents: true, mode: true });
export const WRITE_OPTIONS = optionNames<ChangeOptions | Knows>({ ...CHANGE, ...KNOWS });
export const MOVE_OPTIONS = optionNames<MoveOptions | Knows>({
  ...CHANGE,
  ...KNOWS,
  overwrite: true,
  createParents: true,
});
export const RESTORE_OPTIONS = optionNames<RestoreOptions>({ ...CHANGE, to: true });
export const UNDO_OPTIONS = optionNames<UndoOptions>({ ...CHANGE, onLaterChanges: true, among: true });
export const UNDO_WHAT = optionNames<UndoWhat>({
  entry: true,
  session: true,
  agent: true,
  since: true,
  sinceSeq: true,
  path: true,
});
export const TARGET = optionNames<Target>({
  path: true,
  proof: true,
  action: true,
  link: true,
  existed: true,
  createParents: true,
  encoding: true,
});
export const PROOF = optionNames<Proof>({ by: true, claimed: true, sha256: true, freeBelow: true, changed: true });
export const LOG_FILTER = optionNames<LogFilter>({
  sinceSeq: true,
  untilSeq: true,
  since: true,
  until: true,
  session: true,
  agent: true,
  tool: true,
  path: true,
  outcomes: true,
  only: true,
  newestFirst: true,
  limit: true,
});
export const REPLAY_FILTER = optionNames<Pick<LogFilter, "session" | "agent" | "since">>({
  session: true,
  agent: true,
  since: true,
});
export const VERIFY_OPTIONS = optionNames<VerifyOptions>({
  expectedHead: true,
  publicKeys: true,
  progress: true,
  signal: true,
});
export const TRASH_FILTER = optionNames<TrashFilter & CallOptions>({ ...CALL, path: true });
export const CHECKPOINT_OPTIONS = optionNames<CheckpointOptions>({ paths: true });
export const RETENTION_POLICY = optionNames<RetentionPolicy>({
  maxAgeMs: true,
  maxVersionsPerPath: true,
  maxBytes: true,
  minAgeMs: true,
});
export const COLLECT_OPTIONS = optionNames<CollectOptions>({
  progress: true,
  signal: true,
  dryRun: true,
  among: true,
  author: true,
});
