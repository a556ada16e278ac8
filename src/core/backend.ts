// The contract between the kernel and the place where bytes live. A storage engine is one implementation of `Backend`.
import type { Deadline } from "./deadline.ts";
import type { FailureKind, Refusal } from "./failure.ts";

/** Canonical and workspace-relative, "/" between names, links resolved, "" for the root. Only `resolve` makes one. */
export type Path = string & { readonly __path: unique symbol };

/** Lowercase hex sha256 of all the bytes of a file. */
export type Sha = string & { readonly __sha: unique symbol };

/** One state of one file. The bytes come in parts so that an edit of a large file need not copy it. */
export interface Version {
  readonly sha: Sha;
  readonly size: number;
  /** Never written to again by the code that made the version: they may be kept anywhere. */
  readonly parts: readonly Uint8Array[];
  /** Permission bits, or `LINK_MODE` for a symbolic link, whose bytes are then its target. */
  readonly mode?: number;
}

/** As git has it: a version with this mode is a symbolic link. */
export const LINK_MODE = 0o120000;

export type Kind = "file" | "directory" | "link" | "absent" | "other";

/** What a raw path turned out to name. */
export interface Resolved {
  readonly path: Path;
  readonly kind: Kind;
  readonly size: number;
  readonly mtimeMs: number;
  /** Other names of the same file: a change of this name leaves them behind. */
  readonly hardLinks: number;
  /** Set when the raw path led through a symbolic link. */
  readonly throughLink: boolean;
  /** What the path was called before each link was followed: rules about a name hold for links that bear it. */
  readonly via: readonly string[];
}

export interface ResolveOptions {
  /** Stop at a link in the last place. */
  readonly link?: boolean;
  /** The path was there once, as the journal tells: names that may not be made anew may come back. */
  readonly existed?: boolean;
}

export interface Listed {
  readonly name: string;
  readonly path: Path;
  readonly kind: Kind;
  readonly size: number;
  readonly mtimeMs: number;
}

/** `from` → `to` of one path: null → x creates, x → y writes, x → null deletes. */
export interface Change {
  readonly path: Path;
  readonly from: Sha | null;
  /** What `from` names, where it is at hand: comparing takes less time than hashing again. */
  readonly before?: Version;
  readonly to: Version | null;
  readonly proof: string;
  readonly movedFrom?: Path;
  readonly createParents?: boolean;
}

export interface Author {
  readonly session: string;
  readonly agent?: string;
  readonly tool: string;
  readonly call?: string;
}

export type Outcome =
  | "applied" // the changes happened
  | "refused" // nothing happened, `error` says why
  | "external" // another program changed these paths; noticed, not done, by stet
  | "aborted" // an entry whose changes never happened (`of` names it): the machine stopped before they were safe
  | "note"; // about the journal itself: a torn tail moved aside, versions dropped, a checkpoint signed

export interface EntryChange {
  readonly path: Path;
  readonly from: Sha | null;
  readonly to: Sha | null;
  readonly fromSize?: number;
  readonly toSize?: number;
  readonly fromMode?: number;
  readonly toMode?: number;
  readonly proof?: string;
  readonly movedFrom?: Path;
}

