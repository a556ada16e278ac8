// What calls of a session take and give: the options of reads and changes, and what a change did.
import type { Entry, Resolved } from "../core/backend.ts";
import type { Cancellation } from "../core/cancellation.ts";
import type { Deadline } from "../core/deadline.ts";
import type { Proof } from "./change/gate.ts";
import type { Current, Next } from "./change/plan.ts";
import type { ChangedFile } from "./change/report.ts";
import type { Telling } from "./change/telling.ts";
import type { Action } from "./policy/policy.ts";

/** Who acts in a session. */
export interface Who {
  /** A random one when left out. Sessions with the same id count as one in the journal. */
  readonly id?: string;
  /** What the journal calls the agent. */
  readonly agent?: string;
  /** The owner at the command line: of what is refused to them the journal has only what the policy refused. */
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
  /** The path comes from the journal, where a file had it once: it may come back under any name it had. */
  readonly existed?: boolean;
  /** Missing directories are made. */
  readonly createParents?: boolean;
  /** How the current text is to be decoded, when it must not be detected. */
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
  /** Aborted: the call is given up, unless its change is being committed already. */
  readonly signal?: Cancellation;
  /** How long it may take; `callMs` of the limits unless given. */
  readonly deadlineMs?: number;
  /** That of the call which this is a part of; without it one is started. */
  readonly deadline?: Deadline;
  /** That of the code which answers the call: what is refused is written down when it is known in which words. */
  readonly telling?: Telling;
  /** Told now and then during long work. */
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
  /** How the bytes are to be read, when that must not be detected. */
  readonly encoding?: string;
  /** The first line of the range from this character on, counted from 1. */
  readonly column?: number;
  /** The most that is given of a range: as many whole lines as fit, or a part of the first. */
  readonly pageBytes?: number;
  /** False: a tool that shows less of it than it gives says what with `showed`. */
  readonly mark?: boolean;
  /** Where this session's `resolve` found the path to lead a moment ago, so that it need not be followed again. */
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
  /** Everything is checked and told, and nothing is changed. */
  readonly dryRun?: boolean;
  /** Journal entries that this change undoes or restores from. */
  readonly of?: readonly number[];
  /** Overrides `limits.maxFilesPerChange`, which is there for agents. */
  readonly maxFiles?: number;
  /** Overrides that of the workspace. */
  readonly journalDiff?: boolean;
  /** Kept with the journal entry. */
  readonly details?: Readonly<Record<string, unknown>>;
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
