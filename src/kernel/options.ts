// The options of the kernel's public methods: their types, and the strict schemas that validate them.
import {
  atLeast,
  CALLED,
  COUNT,
  FLAG,
  having,
  listOf,
  oneOf,
  type Shape,
  strictOptions,
  TEXT,
  TEXTS,
  value,
} from "../api/options.ts";
import type { Author, Entry, LineRange, LogFilter, Resolved, VerifyOptions } from "../core/backend.ts";
import type { Cancellation, Deadline } from "../core/deadline.ts";
import { isRecord } from "../core/is-record.ts";
import { JOURNAL_LIMITS, LIMITS, type Limits } from "../core/limits.ts";
import { isSha } from "../core/version.ts";
import type { Splice } from "../edit/text/splice.ts";
import { NOTHING, type Proof } from "./change/gate.ts";
import type { Current, Next } from "./change/plan.ts";
import type { ChangedFile } from "./change/report.ts";
import type { NetOf } from "./history/net.ts";
import type { CollectOptions, RetentionPolicy } from "./history/retention.ts";
import type { RestoreOptions, TrashFilter } from "./history/trash.ts";
import type { HunkWhat, UndoOptions, UndoWhat } from "./history/undo.ts";
import type { Action } from "./policy/policy.ts";
import { isChange } from "./policy/protected.ts";
import type { Text } from "./text/text.ts";
import type { WorkspaceOptions } from "./workspace.ts";

/** Who acts in a session. */
export interface Who {
  /** A random one when left out. Sessions with the same id count as one in the journal. */
  readonly id?: string;
  /** What the journal calls the agent. */
  readonly agent?: string;
  /** The owner at the command line: the journal records only what the policy refuses them. */
  readonly owner?: boolean;
}

/** One file of a change. */
export interface Target {
  /** As the caller wrote it. */
  readonly path: string;
  /** How the caller shows that it knows the file. */
  readonly proof: Proof;
  /** What the policy is asked for. */
  readonly action: Action;
  /** Act on a symbolic link itself instead of on what it points to. */
  readonly link?: boolean;
  /** The path comes from the journal: a file may come back under any name it had. */
  readonly existed?: boolean;
  /** Missing directories are made. */
  readonly createParents?: boolean;
  /** How to decode the current text; detected unless given. */
  readonly encoding?: string;
}

/** From the current files to the next ones, in the order of the targets. Pure: it may run more than once. */
export type Edit = (current: readonly Current[]) => readonly Next[] | Promise<readonly Next[]>;

/** What every call may say about itself. */
export interface CallOptions {
  /** What the journal calls the tool; "library" unless given. */
  readonly tool?: string;
  /** An id of the call, for the journal. */
  readonly call?: string;
  /** Abort it to give up the call; a change that is being committed still goes through. */
  readonly signal?: Cancellation;
  /** How long it may take; `callMs` of the limits unless given. */
  readonly deadlineMs?: number;
  /** The deadline of the call that this is a part of; a new one unless given. */
  readonly deadline?: Deadline;
  /** Receives warnings. Without it, a call is refused when the ledger cannot be written. */
  readonly warn?: (message: string) => void;
  /** Called now and then during long work. */
  readonly progress?: (update: Progress) => void;
}

/** How far long work has come. */
export interface Progress {
  /** Grows with every update. */
  readonly done: number;
  /** What `done` will come to, where that is known. */
  readonly total?: number;
  /** In words. */
  readonly message: string;
}

/** How a file is read. */
export interface ReadOptions extends CallOptions {
  /** How to decode the bytes; detected unless given. */
  readonly encoding?: string;
  /** Max bytes of a range: as many whole lines as fit, or the start of the first. */
  readonly pageBytes?: number;
  /** False: the lines do not count as seen until `showed` is called. */
  readonly mark?: boolean;
  /** What this session's `resolve` returned for the path, so that it need not be followed again. */
  readonly at?: Resolved;
}

