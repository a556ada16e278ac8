// The words of this dialect: complete sentences that name the path as it was given. `details.code` marks them.
import { inOrder, Refusal } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import type { RefusalDetails } from "../../core/refusal-details.ts";
import { didYouMean } from "../../words/plural.ts";
import type { Fault } from "../../words/workspace.ts";
import type { Dialect, Row, Rows, Said } from "../refusal.ts";
import type { Params } from "./params.ts";
import type { Place } from "./place.ts";

/** Where and how a command was refused, for its words. */
export interface At {
  readonly params: Params;
  readonly place: Pick<Place, "mode" | "root">;
}

const REFUSED: Readonly<Record<Params["command"], string>> = {
  ls: "Nothing was listed.",
  read: "Nothing was read.",
  write: "Nothing was changed.",
  edit: "Nothing was changed.",
  delete: "Nothing was changed.",
};

/** What the schema found wrong, in the classes of this dialect. */
const CLASSES: readonly (readonly [fault: Fault, code: string])[] = [
  ["missing", "MISSING_REQUIRED"],
  ["extra", "EXTRA_FIELD"],
  ["type", "TYPE_MISMATCH"],
];

const rows: Rows = {
  arguments_invalid: ({ facts: { faults } }) => {
    const [, code = "UNKNOWN_SCHEMA_ERROR"] = CLASSES.find(([fault]) => faults.includes(fault)) ?? [];
    return { details: { code } };
  },
  invalid_input: ({ details: { code = "UNKNOWN_SCHEMA_ERROR" } }) => ({ details: { code } }),
  // The older tools may be taken for those of this surface.
  tool_unknown: ({ facts: { name }, failure }) =>
    /^(?:ls|(?:read|write|edit|delete)_file)$/.test(name)
      ? { next: `${failure.suggestedAction} The owner can have it offered with STET_FS_LEGACY=true.` }
      : undefined,
  not_found: (said) => {
    const next = `Check the path${said.does("list") ? "; ls lists what is there" : ""}.`;
    const at = atOf(said);
    if (at === undefined || at.params.command === "write") return { next };
    const { nearest } = said.details;
    return {
      line: `File '${pathOf(at)}' not found. Please check the file path and ensure the file exists.`,
      why: Array.isArray(nearest) ? didYouMean(nearest) : "",
      next,
      details: { code: "FileNotFound" },
    };
  },
  old_text_not_found: notFound,
  already_applied: notFound,
  multiple_matches: ({ details: { code }, failure }) =>
    code === undefined
      ? { next: "Give more of the text around it in old_string, or set replace_all." }
      : { line: `${code}: expected ${failure.details?.expected}, got ${failure.details?.actual}` },
  stale_file: () => ({ next: "Read the file again and re-apply your edit." }),
  special_file: () => undefined,
  not_a_file: ({ details }) => (details.special === undefined ? { next: "Name a file." } : undefined),
  outside_workspace: (said) => {
    const at = inSandbox(said);
    return (
      at && {
        line: `Access denied: path '${pathOf(at)}' is outside the configured filesystem root '${at.place.root}'. Only paths within the root are allowed in sandbox mode.`,
        why: "",
        details: { code: "PathOutsideRoot" },
      }
    );
  },
  denied: (said) => {
    const at = inSandbox(said);
    const { rule, action } = said.facts;
    return (
      at && {
        line: `PolicyDenied: operation '${action}' on '${pathOf(at)}' denied by rule '${rule}' under root '${at.place.root}'`,
        why: rule === "readOnly" ? "The workspace is read-only." : "",
        details: { code: "PolicyDenied" },
      }
    );
  },
};

function notFound(said: Said<object>): Row | undefined {
  const at = atOf(said);
  if (at?.params.command !== "edit") return undefined;
  const { old_string: text } = at.params;
  const quoted = text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
  return {
    line: `String '${quoted}' not found in file '${pathOf(at)}'. Please check the exact text to replace.`,
    details: { code: "StringNotFound" },
  };
}

const LONGEST_QUOTE = 2000;

function atOf({ facts }: Said<object>): At | undefined {
  return (facts as { readonly at?: At }).at;
}

function inSandbox(said: Said<object>): At | undefined {
  const at = atOf(said);
  return at?.place.mode === "sandbox" ? at : undefined;
}

