// Words about the history: undo, the trash, checkpoints, review and retention; and the file modes that it brings back.
import { LINK_MODE } from "../core/backend.ts";
import type { MergeConflict } from "../core/refusal-details.ts";
import { plural } from "./plural.ts";
import type { Catalogue } from "./row.ts";

export interface OfEntry {
  readonly path: string;
  readonly entry: number;
}

const LOOK_AT_LOG = "Look at the log for the entries there are.";

export const HISTORY = {
  undo_without_condition: ({ conditions }: { conditions: readonly string[] }) => ({
    kind: "invalid_input",
    why: "Name what to undo: an entry, or at least one condition.",
    next: `The conditions are ${conditions.join(", ")}.`,
  }),
  undo_entry_with_condition: ({ entry, other }: { entry: number; other: string }) => ({
    kind: "invalid_input",
    why: `An undo takes one entry, or conditions: entry and ${other} cannot both be given.`,
    next: `Leave out ${other} to take back entry ${entry}, or leave out entry.`,
  }),
  entry_not_undoable: ({ entry }: { entry: number }) => ({
    kind: "not_found",
    why: `Entry ${entry} is not a change that can be undone.`,
    next: LOOK_AT_LOG,
  }),
  entry_without_path: ({ path, entry }: OfEntry) => ({
    kind: "not_found",
    why: `Entry ${entry} did not change ${path}.`,
    next: "Look at the entry for the files that it changed.",
  }),
  no_change_matches: (_: object) => ({
    kind: "not_found",
    why: "No change in the journal fits.",
    next: LOOK_AT_LOG,
  }),
  undone_meanwhile: (_: object) => ({
    kind: "not_found",
    why: "What was to be taken back has been taken back by another process meanwhile.",
    next: LOOK_AT_LOG,
  }),
  all_taken_back: ({ takenBack, by }: { takenBack: readonly number[]; by: readonly number[] }) => ({
    kind: "not_found",
    why: `Every change that fits has already been taken back, by ${formatEntries(by)}.`,
    next: LOOK_AT_LOG,
    details: { takenBack, by },
  }),
  /** `part`: the newest of these entries, and the time since which all can be taken back at once. */
  undo_too_large: ({
    files,
    maxFiles,
    bytes,
    maxBytes,
    part,
  }: {
    files: number;
    maxFiles: number;
    bytes: number;
    maxBytes: number;
    part: { newest?: number | undefined; since?: string | undefined };
  }) => ({
    kind: "too_many_files",
    why:
      files > maxFiles
        ? `This would take back changes of ${files} files at once; the limit is ${maxFiles}.`
        : `This would take back ${inMiB(bytes)} of content at once, in ${plural(files, "file")}; the limit is ${inMiB(maxBytes)}.`,
    next: "Take back the newest entries first, then the others.",
    details: { files, ...(files > maxFiles ? { limit: maxFiles } : { bytes, limitBytes: maxBytes }), ...part },
  }),
  undo_version_gone: ({ path, entry }: OfEntry) => ({
    kind: "not_kept",
    why: `A version of ${path} that the undo of entry ${entry} needs is no longer kept.`,
    next: "It cannot be taken back any more; change the file itself instead.",
    details: { entry },
  }),
  undo_conflict: ({
    path,
    entry,
    hunk,
    conflicts,
  }: OfEntry & { hunk?: number; conflicts: readonly MergeConflict[] }) => ({
    kind: "merge_conflict",
    why: `Later changes of ${path} touch the same lines as ${hunk === undefined ? "" : "this part of "}entry ${entry}.`,
    next: "Undo the later changes first, or edit the file.",
    details: { conflicts, entry },
  }),
  entry_taken_back: ({ entry, by }: { path: string; entry: number; by: number }) => ({
    kind: "stale_file",
    why: `Entry ${entry} has already been taken back by entry ${by}.`,
    next: `Leave it, or undo entry ${by} to have the change again.`,
    details: { entry, takenBackBy: by },
  }),
  /** `mayMerge`: a merge could take back the other lines. */
  changed_since_entry: ({
    path,
    entry,
    later,
    mayMerge,
  }: OfEntry & { later: readonly number[]; mayMerge: boolean }) => ({
    kind: "stale_file",
    why: `${path} was changed after entry ${entry} by ${later.length === 0 ? "something outside stet" : formatEntries(later.slice(-5))}.`,
    next: mayMerge
      ? 'Undo these first, or keep them and take back only the other lines, with onLaterChanges: "merge".'
      : "Undo these first.",
    details: { entry, later },
  }),

  hunk_missing: ({ path, entry, hunk }: { path: string; entry: number; hunk: number }) => ({
    kind: "not_found",
    why: `Entry ${entry} has no hunk ${hunk} in ${path}.`,
    next: "Look at the entry.",
  }),
  hunk_of_whole_file: ({ path, entry }: OfEntry) => ({
    kind: "not_found",
    why: `Entry ${entry} made or deleted ${path}, which is one step.`,
    next: "Undo the whole file of it.",
  }),
  hunk_file_gone: ({ path }: { path: string }) => ({
    kind: "not_found",
    why: `${path} is not there any more.`,
    next: "Look at the log and the entry.",
  }),
  hunk_taken_back: ({ path }: { path: string }) => ({
    kind: "no_change",
    why: `These lines of ${path} have been taken back already.`,
    next: "Leave it.",
  }),

  not_in_trash: ({ idOrPath }: { idOrPath: string }) => ({
    kind: "not_found",
    why: `Nothing in the trash has the id or path ${idOrPath}.`,
    next: "List the trash to see what can be restored.",
  }),
  ids_not_in_trash: ({ missingIds }: { missingIds: readonly string[] }) => ({
    kind: "not_found",
    why: `Nothing in the trash has the id ${missingIds.slice(0, 5).join(", ")}.`,
    next: "List the trash to see what is in it.",
    details: { missingIds },
  }),
  trashed_bytes_gone: ({ path }: { path: string }) => ({
    kind: "not_kept",
    why: `The bytes of ${path} are no longer kept.`,
    next: "Go on without it: it cannot be brought back.",
  }),
  purged_bytes_stay: ({ count, error }: { count: number; error: string }) => ({
    kind: "io_error",
    why: `${plural(count, "deleted file")} left the trash, but not all of their bytes the disk: ${error}`,
    next: "Fix the cause, then collect garbage: nothing refers to these bytes any more.",
  }),

  checkpoint_open: ({ name }: { name: string }) => ({
    kind: "already_exists",
    why: `A checkpoint named ${name} is open.`,
    next: "Close it first, or choose another name.",
  }),
  checkpoint_missing: ({ name }: { name: string }) => ({
    kind: "not_found",
    why: `No checkpoint named ${name} is open.`,
    next: "openCheckpoints lists those that are.",
  }),
  reviewed_entries_invalid: ({ max }: { max: number }) => ({
    kind: "invalid_input",
    why: `A mark takes 1 to ${max} entries, each by its number.`,
    next: "The log shows the numbers.",
  }),
  net_too_long: ({ maxEntries }: { maxEntries: number }) => ({
    kind: "too_many_files",
    why: `More than ${maxEntries} entries fit; so many are not added up at once.`,
    next: "Choose a shorter time.",
  }),
} satisfies Catalogue;

function formatEntries(seqs: readonly number[]): string {
  return `entr${seqs.length === 1 ? "y" : "ies"} ${seqs.join(", ")}`;
}

function inMiB(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)} MiB`;
}

/** Where a file gets another mode than it has. */
export function formatModeBack({ before, after }: { readonly before?: number; readonly after: number }): string {
  return `${before === undefined ? "" : `${formatMode(before)} -> `}${formatMode(after)} (as the journal says)`;
}

/** Undefined for an ordinary file, which cannot be run. */
export function formatUnusualMode(mode: number | undefined): string | undefined {
  return mode !== undefined && isUnusual(mode) ? `${formatMode(mode)} (as the journal says)` : undefined;
}

/** A link, a program, or a file with special bits. */
export function isUnusual(mode: number): boolean {
  return mode === LINK_MODE || (mode & 0o7111) !== 0;
}

function formatMode(mode: number): string {
  return mode === LINK_MODE ? "a symbolic link" : `mode ${(mode & 0o7777).toString(8).padStart(3, "0")}`;
}
