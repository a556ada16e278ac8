// The names of what the kernel is told: lists that `refuseUnknownOptions` compares with.
import type { Author, LogFilter, VerifyOptions } from "../core/backend.ts";
import { type ByName, optionNames } from "../core/options/option-names.ts";
import {
  CALLED,
  CANCELLED_BY,
  COUNT,
  FLAG,
  GROUP,
  listOf,
  MILLISECONDS,
  oneOf,
  PERMISSIONS,
  TELLING,
  TEXT,
  TEXTS,
  TIME_LIMIT,
} from "../core/options/option-values.ts";
import type { Proof } from "./change/gate.ts";
import type { CheckpointOptions } from "./history/checkpoints.ts";
import type { CollectOptions, RetentionPolicy } from "./history/retention.ts";
import type { NetOf } from "./history/review/net.ts";
import type { RestoreOptions, TrashFilter } from "./history/trash/trash.ts";
import type { HunkWhat } from "./history/undo/hunk.ts";
import type { UndoOptions, UndoWhat } from "./history/undo/undo.ts";
import type { CallOptions, ChangeOptions, ReadOptions, Target, Who } from "./session-options.ts";
import type { CreateOptions, Knows, MoveOptions } from "./verbs.ts";
import type { WorkspaceOptions } from "./workspace.ts";

const CALL: ByName<CallOptions> = {
  tool: true,
  call: true,
  signal: CANCELLED_BY,
  deadlineMs: MILLISECONDS,
  deadline: TIME_LIMIT,
  telling: TELLING,
  progress: CALLED,
};
const CHANGE: ByName<ChangeOptions> = {
  ...CALL,
  onStale: oneOf("reject", "rebase"),
  strict: FLAG,
  inspect: CALLED,
  dryRun: FLAG,
  of: true,
  maxFiles: COUNT,
  journalDiff: FLAG,
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
export const WHO = optionNames<Who>({ id: true, agent: true, owner: FLAG });
export const CALL_OPTIONS = optionNames<CallOptions>(CALL);
export const READ_OPTIONS = optionNames<ReadOptions>({
  ...CALL,
  encoding: TEXT,
  column: true,
  pageBytes: COUNT,
  mark: FLAG,
  at: true,
});
export const CHANGE_OPTIONS = optionNames<ChangeOptions>(CHANGE);
export const CREATE_OPTIONS = optionNames<CreateOptions>({ ...CHANGE, createParents: FLAG, mode: PERMISSIONS });
export const WRITE_OPTIONS = optionNames<ChangeOptions | Knows>({ ...CHANGE, ...KNOWS });
export const MOVE_OPTIONS = optionNames<MoveOptions | Knows>({
  ...CHANGE,
  ...KNOWS,
  overwrite: FLAG,
  createParents: FLAG,
});
export const RESTORE_OPTIONS = optionNames<RestoreOptions>({ ...CHANGE, to: TEXT });
export const UNDO_OPTIONS = optionNames<UndoOptions>({
  ...CHANGE,
  onLaterChanges: oneOf("refuse", "merge"),
  among: GROUP,
});
export const UNDO_WHAT = optionNames<UndoWhat>({
  entry: true,
  session: TEXT,
  agent: TEXT,
  since: TEXT,
  sinceSeq: true,
  path: true,
});
export const HUNK_WHAT = optionNames<HunkWhat>({ entry: COUNT, path: TEXT, hunk: COUNT });
export const TARGET = optionNames<Target>({
  path: true,
  proof: true,
  action: true,
  link: FLAG,
  existed: FLAG,
  createParents: FLAG,
  encoding: TEXT,
});
export const PROOF = optionNames<Proof>({
  by: true,
  claimed: FLAG,
  sha256: true,
  freeBelow: COUNT,
  changed: oneOf("refuse", "warn"),
});
export const LOG_FILTER = optionNames<LogFilter>({
  sinceSeq: COUNT,
  untilSeq: COUNT,
  since: TEXT,
  until: TEXT,
  session: TEXT,
  agent: TEXT,
  tool: TEXT,
  path: true,
  outcomes: listOf("applied", "refused", "external", "note", "aborted"),
  only: oneOf("of entries", "trash"),
  newestFirst: FLAG,
  limit: true,
});
export const REPLAY_FILTER = optionNames<Pick<LogFilter, "session" | "agent" | "since">>({
  session: TEXT,
  agent: TEXT,
  since: TEXT,
});
export const NET_OF = optionNames<NetOf>({
  session: TEXT,
  agent: TEXT,
  since: TEXT,
  until: TEXT,
  sinceSeq: COUNT,
  untilSeq: COUNT,
});
export const VERIFY_OPTIONS = optionNames<VerifyOptions>({
  expectedHead: TEXT,
  publicKeys: TEXTS,
  progress: CALLED,
  signal: CANCELLED_BY,
});
export const TRASH_FILTER = optionNames<TrashFilter & CallOptions>({ ...CALL, path: TEXT });
export const CHECKPOINT_OPTIONS = optionNames<CheckpointOptions>({ paths: TEXTS, versions: TEXTS });
export const RETENTION_POLICY = optionNames<RetentionPolicy>({
  maxAgeMs: true,
  maxVersionsPerPath: true,
  maxBytes: true,
  minAgeMs: true,
});
export const COLLECT_OPTIONS = optionNames<CollectOptions>({
  progress: CALLED,
  signal: CANCELLED_BY,
  dryRun: FLAG,
  among: GROUP,
  author: true,
});
export const AUTHOR = optionNames<Author>({ session: true, agent: true, tool: true, call: true });
export const REVIEW_OPTIONS = optionNames<CallOptions & { readonly reviewed?: boolean }>({ ...CALL, reviewed: FLAG });
