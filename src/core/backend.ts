// The contract between the kernel and the place where bytes live. A storage engine is one implementation of `Backend`.
import type { Cancellation, Deadline } from "./deadline.ts";
import type {
  Author,
  Entry,
  EntryChange,
  EntryDraft,
  Head,
  LogFilter,
  Use,
  Verification,
  VerifyOptions,
} from "./entry.ts";

export type {
  Aspect,
  Author,
  Entry,
  EntryChange,
  EntryDraft,
  Head,
  LogFilter,
  Outcome,
  Use,
  Verification,
  VerifyOptions,
} from "./entry.ts";

/** Canonical and workspace-relative, "/" between names, links resolved, "" for the root. Only `resolve` makes one. */
export type Path = string & { readonly __path: unique symbol };

/** Lowercase hex sha256 of all the bytes of a file. */
export type Sha = string & { readonly __sha: unique symbol };

/** One state of one file. The bytes come in parts so that an edit of a large file need not copy it. */
export interface Version {
  /** Names the version. */
  readonly sha: Sha;
  /** Bytes in all. */
  readonly size: number;
  /** Never written to once the version is made, so they may be kept without a copy. */
  readonly parts: readonly Uint8Array[];
  /** Permission bits, or `LINK_MODE` for a symbolic link, whose bytes are then its target. */
  readonly mode?: number;
}

/** As git has it: a version with this mode is a symbolic link. */
export const LINK_MODE = 0o120000;

/** What is at a path. */
export type Kind = "file" | "directory" | "link" | "absent" | "other";

/** What a raw path turned out to name. */
export interface Resolved {
  /** Where it leads. */
  readonly path: Path;
  /** What is there. */
  readonly kind: Kind;
  /** Bytes of a file. */
  readonly size: number;
  /** When it was last modified: milliseconds since 1970. */
  readonly mtimeMs: number;
  /** Number of other hard links. A change through this name does not reach them. */
  readonly hardLinks: number;
  /** Set when the raw path led through a symbolic link. */
  readonly throughLink: boolean;
  /** What the path was called before each link was followed: rules about a name hold for links that bear it. */
  readonly via: readonly string[];
}

/** How a path is followed. */
export interface ResolveOptions {
  /** Stop at a link in the last place. */
  readonly link?: boolean;
  /** The path was there once, as the journal tells: names that may not be made anew may come back. */
  readonly existed?: boolean;
  /** Whose session asks: what it has seen there may be looked up along with it. */
  readonly session?: string;
}

/** How a file is read. */
export interface BackendRead {
  /** A larger file is refused. */
  readonly maxBytes?: number;
  /** What `resolve` found at this path in the same call: a backend may answer with the version that was there then. */
  readonly at?: Resolved | undefined;
  /** The version that was last read here. A backend that finds it unchanged may return it without fetching its bytes. */
  readonly likely?: Version | undefined;
}

/** One name in a directory. A link is a link here, whatever it points to. */
export interface Listed extends Pick<Resolved, "kind" | "size" | "mtimeMs"> {
  /** Without the directory. */
  readonly name: string;
  /** With the directory, from the root on. */
  readonly path: Path;
}

/** `from` → `to` of one path: null → x creates, x → y writes, x → null deletes. */
export interface Change {
  /** The file. */
  readonly path: Path;
  /** The version that must be there; null where no file may be. */
  readonly from: Sha | null;
  /** What `from` names, where it is at hand: comparing takes less time than hashing again. */
  readonly before?: Version;
  /** The version that shall be there; null deletes the file. */
  readonly to: Version | null;
  /** The kind of proof that was given, for the journal. */
  readonly proof: string;
  /** Where the file comes from, if this is the arrival of a move. */
  readonly movedFrom?: Path;
  /** Missing directories are made. */
  readonly createParents?: boolean;
}

/** A file before another program changed it: a kept version, and the permission bits to restore it with. */
export type Witnessed = Pick<EntryChange, "path" | "from" | "fromMode">;

/** What the entry of a commit says besides its changes. */
export type CommitNote = Pick<EntryDraft, "of" | "message" | "details">;

/** How to call off a commit that waits in the queue. */
export interface CommitOptions {
  /**
   * Called when no other commit can come first and nothing is changed yet. If it throws, the commit ends with that error;
   * once it returns, the commit goes through. It may return a function, which is called when another commit came first
   * after all: then this one waits again, and `begin` is called again.
   */
  begin?(): unknown;
  /** Aborts the commit while it waits, with the signal's reason; later it has no effect. */
  readonly signal?: Cancellation;
  /** What to put into the ledger with the change; a backend that does so says `remembered`. */
  readonly shown?: Shown;
}

