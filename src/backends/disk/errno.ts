// The one place where an error of the operating system becomes a refusal.
import { type FailureKind, Refusal } from "../../core/failure.ts";
import { shown } from "../../core/printable.ts";

/** `doing` completes "Could not … 'path'". What is not an error of the operating system is a defect and thrown as it is. */
export function refusalOf(error: unknown, path: string, doing: string): Refusal {
  if (error instanceof Refusal) return error;
  const code = errnoOf(error);
  if (code === undefined) throw error;
  const [kind, reason, next] = MEANINGS[code] ?? [
    "io_error",
    "the system reported an error",
    "Look at the disk and at the system log.",
  ];
  return new Refusal(kind, `Could not ${doing} ${shown(path)}: ${reason} (${code}).`, {
    path,
    next,
    details: { errno: code },
    cause: error,
  });
}

export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("errno" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

type Meaning = readonly [kind: FailureKind, reason: string, next: string];

const FULL: Meaning = ["disk_full", "there is no space left", "Free some space, then retry."];
const DENIED: Meaning = ["permission_denied", "permission denied", "Ask the owner for access, or use another path."];
const BUSY: Meaning = ["busy", "it is in use", "Wait a moment, then retry."];
const CROWDED: Meaning = ["busy", "too many files are open", "Wait a moment, then retry."];
const TOO_LARGE: Meaning = ["file_too_large", "it is too large for this file system", "Write less, or split the file."];
const BAD_NAME: Meaning = ["invalid_path", "the file system does not take this name", "Use a shorter, simpler name."];
const MOVED: Meaning = ["path_changed", "it was replaced meanwhile", "Resolve the path again and retry."];

const MEANINGS: Readonly<Record<string, Meaning>> = {
  ENOENT: ["not_found", "it does not exist", "Check the path."],
  EEXIST: ["already_exists", "it exists already", "Read it first, or use another name."],
  ENOTDIR: ["not_a_directory", "a part of the path is not a directory", "Check the path."],
  EISDIR: ["not_a_file", "it is a directory", "Name a file inside it."],
  ENOTEMPTY: ["already_exists", "a directory with content is there", "Use another name."],
  ENXIO: ["not_a_file", "it is not a regular file", "Use a regular file."],
  ELOOP: MOVED,
  ESTALE: MOVED,
  ENAMETOOLONG: BAD_NAME,
  EILSEQ: BAD_NAME,
  EINVAL: BAD_NAME,
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: ["permission_denied", "the file system is read-only", "Use another path."],
  ENOSPC: FULL,
  EDQUOT: FULL,
  EFBIG: TOO_LARGE,
  EOVERFLOW: TOO_LARGE,
  EMFILE: CROWDED,
  ENFILE: CROWDED,
  EBUSY: BUSY,
  ETXTBSY: BUSY,
  EAGAIN: BUSY,
};
