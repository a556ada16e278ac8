// The `details` of a refusal, for programs.
import type { Entry, LineRange, Sha } from "./backend.ts";

/** What a change touched or missed in a text: lines 1-based, both included. */
export interface LineSpan {
  /** The first line. */
  readonly startLine: number;
  /** The last line. */
  readonly endLine: number;
}

/** A place that may have been meant. */
export interface Candidate extends LineSpan {
  /** 0 to 1. */
  readonly similarity: number;
  /** The file's own text, LF endings. */
  readonly text: string;
  /** What differs, line by line, blanks made visible where they matter. */
  readonly differences: readonly string[];
}

/** Lines that were changed in two ways since the version that both changes began with. */
export interface MergeConflict extends LineSpan {
  /** The text of these lines in that version. */
  readonly inBase: string;
  /** The text of these lines in the file as it is now: what others made of them. */
  readonly inFile: string;
  /** What the refused change would have put there: the caller's text, or what an undo brings back. */
  readonly wanted: string;
}

/** The last change of a file that the journal knows. */
export type ChangedBy = ChangedByStet | ChangedOutside;

/** A change that a session of stet made. */
export interface ChangedByStet extends Pick<Entry, "seq" | "at" | "session" | "agent" | "tool"> {
  /** Tells it from a change that was only noticed. */
  readonly external?: undefined;
}

/** A change that another program made. The journal does not know which one, nor when: only that it was noticed. */
export interface ChangedOutside extends Pick<Entry, "seq" | "at"> {
  /** No session of stet made it. */
  readonly external: true;
  /** The session that noticed it. */
  readonly noticedBy: string;
}

/** What happened since the version that the caller named or saw. */
export interface SinceVersion {
  /** The version that the caller named or saw; "" where it expected no file. */
  readonly expectedSha256: string;
  /** The version that is there; null where there is no file. Absent unless `diff` shows all that differs. */
  readonly actualSha256?: Sha | null;
  /** The same: what a further change must name. */
  readonly currentSha256?: Sha | null;
  /** Unified, from that version to this one, cut where it is long; absent where one of them is not at hand, or no text. */
  readonly diff?: string;
  /** Who made the version that is there, where the journal knows. */
  readonly changedBy?: ChangedBy;
}

/** What `details` of a refusal may hold. Which fields are there depends on the kind, and all may be missing. */
export interface RefusalDetails extends Partial<SinceVersion>, Partial<LineSpan> {
  /** Anything else: limits, counts and places that one kind alone has. */
  readonly [more: string]: unknown;
  /** Who deleted a file that was read, where the journal knows. */
  readonly deletedBy?: ChangedBy;
  /** Set when a change has several stale files: one item for each, in place of the fields above. */
  readonly stale?: readonly (Partial<SinceVersion> & { readonly path: string })[];
  /** Of an undo: the entry that was to be taken back. */
  readonly entry?: number;
  /** Of an undo: the entry that has taken it back already. */
  readonly takenBackBy?: number;
  /** Of an undo: the entries that changed the file later. */
  readonly later?: readonly number[];
  /** Of an undo: the entries that took them back. */
  readonly by?: readonly number[];
  /** Of an undo: entries from this time on are not too many. */
  readonly since?: string;
  /** Of an undo: the newest entry. */
  readonly newest?: number;
  /** What was to be done. */
  readonly action?: string;
  /** The rule of the policy that denies it. */
  readonly rule?: string;
  /** Where that rule stands. */
  readonly source?: string;
  /** Lines of the file that were never shown. */
  readonly neverShown?: readonly LineRange[];
  /** What is in the way is a file. */
  readonly file?: true;
  /** It is a directory. */
  readonly directory?: boolean;
  /** The directory that is missing on the way. */
  readonly missing?: string;
  /** Paths that may have been meant. */
  readonly nearest?: readonly string[];
  /** Of a merge, a list of `MergeConflict`: where both sides changed the same lines. */
  readonly conflicts?: object;
  /** Bytes of the file. */
  readonly size?: number;
  /** The most that it may have. */
  readonly maxBytes?: number;
  /** Places that may have been meant, the most alike first; of a text edit, a list of `Candidate`. */
  readonly candidates?: object;
  /** Where the new text is already. */
  readonly newTextAt?: LineSpan;
  /** In how many places a text is. */
  readonly matchCount?: number;
  /** Where: the first ones. */
  readonly matchRanges?: readonly LineSpan[];
  /** There are more than were counted. */
  readonly more?: boolean;
  /** How closely they were compared. */
  readonly level?: string;
}