/** What an entry says before the journal numbers, dates and chains it. */
export interface EntryDraft extends Author {
  readonly outcome: Outcome;
  readonly changes: readonly EntryChange[];
  readonly error?: FailureKind;
  readonly message?: string;
  /** Entries that this one undoes, restores from, or speaks about. */
  readonly of?: readonly number[];
  readonly diff?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface Entry extends EntryDraft {
  readonly seq: number;
  readonly at: string;
  readonly prev: Sha;
  readonly hash: Sha;
  /** Taken over from another place, or noticed against what was: none of it happened here. Not part of what is hashed. */
  readonly elsewhere?: true;
}

/** "of entries": what speaks about other entries. "trash": that, and what deletes, replaces, restores or purges files. */
export type Aspect = "of entries" | "trash";

export interface LogFilter {
  readonly sinceSeq?: number;
  readonly untilSeq?: number;
  readonly since?: string;
  readonly until?: string;
  readonly session?: string;
  readonly agent?: string;
  readonly tool?: string;
  readonly path?: Path;
  readonly outcomes?: readonly Outcome[];
  readonly only?: Aspect;
  readonly newestFirst?: boolean;
  readonly limit?: number;
}

/** A version that a path had before or after an entry's change, be it that the entry was aborted later. */
export interface Use {
  readonly seq: number;
  /** Milliseconds. */
  readonly at: number;
  readonly path: Path;
  readonly sha: Sha;
}

/** The journal's last word on a path. */
export interface Head {
  readonly seq: number;
  readonly sha: Sha | null;
}

/** What a commit carries besides its changes. */
export interface CommitNote {
  readonly of?: readonly number[];
  readonly diff?: string;
  readonly message?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** How a commit that has to wait for its turn can still be called off. */
export interface CommitOptions {
  /**
   * Called once, when no other commit can come first any more and before anything is changed. What it throws ends the
   * commit and is passed on; when it returns, the commit goes through to its end.
   */
  begin?(): void;
  /** Aborted: the caller gives this commit up. While it waits it is ended, with the signal's reason; later it is not. */
  readonly signal?: CallOff;
}

/** What is needed of an AbortSignal, which is one: to make a real one for every call costs more than a small call does. */
export interface CallOff {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

export interface Committed {
  readonly entry: Entry;
  readonly warnings: readonly string[];
}

export interface VerifyOptions {
  /** "seq:hash" or a hash that the journal must contain: an anchor kept outside the workspace. */
  readonly expectedHead?: string;
  /** PEM or raw ed25519 public keys whose signed checkpoints are believed. */
  readonly publicKeys?: readonly string[];
  /** Told now and then how many entries have been checked. */
  readonly progress?: (entries: number) => void;
  /** Aborted: it ends with a refusal. A journal can be long. */
  readonly signal?: Pick<CallOff, "aborted">;
}

export interface Verification {
  readonly ok: boolean;
  readonly entries: number;
  readonly head: { readonly seq: number; readonly hash: Sha };
  readonly problems: readonly { readonly seq: number; readonly problem: string }[];
  readonly checkpoints: number;
  /** What recoveries could not finish after a crash, in words. The journal is whole all the same. */
  readonly unfinished?: readonly { readonly seq: number; readonly message: string }[];
}

/** "lately": that there was no history a moment ago is answer enough. "known": of a history that is open, what it was when last asked for. */
export type When = "now" | "lately" | "known";

export interface KeptVersion {
  readonly sha: Sha;
  readonly size: number;
  readonly keptAt: number;
}

/** How much room a history takes. */
export interface HistoryWeight {
  readonly entries: number;
  readonly versions: number;
  /** On the disk: journal and versions. */
  readonly bytes: number;
  /** Those of versions that are not the newest of any path. */
  readonly spareBytes: number;
  /** False: estimated from some of the versions. */
  readonly exact: boolean;
  /** False: there are more versions than were counted. */
  readonly all: boolean;
}

/** 1-based, inclusive. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** What a session was shown of a file. */
export interface Seen {
  readonly sha: Sha;
  readonly lines: number;
  /** Sorted and disjoint; covers 1..lines when the whole file was shown. */
  readonly shown: readonly LineRange[];
  /** Lines of which only a start was shown, up to so many characters. They are not in `shown`. */
  readonly parts?: readonly { readonly line: number; readonly upTo: number }[];
}

type Awaitable<T> = T | Promise<T>;

/** Where a session's memory is kept: in-process by default; a backend may keep it so that it survives a restart. */
export interface Ledger {
  get(path: Path): Awaitable<Seen | undefined>;
  set(path: Path, seen: Seen): Awaitable<void>;
  delete(path: Path): Awaitable<void>;
}

/** Whether anything may be changed at this path at all. */
export type MayChange = (path: Path) => boolean;

export interface Backend {
  readonly name: string;
  /** The real directory behind it, where there is one that other programs can search. */
  readonly directory?: string;
  /** The way to `directory` for this process and those it starts, whatever its name leads to by then; absent where the system has none. */
  readonly pinned?: string;
  /** Where there is no such directory: one with a copy of the files as they are now. Undefined: there is none to be had. */
  searchable?(deadline: Deadline): Promise<string | undefined>;
  /** An absolute path, or glob, that lies in `directory`, relative to that; undefined for any other. Nothing is looked up. */
  relative?(raw: string): string | undefined;
  /** Paths in the workspace, other than `.stet`, by which the backend reaches its own state. No tool may touch them. */
  readonly statePaths?: readonly string[];

