// What the database says no with, in the words of stet; and whether it was the connection that failed, or the statement.
import { Refusal } from "../../../core/failure.ts";

const LOST_STATES = /^(?:08...|57P0[1-5]|25P03|25006)$/;
const LOST_CODES = new Set([
  "EPIPE",
  "ECONNRESET",
  "ECONNREFUSED",
  "ENOENT",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);
const LOST_WORDS =
  /Connection terminated|connection error|not queryable|Client was closed|read ECONNRESET|server closed the connection/i;

/** Shut down, crashed, not up yet, or a standby that was the primary: another connection may do better. */
export function isLost(error: unknown): boolean {
  if (error instanceof Refusal) return error.cause !== undefined && isLost(error.cause);
  const { code = "", message = "" } = error as { code?: string; message?: string };
  return LOST_STATES.test(code) || LOST_CODES.has(code) || LOST_WORDS.test(message);
}

/** The database itself said so. What else fails, fails on the way, and may have been done. */
export function isAnswer(error: unknown): boolean {
  return (error as { severity?: string }).severity !== undefined;
}

/** Another has a lock on what is asked for. */
export function isHeld(error: unknown): boolean {
  return (error as { code?: string }).code === "55P03";
}

/** One on the same connection was to prepare it, and failed, when this one was on its way. */
export function isUnprepared(error: unknown): boolean {
  return (error as { code?: string }).code === "26000";
}

const WORDS: Readonly<Record<string, readonly [Refusal["kind"], string, string?]>> = {
  "55P03": ["busy", "Another change of this workspace took too long.", "Try again."],
  "57014": ["busy", "The database ended a statement that took too long.", "Try again."],
  "53300": ["busy", "The database has no free connection.", "Try again in a moment."],
  "53100": ["disk_full", "The database has no space left."],
  "40001": ["busy", "Two changes got in each other's way in the database.", "Try again."],
  "40P01": ["busy", "Two changes waited for each other in the database.", "Try again."],
  "28P01": ["permission_denied", "The database does not accept this user and password."],
  "28000": ["permission_denied", "The database does not accept this user."],
  "42501": ["permission_denied", "The database does not allow this to its user."],
  "3D000": ["not_found", "There is no such database.", "Check its name, or make it with createdb."],
};

export function inWords(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const { code = "", message = "" } = error as { code?: string; message?: string };
  const known = WORDS[code];
  if (known !== undefined)
    return new Refusal(known[0], known[1], { ...(known[2] && { next: known[2] }), cause: error });
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return new Refusal("not_found", "The host of the database is not known.", {
      next: "Check its name.",
      cause: error,
    });
  if (/password must be a (?:non-empty )?string/.test(message))
    return new Refusal("permission_denied", "The database asks for a password, and none was given.", {
      next: "Give it as PGPASSWORD, or in ~/.pgpass.",
      cause: error,
    });
  if (/timeout exceeded when trying to connect/.test(message)) {
    return new Refusal("busy", "There is no free connection to the database.", { next: "Try again.", cause: error });
  }
  if (isLost(error)) {
    return new Refusal("io_error", "The database cannot be reached.", {
      next: "Try again in a moment.",
      recoverable: true,
      cause: error,
    });
  }
  return new Refusal("io_error", `The database failed: ${message || code}`, { cause: error });
}
