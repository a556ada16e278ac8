// The entries of a journal: their form, the filters to read them, and the result of a check.
import type { Path, Sha } from "./backend.ts";
import type { Cancellation } from "./deadline.ts";
import type { FailureKind } from "./failure.ts";

/** Who did something, as the journal names them. */
export interface Author {
  /** The id of the session. */
  readonly session: string;
  /** What the agent calls itself, where it said so. */
  readonly agent?: string;
  /** The tool, the command or the method by which it was done. */
  readonly tool: string;
  /** The id of the call, where the caller gave one. */
  readonly call?: string;
}

/** How the event of an entry ended. */
export type Outcome =
  | "applied" // the changes happened
  | "refused" // nothing happened, `error` says why
  | "external" // another program changed these paths; noticed, not done, by stet: `session` is the one that noticed
  | "aborted" // an entry whose changes never happened (`of` names it): the machine stopped before they were safe
  | "note"; // about the journal itself: a torn tail moved aside, versions dropped, a head signed

/** `from` → `to` of one path, as an entry tells it. */
export interface EntryChange {
  /** The file. */
  readonly path: Path;
  /** The version before; null where there was no file. */
  readonly from: Sha | null;
  /** The version after; null where there is no file any more. */
  readonly to: Sha | null;
  /** Bytes of the version before. */
  readonly fromSize?: number;
  /** Bytes of the version after. */
  readonly toSize?: number;
  /** Permission bits before, or `LINK_MODE`. */
  readonly fromMode?: number;
  /** Permission bits after, or `LINK_MODE`. */
  readonly toMode?: number;
  /** The kind of proof that was given. */
  readonly proof?: string;
  /** Where the file came from, if it was moved here. */
  readonly movedFrom?: Path;
}

/** What an entry says before the journal numbers, dates and chains it. */
export interface EntryDraft extends Author {
  /** Whether it happened, was refused, or was only noticed. */
  readonly outcome: Outcome;
  /** Empty unless files changed. */
  readonly changes: readonly EntryChange[];
  /** The kind of a refusal. */
  readonly error?: FailureKind;
  /** A sentence for people who read the log. */
  readonly message?: string;
  /** Entries that this one undoes, restores from, or speaks about. */
  readonly of?: readonly number[];
  /** What else code that reads the journal may need. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** One entry of the journal, chained to the one before it by hashes. */
export interface Entry extends EntryDraft {
  /** Its number, from 1 on, without gaps. */
  readonly seq: number;
  /** When it was written: ISO 8601, UTC. */
  readonly at: string;
  /** The hash of the entry before it. */
  readonly prev: Sha;
  /** Of everything the entry says, and of `prev`. */
  readonly hash: Sha;
}

/** "of entries": entries about other entries. "trash": these, and those that delete, replace, restore or purge files. */
export type Aspect = "of entries" | "trash";

/** Which entries are wanted. All conditions that are given must hold. */
export interface LogFilter {
  /** From this number on, itself included. */
  readonly sinceSeq?: number;
  /** Up to this number, itself included. */
  readonly untilSeq?: number;
  /** From this time on: ISO 8601. */
  readonly since?: string;
  /** Up to this time: ISO 8601. */
  readonly until?: string;
  /** Of the session with this id; with outcome "external", noticed by it. */
  readonly session?: string;
  /** Of the agent with this name. */
  readonly agent?: string;
  /** Made by this tool. */
  readonly tool?: string;
  /** That change this file. */
  readonly path?: Path;
  /** With one of these outcomes. */
  readonly outcomes?: readonly Outcome[];
  /** A part of the journal that can be read in less time than all of it. */
  readonly only?: Aspect;
  /** False, the default: the oldest first. */
  readonly newestFirst?: boolean;
  /** At most so many. */
  readonly limit?: number;
}

/** A version that a path had before or after an entry's change, even of an entry that was aborted later. */
export interface Use {
  /** The entry. */
  readonly seq: number;
  /** Milliseconds. */
  readonly at: number;
  /** The file that had the version. */
  readonly path: Path;
  /** The version. */
  readonly sha: Sha;
}

/** The journal's last word on a path. */
export interface Head {
  /** The entry that said it. */
  readonly seq: number;
  /** The version it gave the path; null when it deleted the file. */
  readonly sha: Sha | null;
}

/** What a check compares the journal with, besides its own hashes. */
export interface VerifyOptions {
  /** "seq:hash" or a hash that the journal must contain, kept outside the workspace. */
  readonly expectedHead?: string;
  /** PEM or raw ed25519 public keys whose signed heads are believed. */
  readonly publicKeys?: readonly string[];
  /** Told now and then how many entries have been checked. */
  readonly progress?: (entries: number) => void;
  /** Aborts the check, which ends with a refusal. */
  readonly signal?: Pick<Cancellation, "aborted">;
}

/** What was found when a journal was checked from its first entry to its last. */
export interface Verification {
  /** True when there are no problems. */
  readonly ok: boolean;
  /** How many were checked. */
  readonly entries: number;
  /** The newest entry: keep it elsewhere to prove later that nothing was cut off. */
  readonly head: { readonly seq: number; readonly hash: Sha };
  /** What is wrong, and at which entry. */
  readonly problems: readonly { readonly seq: number; readonly problem: string }[];
  /** How many of those found are signed by a given key. */
  readonly signedHeads: number;
  /** What recoveries could not finish after a crash, in words. The journal is whole all the same. */
  readonly unfinished?: readonly { readonly seq: number; readonly message: string }[];
}
