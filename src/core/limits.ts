// Every number of the kernel in one place, each with its reason.

/** The defaults of all limits of a workspace. */
export const LIMITS = {
  /** Largest file that tools change or hold whole. Ten times what a model can use; keeps one call from filling memory. */
  maxFileBytes: 10 * 1024 * 1024,
  /** One tool call. Long enough for a search of a large tree, short enough that a client has not given up. */
  callMs: 15_000,
  /** Time to check a result for damage. The warning comes with the answer, so the caller must not wait long for it. */
  checkMs: 50,
  /** Bytes of unified diff made for one file of a change. */
  diffBytes: 64 * 1024,
  /** Bytes of unified diff shown in a stale refusal. The default is also what every other answer shows. */
  staleDiffBytes: 4 * 1024,
  /** Files in one change: a patch of a larger set is a mistake or an attack. */
  maxFilesPerChange: 1000,
  /** A commit that lost a race against another process starts again; with proof still valid the caller never notices. */
  commitAttempts: 50,
  /** A larger file is read and hashed in slices, between which other calls run. */
  sliceBytes: 4 * 1024 * 1024,
  /** Largest file of which a page of lines may be read: one pass over it stays well within a call. */
  pagedBytes: 1024 * 1024 * 1024,
  /** Recently read versions kept in memory to explain staleness and to rebase edits, per workspace. */
  recentBytes: 32 * 1024 * 1024,
  /** Files that one session remembers to have seen: more than any session reads, in some 30 MB. */
  seenFiles: 100_000,
  /** A journal segment: small enough to scan in milliseconds, large enough to have few of them. */
  segmentBytes: 4 * 1024 * 1024,
  /** Longest name in a path: NAME_MAX on every mainstream file system. */
  nameBytes: 255,
  /** Longest path. */
  pathBytes: 4096,
  /** Links followed in one path, as Linux does. */
  maxLinks: 40,
  /** How long to wait for another process that holds the lock. */
  lockMs: 10_000,
} as const;

/** How much one call may ask for. No option changes it: no honest call comes near, and more would keep all others waiting. */
export const CALL_LIMITS = {
  /** Entries of a list in the arguments: edits, operations, globs, expected versions. */
  items: 1000,
  /** Places that the edits of one call replace. */
  replacements: 100_000,
  /** Hunks of a patch, over all of its files. */
  hunks: 10_000,
  /** Lines of a text whose lines are given anchors. */
  anchoredLines: 1_000_000,
  /** Matches in one answer, which says when there are more. */
  results: 10_000,
  /** Of a file shown in one answer: whole lines, or the start of the first. About what fills the context of a small model. */
  pageBytes: 256 * 1024,
  /** The same where every line has its anchor, which takes as much as the line does. */
  anchoredPageBytes: 128 * 1024,
  /** Lines shown before a match, and as many after it. `resultLines` bounds all lines of an answer. */
  contextLines: 100,
  resultLines: 20_000,
} as const;

/** The limits of a workspace, each a positive number; those that are left out are as in `LIMITS`. */
export type Limits = { -readonly [K in keyof typeof LIMITS]: number };

/** What the journal accepts. No option changes it: every stet must be able to read what another one wrote. */
export const JOURNAL_LIMITS = {
  /** Names of sessions, agents, tools and calls, and kinds of proof: a thousand characters are a text, not a name. */
  nameChars: 1000,
  /** The message of an entry. Refusals record a tenth of it. */
  messageChars: 10_000,
  /** Levels of `details`: far more than anything nests, far fewer than a reader's stack has. */
  detailLevels: 32,
  /** One entry: the longest that a change of a thousand files with the longest paths can come to, and some more. */
  entryBytes: 32 * 1024 * 1024,
  /** One file of the journal. Another segment is started long before, so what is larger was not written by stet. */
  segmentBytes: 1024 * 1024 * 1024,
  /** A kept version. What stet deletes or moves has half of that at most. */
  keptBytes: 2 * 1024 * 1024 * 1024,
  /** A file of the lock: the name of a kind, or who holds it. */
  lockBytes: 4096,
} as const;
