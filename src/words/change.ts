// Words about changes: which file they are of, whether its proof holds, and what it would become.
import { inOrder } from "../core/failure.ts";
import type { ChangedBy, MergeConflict, SinceVersion } from "../core/refusal-details.ts";
import { didYouMean, linesBetween, listed, rangeOf } from "./plural.ts";
import type { Catalogue } from "./row.ts";

export interface OfPath {
  readonly path: string;
}

/** `isOwn`: by the session that asks. */
export type Known = SinceVersion & { readonly isOwn?: boolean | undefined };
export type Ranges = readonly { readonly from: number; readonly to: number }[];

const REREAD = "Re-read the file to obtain the current sha256";
const MAKE_IT_AGAIN = "Read the file again and make your change to what is there now.";

/** An edit can be made again; a file to delete or move must first be looked at. */
export function rereadAnd(action: string): string {
  if (action !== "delete" && action !== "move") return `${REREAD} and re-apply your edit.`;
  return `${REREAD}, and ${action} it if that is still right.`;
}

function isLeaving(action: string | undefined): boolean {
  return action === "delete" || action === "move";
}

function author(by: ChangedBy, isOwn: boolean | undefined): string {
  if (by.external) return `something outside stet (noticed ${by.at})`;
  const { agent, session, tool, at } = by;
  if (isOwn) return `you with ${tool} at ${at}`;
  return `${agent === undefined ? `session ${session}` : `${agent} (session ${session})`} with ${tool} at ${at}`;
}

const MAX_NAMED = 20;

/** What a whole new text did, or would do, to a file of which the session has not seen all. */
export function overwritten(path: string, unseen: Ranges | "newer", verb = "was"): string {
  if (unseen === "newer")
    return `${path} had changed since it was read; that newer content was overwritten and is kept in the history.`;
  const [first, ...rest] = unseen;
  const ranges = unseen.map(({ from, to }) => rangeOf(from, to));
  const lines = rest.length === 0 ? linesBetween(first!.from, first!.to) : `lines ${listed(ranges, ranges.length)}`;
  const were = lines.startsWith("line ") ? "was" : "were";
  return `${path} ${verb} overwritten as a whole although its ${lines} ${were} never shown to this session.`;
}

const STALE = {
  changed_since: ({ path, action = "edit", isOwn, ...details }: OfPath & Known & { action?: string | undefined }) => ({
    kind: "stale_file",
    why: inOrder([
      `${path} is not the version you saw.`,
      details.changedBy && `It was changed by ${author(details.changedBy, isOwn)}.`,
    ]),
    next: rereadAnd(action),
    details,
  }),
  expected_no_file: ({
    path,
    action = "edit",
    isArrival,
    isOwn: _,
    ...details
  }: OfPath & Known & { action?: string | undefined; isArrival?: boolean | undefined }) => ({
    kind: "stale_file",
    why: `${path} exists, and you expect no file there.`,
    next: isArrival ? "Read it to see what is there, or choose another path." : rereadAnd(action),
    details: { ...details, exists: true },
  }),
  gone: ({
    path,
    action,
    deletedBy,
    isOwn,
    movedTo,
  }: OfPath & { action?: string; deletedBy?: ChangedBy; isOwn?: boolean | undefined; movedTo?: string }) => ({
    kind: "stale_file",
    why: inOrder([
      `${path} is gone since you read it.`,
      deletedBy &&
        `It was ${movedTo === undefined ? "deleted" : `moved to ${movedTo}`} by ${author(deletedBy, isOwn)}.`,
    ]),
    next:
      movedTo !== undefined
        ? `Read ${movedTo} and go on there.`
        : isLeaving(action)
          ? "Go on without it."
          : "Create it again if it is still needed.",
    details: { cause: "not_found", changedSinceRead: true, deletedBy },
  }),
  // Re-reading cannot help: a dangling link is proven by its own sha256.
  bare_link: ({
    path,
    isUnread,
    action = "edit",
    sha256,
  }: OfPath & { isUnread: boolean; action?: string | undefined; sha256: string }) => ({
    kind: isUnread ? "unread_file" : "stale_file",
    why: `${path} is a symbolic link that leads to no file that can be read here.`,
    next: `Give the sha256 of the link itself, ${sha256}, to ${action} it.`,
    details: { currentSha256: sha256 as SinceVersion["currentSha256"] & string, bareLink: true },
  }),
} satisfies Catalogue;