  /** Told by the workspace what its policy says: finishing a commit that a crash left half done asks it, as a change does. */
  guard?(mayChange: MayChange): void;
  /** Why the history is not used, although files can be read; null when it is, or when there is none. */
  unused?(): Promise<Refusal | null>;

  /** Canonical path and what is there. Refuses whatever leads outside, and the root when it is not where it was opened. */
  resolve(raw: string, options?: ResolveOptions): Promise<Resolved>;
  /** The current version; null when absent. Links are not followed: `path` is canonical. */
  read(path: Path, options?: { readonly maxBytes?: number }): Promise<Version | null>;
  /** The bytes as they come, for files too large to hold; null when absent. Every chunk has memory of its own and may be kept. */
  stream(path: Path): Promise<AsyncIterable<Uint8Array> | null>;
  list(dir: Path): AsyncIterable<Listed>;

  /** All or nothing. Refuses `stale_file` unless every path is at its `from`. Keeps every `from` and every `to`. */
  commit(changes: readonly Change[], author: Author, note?: CommitNote, options?: CommitOptions): Promise<Committed>;
  /** Appends an entry that changes no file: a refusal, something noticed, a note. */
  record(draft: EntryDraft): Promise<Entry>;

  /** Compares what is at `path` with the journal's last word; records what another program changed, with the version seen. */
  notice(path: Path, author: Author, options?: Pick<CommitOptions, "begin">): Promise<Entry | null>;

  /** Any version ever replaced, deleted or written here, verified against its name; null when no longer kept. One that is larger than asked for is refused. */
  recall(sha: Sha, options?: { readonly maxBytes?: number }): Promise<Version | null>;
  /** Puts a version into the store without changing any file. */
  keep(version: Version): Promise<void>;
  kept(): AsyncIterable<KeptVersion>;
  /** Drops versions for good. */
  forget(shas: readonly Sha[]): Promise<{ readonly dropped: number; readonly bytes: number }>;

  head(path: Path, when?: When): Promise<Head | null>;
  /** Of many paths at once, where that takes less time than one after the other. Paths of which there is no word are left out. */
  heads?(paths: readonly Path[]): Promise<ReadonlyMap<Path, Head>>;
  /** How far the journal reaches, at less cost than its newest entry. Null when there is none. */
  tail?(when?: When): Promise<{ readonly seq: number; readonly hash: Sha } | null>;
  log(filter?: LogFilter): AsyncIterable<Entry>;
  /** Which paths had these versions, before or after a change; at least the last use of each by each, oldest first. Where it is not to be had, `log` tells the same. */
  uses?(shas: ReadonlySet<Sha>): AsyncIterable<Use>;
  verify(options?: VerifyOptions): Promise<Verification>;
  /** Quick, however long the history is. Null when there is none. */
  weigh?(): Promise<HistoryWeight | null>;
  /** Signs the journal's head with an ed25519 key (PEM) and notes it. A copy of `text` kept elsewhere proves a cut tail. */
  sign(privateKey: string): Promise<{ readonly text: string; readonly entry: Entry }>;
  /** Calls `changed` soon after a commit by any process, until the returned function is called; sometimes for nothing, and never twice at once. */
  watch?(changed: () => void): () => void;
  ledger?(session: string): Ledger;
  close(): Promise<void>;
}