/** What a session has seen once a change is made. */
export interface Shown {
  /** Its id. */
  readonly session: string;
  /** What goes into its ledger, by file. */
  readonly files: ReadonlyMap<Path, Seen>;
}

/** A commit that went through. */
export interface Committed {
  /** Its entry in the journal. */
  readonly entry: Entry;
  /** What the caller should know although the commit went through. */
  readonly warnings: readonly string[];
  /** The backend has put `shown` into the ledger. */
  readonly remembered?: true;
}

/** How fresh an answer must be. "lately": a moment ago there was no history. "known": what an open history last said. */
export type When = "now" | "lately" | "known";

/** A version in the store. */
export interface KeptVersion extends Pick<Version, "sha" | "size"> {
  /** When it was put there: milliseconds since 1970. */
  readonly keptAt: number;
}

/** What the code knew that chose the versions to drop. */
export interface LookedAt {
  /** The newest entry at that time; null where there was none. */
  readonly newest: Pick<Entry, "seq" | "hash"> | null;
  /** When each was put into the store, as `kept` said. */
  readonly keptAt?: ReadonlyMap<Sha, number>;
}

/** What was dropped. */
export interface Forgotten {
  /** How many versions. */
  readonly dropped: number;
  /** How many bytes were freed. */
  readonly bytes: number;
  /** Versions that stayed because something used them since. Absent when there are none. */
  readonly stayed?: readonly Sha[];
}

/** How large a history is. */
export interface HistoryWeight {
  /** Entries in the journal. */
  readonly entries: number;
  /** Versions in the store. */
  readonly versions: number;
  /** On the disk: journal and versions. */
  readonly bytes: number;
  /** Bytes of the versions that are no path's newest one. */
  readonly spareBytes: number;
  /** False: estimated from some of the versions. */
  readonly exact: boolean;
  /** False: there are more versions than were counted. */
  readonly all: boolean;
}

/** 1-based, inclusive. */
export interface LineRange {
  /** The first line. */
  readonly from: number;
  /** The last line; smaller than `from` when there is none. */
  readonly to: number;
}

/** What a session was shown of a file. */
export interface Seen {
  /** The version of which lines were shown. */
  readonly sha: Sha;
  /** How many the file has in all. */
  readonly lines: number;
  /** Sorted and disjoint; covers 1..lines when the whole file was shown. */
  readonly shown: readonly LineRange[];
  /** Lines whose numbers and hashes a read showed, and that no edit of this session has moved since. */
  readonly numbered?: readonly LineRange[];
  /** Hashes of equal lines whose count edits of this session have changed since a read showed them. */
  readonly repeated?: readonly string[];
  /** Why a line number may be outdated: the session edited the file since, or has numbers of another version. */
  readonly since?: "edited" | "older";
}

/** Where a session's memory is kept: in-process by default; a backend may keep it so that it survives a restart. */
export interface Ledger {
  /** What was shown of this file; undefined when nothing was. With `at`, the answer may be as old as that. */
  get(path: Path, at?: Resolved): Promise<Seen | undefined> | Seen | undefined;
  /** Replaces what was known. */
  set(path: Path, seen: Seen): Promise<void> | void;
  /** Forgets the file. */
  delete(path: Path): Promise<void> | void;
  /** Forgets the session, which is over. Only where its memory would be kept otherwise. */
  clear?(): Promise<void> | void;
}

/** Whether anything may be changed at this path at all. */
export type MayChange = (path: Path) => boolean;

/** A copy of the files of a workspace, for programs that search in directories. */
export interface SearchableCopy {
  /** Where it is. */
  readonly directory: string;
  /** Asked after a search, whose result counts only if no file at or below this directory was missing. */
  isWhole(below: Path): Promise<boolean>;
}

/** A place where the files of a workspace, its journal and its kept versions live. `testBackend` of `stet/testing` checks one. */
export interface Backend {
  /** Names the place for people. */
  readonly name: string;
  /** The tenant it belongs to, where one process serves several: none may use up what they share. */
  readonly tenant?: string;
  /** The real directory behind it, where there is one that other programs can search. */
  readonly directory?: string;
  /** A path by which this process and its children reach `directory` even if it is renamed; absent where the system has none. */
  readonly pinned?: string;
  /** Without such a directory: a copy of the files as they are now; undefined where none can be made. */
  searchable?(deadline: Deadline): Promise<SearchableCopy | undefined>;
  /** Makes an absolute path or glob in `directory` relative to it, from the text alone; undefined for any other. */
  relative?(raw: string): string | undefined;
  /** Nothing but a commit changes what is here: there is never anything to `notice`. */
  readonly changedByCommitsOnly?: true;
  /** Paths in the workspace, other than `.stet`, by which the backend reaches its own state. No tool may touch them. */
  readonly statePaths?: readonly string[];