export const CHANGE = {
  ...STALE,
  /** The stale files of one change, each with its own reason and facts. */
  stale_together: ({
    files,
  }: Partial<OfPath> & {
    files: readonly { readonly reason: string; readonly facts: Readonly<Record<string, unknown>> }[];
  }) => {
    const said = files.map(({ reason, facts }) => {
      const { why, details } = (STALE[reason as keyof typeof STALE] as Catalogue[string])(facts as never);
      return { why, details: { ...(details as Partial<SinceVersion>), path: facts.path as string } };
    });
    const stale = said.map(({ details }) => details);
    const diff = stale.map((each) => each.diff ?? "").join("");
    const more = stale.length - MAX_NAMED;
    return {
      kind: "stale_file",
      why: inOrder([
        ...said.slice(0, MAX_NAMED).map(({ why }) => why),
        more > 0 ? `The same holds for ${more} more files.` : undefined,
      ]),
      next: "Re-read these files to obtain their current sha256 and re-apply your edit.",
      details: { stale, diff: diff === "" ? undefined : diff },
    };
  },
  not_mergeable: ({ path, action }: OfPath & { action: string }) => ({
    kind: "stale_file",
    why: `${path} has changed since the version you named.`,
    next: rereadAnd(action),
  }),
  text_moved: ({ path }: OfPath) => ({
    kind: "merge_conflict",
    why: `The text that you change has moved in ${path} since that version.`,
    next: MAKE_IT_AGAIN,
  }),
  same_lines_changed: ({ path, conflicts }: OfPath & { conflicts: readonly MergeConflict[] }) => ({
    kind: "merge_conflict",
    why: `${path} has changed in the same lines that you changed.`,
    next: MAKE_IT_AGAIN,
    details: { conflicts },
  }),
  unread: ({ path, size, action }: OfPath & { size: number; action?: string | undefined }) => ({
    kind: "unread_file",
    why: `${path} has not been read in this session.`,
    next: "Read it first.",
    details: { size, action },
  }),
  unseen_lines: ({ path, unseen, ranges }: OfPath & { unseen: Ranges | "newer"; ranges: Ranges }) => ({
    kind: "unseen_content",
    why:
      unseen === "newer"
        ? `${path} has changed since this session read it, and would be overwritten as a whole.`
        : overwritten(path, unseen, "would be"),
    next: `Read ${unseen === "newer" ? "it again" : "these lines"} first, or edit only what you have seen.`,
    details: { neverShown: ranges },
  }),

  file_missing: ({
    path,
    action,
    isLink,
    nearest,
    deletedBy,
  }: OfPath & { action: string; isLink?: boolean; nearest?: readonly string[]; deletedBy?: ChangedBy }) => ({
    kind: "not_found",
    why: inOrder([
      `${path} ${isLink ? "is a symbolic link, and nothing is where it leads" : "does not exist"}.`,
      nearest && didYouMean(nearest),
    ]),
    next:
      action === "write"
        ? "Create it instead."
        : action === "edit"
          ? "Check the path, or create the file."
          : "Check the path; list the directory to see what is there.",
    details: { nearest, deletedBy },
  }),
  place_taken: ({ path, action, isFile }: OfPath & { action?: string | undefined; isFile: boolean }) => ({
    kind: "already_exists",
    why: `${path} already exists.`,
    next:
      action === "restore"
        ? "Give another place for it as `to`, or move what is there away first."
        : action === "move"
          ? "Overwrite it, which puts that file into the trash, or choose another path."
          : "Read it and edit or overwrite it, or choose another path.",
    details: isFile ? { file: true } : {},
  }),
  directory_there: ({ path, action }: OfPath & { action: string }) => ({
    kind: "already_exists",
    why: `${path} is a directory.`,
    next: action === "move" ? "Name the file it shall have there." : "Name a file in it, or choose another path.",
    details: { directory: true },
  }),
  link_to_nothing: ({ path, target }: OfPath & { target: string }) => ({
    kind: "already_exists",
    why: `${path} is a symbolic link that leads to ${target}, where nothing is.`,
    next: `Use ${target} itself, or another path.`,
  }),
  became_link: ({ path }: OfPath) => ({
    kind: "path_changed",
    why: `${path} became a symbolic link while it was being changed.`,
    next: "Try again.",
  }),
  others_faster: (_: object) => ({
    kind: "busy",
    why: "Others keep changing these files at the same moment.",
    next: "Try again.",
  }),

  many_targets: ({ files, max }: { files: number; max: number }) => ({
    kind: "too_many_files",
    why: `${files} files in one change; the limit is ${max}.`,
    next: "Split it into smaller changes.",
  }),
  named_twice: ({ path, other, action }: OfPath & { other: string; action: string }) =>
    action === "move"
      ? {
          kind: "command_failed",
          why: `${other} and ${path} are the same file, so there is nothing to move.`,
          next: "Leave it where it is, or give another destination.",
        }
      : {
          kind: "invalid_input",
          why: `${other} and ${path} name the same file in one change.`,
          next: "Name every file once.",
        },
  link_moved_over_file: (_: object) => ({
    kind: "unsupported",
    why: "A symbolic link cannot be moved over a file.",
    next: "Move it to a free name.",
  }),

  result_too_large: ({ path, size, maxBytes }: OfPath & { size: number; maxBytes: number }) => ({
    kind: "file_too_large",
    why: `${path} would have ${size} bytes; the limit is ${maxBytes}.`,
    next: "Write less, or several files in place of one.",
    details: { size, maxBytes },
  }),
  splice_misplaced: ({ start, end, problem }: { path?: string; start: number; end: number; problem: string }) => ({
    kind: "invalid_input",
    why: `The splice ${start}-${end} ${problem}.`,
    next: "Count from 0 in the text that the function is given, and let no two splices overlap.",
  }),
} satisfies Catalogue;

/** What a caller should know although its change is made. */
export const CHANGE_WARNINGS = {
  rebased: (path: string, isChange: boolean) =>
    `${path} had changed since the version you named; your edit ${isChange ? "was applied to" : "changes nothing in"} the newer version.`,
  changed_since_read: (path: string) =>
    `${path} has changed since you read it; read it again to see what else is different.`,
  line_ends_kept: (path: string, eol: string) =>
    `${path}: ${eol === "mixed" ? "each line kept its own line ending, CRLF or LF" : `line endings kept as ${eol.toUpperCase()}`}.`,
  link_leads_elsewhere: (path: string, before: string, now: string) =>
    `${path} is a relative link: it now leads to ${now}, no longer to ${before}.`,
  not_remembered: (isMade: boolean, why: string) => {
    const lost = "hat you have seen of the file could not be written down: read it again before";
    return isMade ? `The change was made, but w${lost} the next change. ${why}` : `W${lost} you change it. ${why}`;
  },
};