function pathOf({ params }: At): string {
  return "file_path" in params ? printable(params.file_path) : "";
}

/** Its own line first, then what the kernel knows. */
function below(said: Said, row: Row): Row {
  if (said.reason === "tool_unknown") return row;
  const { message, kind, suggestedAction } = said.failure;
  const { params } = atOf(said) ?? {};
  const details: RefusalDetails = { ...said.details, ...(params && { command: params.command }), ...row.details };
  const path = params && "file_path" in params ? { path: params.file_path } : {};
  const first = params === undefined ? "Nothing was done." : REFUSED[params.command];
  if (row.line !== undefined) return { first, ...row, ...path, details };
  if (kind === "invalid_input" && details.code !== "RootMismatch")
    return { ...row, line: `Invalid parameters: ${message}`, first: "Nothing was done.", why: "", ...path, details };
  if (details.code === undefined) return { ...row, ...(params && { first }), ...path, details };
  // Only this dialect refuses so, in words of its own.
  const saysNext = SAYING_NEXT.has(String(details.code));
  const line = saysNext ? inOrder([message, suggestedAction]) : message;
  return { ...row, line, lineSaysNext: saysNext, first, why: "", ...path, details };
}

const SAYING_NEXT: ReadonlySet<string> = new Set(["FileTooLarge", "StoreFull", "OffsetOutOfRange"]);

export const WORDS: Dialect = { rows, every: below };

/** `what` ends in "exceeds" or "exceeding". */
export function tooLarge(what: string, size: number, maxBytes: number, advice: string): Refusal {
  const next = `${advice} or increase INSPECT_AGENTS_FS_MAX_BYTES.`;
  return new Refusal("file_too_large", `${what} maximum size limit: ${sizes(size, maxBytes)}.`, {
    next,
    details: { code: "FileTooLarge", size, maxBytes },
  });
}

export function storeFull(size: number, maxBytes: number): Refusal {
  const next = "Delete files that are no longer needed, write less, or have the owner increase STET_FS_STORE_BYTES.";
  const why = `The in-memory Files store would exceed its total limit: ${sizes(size, maxBytes)}.`;
  return new Refusal("file_too_large", why, { next, details: { code: "StoreFull", size, maxBytes } });
}

function sizes(size: number, maxBytes: number): string {
  return `${size.toLocaleString("en-US")} bytes > ${maxBytes.toLocaleString("en-US")} bytes`;
}

export function tooManyStores(most: number): Refusal {
  return new Refusal("too_many_files", `There are ${most} stores already, and that is the limit.`, {
    next: "Use one of them: the same `instance` as before, or none.",
    details: { code: "TooManyStores", most },
  });
}

export function noInstance(): Refusal {
  return new Refusal("invalid_input", "`instance` names a store in memory, and sandbox mode has one directory.", {
    next: "Leave `instance` out to change the file in that directory.",
    details: { code: "EXTRA_FIELD", field: "instance" },
  });
}

export function deleteDisabled(path: string): Refusal {
  const why =
    "delete is disabled in sandbox mode; set INSPECT_AGENTS_FS_MODE=store to delete from the in-memory Files store";
  return new Refusal("unsupported", why, {
    path,
    next: "Leave the file where it is: only the owner sets the mode.",
    details: { code: "SandboxUnsupported" },
  });
}

export function readOnly(path: string, command: string): Refusal {
  return new Refusal("permission_denied", `SandboxReadOnly: ${command} is disabled while the sandbox is read-only`, {
    path,
    next: "Leave the files as they are: only the owner can make the sandbox writable.",
    details: { code: "SandboxReadOnly" },
  });
}

/** `link`: which part of the path it is. `target`: where the whole path leads; it may be of use. */
export function linkDenied(path: string, link: string, target: string, isOfUse: boolean): Refusal {
  const why = `Access denied: '${printable(link)}' is a symbolic link. Symbolic links are not allowed in sandbox mode for security reasons.`;
  return new Refusal("permission_denied", why, {
    path,
    next: isOfUse
      ? `Use ${printable(target)}, where the path leads.`
      : `Use another path: nothing is at ${printable(target)}, where this one leads.`,
    details: { code: "SymlinkDenied", link, target },
  });
}
