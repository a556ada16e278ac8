// What the page and its server say to each other: plain data, the same types on both sides. Names and texts are as they are; the page escapes what it shows.

export type Outcome = "applied" | "refused" | "external" | "aborted" | "note";

/** One entry as the timeline shows it. */
export interface EntryLine {
  /** The workspace. */
  readonly w: string;
  readonly seq: number;
  readonly at: string;
  readonly outcome: Outcome;
  readonly agent?: string;
  readonly session: string;
  readonly tool: string;
  readonly error?: string;
  readonly message?: string;
  /** The command of a shell, where the entry has one. */
  readonly command?: string;
  /** The first of them. */
  readonly paths: readonly string[];
  /** How many there are. */
  readonly files: number;
  /** Of all files together, where they could be counted. */
  readonly lines?: Lines;
  readonly reviewed: boolean;
  /** The entry that took this one back. */
  readonly takenBackBy?: number;
  /** How many later entries took back a part of it. */
  readonly partsBack?: number;
  /** It brought a deleted file back. */
  readonly restored?: true;
  /** Entries that it speaks about, the first of them. */
  readonly of?: readonly number[];
  /** It takes back only a part of them. */
  readonly part?: true;
  /** A note that these were reviewed, or are no longer. */
  readonly mark?: { readonly of: readonly number[]; readonly reviewed: boolean };
}

/** What became of an entry; what is not named is not so. */
export type EntryFate = Pick<EntryLine, "seq" | "takenBackBy" | "partsBack">;

/** An entry as it happens. */
export interface EntryNews {
  readonly line: EntryLine;
  /** Whether the filters let it in. */
  readonly fits: boolean;
  /** Of entries of the same workspace that are another thing since. */
  readonly fates: readonly EntryFate[];
}

export interface TimelineAnswer {
  readonly entries: readonly EntryLine[];
  /** For the next page; absent at the end. */
  readonly before?: string;
  /** Workspaces whose entries could not be read. */
  readonly troubles?: readonly Trouble[];
  /** Of the first page: where the stream of later entries begins, so that none is missed in between. */
  readonly after?: string;
}

/** Why there is nothing of a workspace, and what to do. */
export interface Trouble {
  readonly w: string;
  readonly kind: string;
  readonly message: string;
  readonly next?: string;
}

export interface Lines {
  readonly insertions: number;
  readonly deletions: number;
}

export type DiffTold = ({ readonly text: string; readonly truncated: boolean } & Lines) | { readonly left: string };

export interface FileTold {
  readonly letter: "A" | "M" | "D" | "R";
  readonly path: string;
  readonly movedFrom?: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly beforeSize: number;
  readonly afterSize: number;
  readonly proof?: string;
  readonly diff: DiffTold;
  /** Others changed the file between the steps: of a net change. */
  readonly others?: "merged" | "included";
  readonly entries?: readonly number[];
}

export interface AboutIt {
  readonly seq: number;
  readonly how: "undone" | "part" | "restored" | "reviewed" | "named";
  readonly agent?: string;
}

export interface EntryAnswer {
  readonly line: EntryLine;
  readonly hash: string;
  readonly call?: string;
  readonly proofs: readonly string[];
  /** Entries that it undoes or speaks about. */
  readonly of: readonly number[];
  /** Parts of it that were taken back: a file, or a hunk of one. */
  readonly back: readonly { readonly path: string; readonly hunk?: number }[];
  /** Later entries that speak about it. */
  readonly about: readonly AboutIt[];
  /** Whatever else it says. */
  readonly details: readonly (readonly [name: string, value: string])[];
  readonly files: readonly FileTold[];
  readonly moreFiles: number;
}

export interface VersionLine {
  readonly seq: number;
  readonly at: string;
  readonly outcome: Outcome;
  readonly agent?: string;
  readonly tool: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly size: number;
  readonly movedFrom?: string;
}

export interface FileAnswer {
  readonly path: string;
  readonly now: { readonly sha: string; readonly size: number } | null;
  readonly versions: readonly VersionLine[];
  readonly before?: number;
}

export interface VersionAnswer {
  readonly size: number;
  /** Absent where it is not text. */
  readonly text?: string;
  readonly truncated: boolean;
}

export interface NetAnswer {
  readonly files: readonly FileTold[];
  readonly entries: number;
  readonly takenBack: number;
  readonly moreFiles: number;
}

export interface PreviewAnswer {
  /** To be sent along when it is applied. */
  readonly preview: string;
  readonly undone: readonly number[];
  /** Of files that would change; the first of them follow. */
  readonly count: number;
  readonly files: readonly FileTold[];
  readonly warnings: readonly string[];
}

export interface AppliedAnswer {
  readonly entry?: number;
  readonly files: number;
  readonly warnings: readonly string[];
}

/** What is to be taken back. */
export interface UndoAsked {
  readonly w: string;
  readonly entry?: number;
  readonly path?: string;
  readonly hunk?: number;
  readonly session?: string;
  readonly agent?: string;
  readonly since?: string;
  readonly until?: string;
  readonly merge?: boolean;
  readonly preview?: string;
  readonly undone?: readonly number[];
}

export interface TrashLine {
  readonly id: string;
  readonly path: string;
  readonly size: number;
  readonly deletedAt: string;
  readonly agent?: string;
  readonly tool: string;
}

export interface TrashAnswer {
  readonly items: readonly TrashLine[];
  readonly more: boolean;
}

export interface WorkspaceState {
  readonly w: string;
  readonly root: string;
  readonly readOnly: boolean;
  readonly head?: { readonly seq: number; readonly hash: string };
  readonly bytes?: number;
  readonly versions?: number;
  /** Why its history cannot be used. */
  readonly unused?: string;
}

export interface StateAnswer {
  readonly version: string;
  readonly person: string;
  /** Whether changes may be made by this page at all. */
  readonly mayChange: boolean;
  /** All of them; where they are found by name, the one that was named. */
  readonly workspaces: readonly WorkspaceState[];
  /** Where they are found by name: the names that are known. */
  readonly names?: readonly string[];
  /** Why there is none of the name that was asked for. */
  readonly missing?: string;
  /** They came in by a token, and can come again. */
  readonly mayLeave?: true;
}

export interface HealthLine {
  readonly about: string;
  readonly state: "ok" | "warn" | "fail";
  readonly what: string;
  readonly means?: string;
}

export interface VerifyTold {
  readonly entries: number;
  readonly total: number;
  readonly done?: {
    readonly ok: boolean;
    readonly head: { readonly seq: number; readonly hash: string };
    readonly problems: readonly { readonly seq: number; readonly problem: string }[];
  };
  readonly failed?: string;
}

export interface Conflict {
  /** Where it begins in the file as it is now. */
  readonly line: number;
  readonly inBase: string;
  readonly inFile: string;
  readonly wanted: string;
}

/** How the server says no. */
export interface Refused {
  readonly kind: string;
  readonly message: string;
  readonly next?: string;
  readonly path?: string;
  /** Later entries that stand in the way. */
  readonly later?: readonly number[];
  readonly conflicts?: readonly Conflict[];
  /** It was taken back before. */
  readonly isTakenBack?: true;
  /** Of one who is not let in: a token would do. */
  readonly tokens?: true;
}