  /** Takes the policy of the workspace: recovery after a crash asks it, as a change does. */
  guard?(mayChange: MayChange): void;

  /** Canonical path and what is there. Refuses whatever leads outside, and the root when it is not where it was opened. */
  resolve(raw: string, options?: ResolveOptions): Promise<Resolved>;
  /** The current version; null when absent. Links are not followed: `path` is canonical. */
  read(path: Path, options?: BackendRead): Promise<Version | null>;
  /** The bytes as they come, for files too large to hold; null when absent. Every chunk has memory of its own and may be kept. */
  stream(path: Path): Promise<AsyncIterable<Uint8Array> | null>;
  /**
   * The bytes of many files at once, where that is faster. The caller asks `stream` for those left out because they are
   * large, gone or no files.
   */
  readMany?(paths: readonly Path[]): Promise<ReadonlyMap<Path, Uint8Array>>;
  /** The names in a directory, in no order. */
  list(dir: Path): AsyncIterable<Listed>;

  /** With those above it. It holds nothing, so no entry tells of it. Absent where directories come and go with their files. */
  makeDirectory?(path: Path): Promise<void>;

  /** All or nothing. Refuses `stale_file` unless every path is at its `from`. Keeps every `from` and every `to`. */
  commit(changes: readonly Change[], author: Author, note?: CommitNote, options?: CommitOptions): Promise<Committed>;
  /** Appends an entry that changes no file: a refusal, something noticed, a note. */
  record(draft: EntryDraft): Promise<Entry>;

  /**
   * Compares the files at these paths with their heads; keeps what other programs changed, and records it as one
   * "external" entry. Null when nothing differs. Leaves out a path that cannot be read.
   */
  notice(paths: Iterable<Path>, author: Author, options?: Pick<CommitOptions, "begin">): Promise<Entry | null>;
  /**
   * Records as one entry of `author` what another program changed on its behalf: from `from`, which must be kept, to the
   * file as it is now, which it keeps. Null when nothing differs, or the journal has it already. First records what
   * happened between the head and `from`, as `notice` does.
   */
  witness(changes: Iterable<Witnessed>, author: Author, note?: CommitNote): Promise<Entry | null>;

  /** Any version ever replaced, deleted or written here, checked against its sha256; null when no longer kept. Refuses one of more than `maxBytes`. */
  recall(sha: Sha, options?: { readonly maxBytes?: number }): Promise<Version | null>;
  /** Puts versions into the store without changing any file. The `keptAt` of one that is there becomes now. */
  keep(versions: readonly Version[]): Promise<void>;
  /** Every version in the store, in no order. */
  kept(): AsyncIterable<KeptVersion>;
  /**
   * Drops versions for good. With `looked`, versions stay that a newer entry uses, at any path, before or after a change,
   * and those put into the store since. It checks this under the lock.
   */
  forget(shas: readonly Sha[], looked?: LookedAt): Promise<Forgotten>;

  /** Null where the journal knows nothing of the path. */
  head(path: Path, when?: When): Promise<Head | null>;
  /** The heads of many paths at once, where that is faster. Leaves out paths that the journal does not know. */
  heads?(paths: readonly Path[]): Promise<ReadonlyMap<Path, Head>>;
  /** The end of the journal, at less cost than its newest entry. Null when it is empty. */
  tail?(when?: When): Promise<{ readonly seq: number; readonly hash: Sha } | null>;
  /** Entries of the journal, the oldest first unless asked otherwise. */
  log(filter?: LogFilter): AsyncIterable<Entry>;
  /** Which paths had these versions, before or after a change: at least the last use by each path, oldest first. `log` tells the same, slower. */
  uses?(shas: ReadonlySet<Sha>): AsyncIterable<Use>;
  /** Checks the whole journal. Problems are returned, not thrown. */
  verify(options?: VerifyOptions): Promise<Verification>;
  /** How large the history is, without reading all of it. Null when there is none. */
  weigh?(): Promise<HistoryWeight | null>;
  /** Signs the end of the journal with an ed25519 key (PEM) and records it. A copy of `text` kept elsewhere shows if entries were cut off. */
  sign(privateKey: string): Promise<{ readonly text: string; readonly entry: Entry }>;
  /** Calls `changed` soon after a commit by any process, and sometimes without one, until the returned function is called. */
  watch?(changed: () => void): () => void;
  /** Where this session's memory is kept; in the process when absent. */
  ledger?(session: string): Ledger;
  /** Finishes what is under way and gives everything back. Later calls are refused. */
  close(): Promise<void>;
}
