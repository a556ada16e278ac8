// Every number of the kernel in one place, each with its reason.

export const LIMITS = {
  /** Largest file that tools read or write. Ten times what a model can use; keeps one call from filling memory. */
  maxFileBytes: 10 * 1024 * 1024,
  /** One tool call. Long enough for a search of a large tree, short enough that a client has not given up. */
  callMs: 15_000,
  /** Bytes of unified diff kept in a journal entry or shown in a stale refusal. */
  diffBytes: 64 * 1024,
  staleDiffBytes: 4 * 1024,
  /** Files in one change: a patch of a larger set is a mistake or an attack. */
  maxFilesPerChange: 1000,
  /** A commit that lost a race against another process starts again; with proof still valid the caller never notices. */
  commitAttempts: 50,
  /** Above this a file is read and hashed in slices that let other work in between. */
  sliceBytes: 4 * 1024 * 1024,
  /** Largest file of which a page of lines may be read: one pass over it stays well within a call. */
  pagedBytes: 1024 * 1024 * 1024,
  /** Recently read versions kept in memory to explain staleness and to rebase edits, per workspace. */
  recentBytes: 32 * 1024 * 1024,
  /** A journal segment: small enough to scan in milliseconds, large enough to have few of them. */
  segmentBytes: 4 * 1024 * 1024,
  /** Longest path component (NAME_MAX on every mainstream file system) and whole path. */
  nameBytes: 255,
  pathBytes: 4096,
  /** Links followed in one path, as Linux does. */
  maxLinks: 40,
  /** How long to wait for another process that holds the lock. */
  lockMs: 10_000,
} as const;

export type Limits = { -readonly [K in keyof typeof LIMITS]: number };