/** How files are changed. */
export interface ChangeOptions extends CallOptions {
  /** When the file is no longer the version that was seen: refuse, or merge the change into the newer version. */
  readonly onStale?: "reject" | "rebase";
  /** Overrides that of the workspace. */
  readonly strict?: boolean;
  /** Looks at before and after of every file just before the commit; throws a Refusal to stop it, returns warnings. */
  readonly inspect?: (files: readonly ChangedFile[]) => readonly string[] | Promise<readonly string[]>;
  /** Everything is checked and reported, and nothing is changed. */
  readonly dryRun?: boolean;
  /** Journal entries that this change undoes or restores from. */
  readonly of?: readonly number[];
  /** Overrides `limits.maxFilesPerChange`. */
  readonly maxFiles?: number;
  /** Kept with the journal entry. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** How the caller knows the file. Nothing given: the session must have been shown it as it is now. */
export type Knows =
  | {
      /** sha256 of the whole file, as a read returned it. */
      readonly expectedSha256?: string;
    }
  | {
      /** Another kind of proof. */
      readonly proof: Proof;
    };

/** How a file is made. */
export interface CreateOptions extends ChangeOptions {
  /** Missing directories are made. */
  readonly createParents?: boolean;
  /** Permission bits; the usual ones unless given. */
  readonly mode?: number;
}

/** From the text of a file to its splices. Must end within the time of the call, which fails with it. */
export type SpliceText = (text: Text) => readonly Splice[] | Promise<readonly Splice[]>;

/** How a file is moved. */
export interface MoveOptions extends ChangeOptions {
  /** The file at the destination goes to the trash. */
  readonly overwrite?: boolean;
  /** Missing directories are made. */
  readonly createParents?: boolean;
}

/** What a change did. */
export interface Changed {
  /** Absent when nothing had to change, or in a dry run. */
  readonly entry?: Entry;
  /** In the order of the targets. */
  readonly files: readonly ChangedFile[];
  /** What the caller should know although the change was made. */
  readonly warnings: readonly string[];
}

// The strict schemas. Public methods validate with them; everything behind trusts its types.

const { nameChars, detailLevels, entryBytes } = JOURNAL_LIMITS;

const NAME = TEXT.max(nameChars, `must have at most ${nameChars} characters`);
const SEQUENCE = value("a list of numbers of journal entries", (given) => {
  return Array.isArray(given) && given.every((seq) => Number.isSafeInteger(seq) && seq > 0);
});
const DETAILS = value(`an object of at most ${entryBytes / 2} bytes and ${detailLevels} levels of JSON`, isJson);
/** Excludes the mode of a symbolic link: a file made with that would lead elsewhere. */
export const PERMISSIONS = value("permission bits, such as 0o644", (mode) => {
  return Number.isSafeInteger(mode) && (mode as number) >= 0 && (mode as number) <= 0o7777;
});
const MILLISECONDS = value("a number of milliseconds", (given) => typeof given === "number" && !Number.isNaN(given));
const NOT_NEGATIVE = value("a number from 0 on", (given) => Number.isFinite(given) && (given as number) >= 0);
const SIGNAL = having("addEventListener", "an AbortSignal");
const SET = having("has", "a Set");

function isJson(given: unknown): boolean {
  if (!isRecord(given) || !isShallow(given, detailLevels)) return false;
  try {
    return JSON.stringify(given).length <= entryBytes / 2;
  } catch {
    return false;
  }
}

function isShallow(given: unknown, levels: number): boolean {
  if (typeof given !== "object" || given === null) return true;
  return levels > 0 && Object.values(given).every((each) => isShallow(each, levels - 1));
}

const ON_STALE = oneOf("reject", "rebase");
const ENTRY = value("the number of an entry, which the log shows", Number.isSafeInteger);
const WHOSE = { session: TEXT, agent: TEXT, since: TEXT };
const BETWEEN = { ...WHOSE, until: TEXT, sinceSeq: COUNT, untilSeq: COUNT };

const CALL: Shape<CallOptions> = {
  tool: NAME,
  call: NAME,
  signal: SIGNAL,
  deadlineMs: MILLISECONDS,
  deadline: having("check", "the deadline of a call, as a tool is given it"),
  warn: CALLED,
  progress: CALLED,
};
const CHANGE: Shape<ChangeOptions> = {
  ...CALL,
  onStale: ON_STALE,
  strict: FLAG,
  inspect: CALLED,
  dryRun: FLAG,
  of: SEQUENCE,
  maxFiles: COUNT,
  details: DETAILS,
};
const KNOWS: Shape<Knows> = { expectedSha256: TEXT, proof: true };

export const WORKSPACE_OPTIONS = strictOptions<WorkspaceOptions>({
  policy: true,
  limits: true,
  onStale: ON_STALE,
  strict: FLAG,
});
const POSITIVE = value("a positive number", (given) => Number.isFinite(given) && (given as number) > 0);
export const LIMIT_OPTIONS = strictOptions<Limits>(
  Object.fromEntries(Object.keys(LIMITS).map((name) => [name, POSITIVE])) as Shape<Limits>,
);
export const OPENED_WITH = "A workspace is opened with an object of options.";
export const WHO = strictOptions<Who>({ id: NAME, agent: NAME, owner: FLAG });
export const CALL_OPTIONS = strictOptions<CallOptions>(CALL);
export const READ_OPTIONS = strictOptions<ReadOptions>({
  ...CALL,
  encoding: TEXT,
  pageBytes: COUNT,
  mark: FLAG,
  at: true,
});
/** Loose, since tools hand over more than the lines. */
export const RANGE = strictOptions<LineRange>({ from: atLeast(1), to: atLeast(0) }, ["from", "to"]).loose();
export const CHANGE_OPTIONS = strictOptions<ChangeOptions>(CHANGE);
export const CREATE_OPTIONS = strictOptions<CreateOptions>({ ...CHANGE, createParents: FLAG, mode: PERMISSIONS });
export const WRITE_OPTIONS = strictOptions<ChangeOptions | Knows>({ ...CHANGE, ...KNOWS });
export const MOVE_OPTIONS = strictOptions<MoveOptions | Knows>({
  ...CHANGE,
  ...KNOWS,
  overwrite: FLAG,
  createParents: FLAG,
});
export const RESTORE_OPTIONS = strictOptions<RestoreOptions>({ ...CHANGE, to: TEXT });
export const UNDO_OPTIONS = strictOptions<UndoOptions>({
  ...CHANGE,
  onLaterChanges: oneOf("refuse", "merge"),
  among: SET,
});
export const UNDO_WHAT = strictOptions<UndoWhat>({ ...WHOSE, entry: ENTRY, sinceSeq: ENTRY, path: TEXT });
export const HUNK_WHAT = strictOptions<HunkWhat>({ entry: ENTRY, path: TEXT, hunk: COUNT }, ["entry", "path", "hunk"]);
export const TARGET = strictOptions<Target>(
  {
    path: true,
    proof: true,
    action: value("an action that changes something", (given) => isChange(given as Action)),
    link: FLAG,
    existed: FLAG,
    createParents: FLAG,
    encoding: TEXT,
  },
  ["path", "action"],
);
export const PROOF = strictOptions<Proof>(
  {
    by: oneOf("absence", "sha256", "session", "anchors", "waived"),
    claimed: FLAG,
    sha256: value("64 hex digits, 0-9 and a-f, as a read gave them", (sha) => sha === NOTHING || isSha(sha)),
    freeBelow: COUNT,
    changed: oneOf("refuse", "warn"),
  },
  ["by"],
);
export const LOG_FILTER = strictOptions<LogFilter>({
  ...BETWEEN,
  tool: TEXT,
  path: TEXT,
  outcomes: listOf("applied", "refused", "external", "note", "aborted"),
  only: oneOf("of entries", "trash"),
  newestFirst: FLAG,
  limit: COUNT,
});
export const NET_OF = strictOptions<NetOf>(BETWEEN);
export const VERIFY_OPTIONS = strictOptions<VerifyOptions>({
  expectedHead: TEXT,
  publicKeys: TEXTS,
  progress: CALLED,
  signal: SIGNAL,
});
export const TRASH_FILTER = strictOptions<TrashFilter & CallOptions>({ ...CALL, path: TEXT, owner: FLAG });
export const CHECKPOINT_NAME = strictOptions<{ readonly name: string }>({ name: NAME }, ["name"]);
export const RETENTION_POLICY = strictOptions<RetentionPolicy>({
  maxAgeMs: NOT_NEGATIVE,
  maxVersionsPerPath: atLeast(1),
  maxBytes: NOT_NEGATIVE,
  minAgeMs: NOT_NEGATIVE,
});
export const COLLECT_OPTIONS = strictOptions<CollectOptions>({
  progress: CALLED,
  signal: SIGNAL,
  dryRun: FLAG,
  among: SET,
  author: true,
});
export const AUTHOR = strictOptions<Author>({ session: NAME, agent: NAME, tool: NAME, call: NAME }, [
  "session",
  "tool",
]);
export const REVIEW_OPTIONS = strictOptions<CallOptions & { readonly reviewed?: boolean }>({ ...CALL, reviewed: FLAG });
