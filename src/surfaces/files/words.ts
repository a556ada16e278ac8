// The words of this dialect: complete sentences that name the path as it was given. `details.code` marks them.
import { type Failure, inOrder, Refusal } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import { didYouMean } from "../../words/names.ts";
import { followable } from "../answer/followable.ts";
import { legible, legibleFailure } from "../answer/legible.ts";
import { diffInWords, inWords } from "../call.ts";
import type { AnyTool } from "../tool.ts";
import type { Params } from "./params.ts";
import type { Place } from "./place.ts";

/** The refusal in the words of this dialect, where it has some: its own line first, then what the kernel knows. */
export function inDialect(refusal: Refusal, params: Params, place: Place): Refusal {
  const { failure } = refusal;
  const path = "file_path" in params ? params.file_path : "";
  const words = wordsFor(failure, printable(path), params, place);
  const known = words === undefined ? undefined : inOrder([REFUSED[params.command], words.more?.trimEnd()]);
  return new Refusal(failure.kind, words === undefined ? failure.message : `${words.message}\n${known}`, {
    ...(path !== "" && { path }),
    recoverable: failure.recoverable,
    cause: refusal,
    details: { ...failure.details, command: params.command, ...(words !== undefined && { code: words.code }) },
    ...(failure.suggestedAction !== undefined && { next: failure.suggestedAction }),
  });
}

const REFUSED: Readonly<Record<Params["command"], string>> = {
  ls: "Nothing was listed.",
  read: "Nothing was read.",
  write: "Nothing was changed.",
  edit: "Nothing was changed.",
  delete: "Nothing was changed.",
};

/** What to do next, where the kernel speaks of what this tool does not have. */
const NEXT: Partial<Record<Failure["kind"], string>> = {
  stale_file: "Read the file again and re-apply your edit.",
  multiple_matches: "Give more of the text around it in old_string, or set replace_all.",
  not_a_file: "Name a file.",
  not_found: "Check the path; ls lists what is there.",
};

export function followed(given: Failure, tool: AnyTool): Failure {
  const failure = classified(legibleFailure(followable(given, tool)));
  const { code, changedSinceRead, special } = failure.details ?? {};
  const own = changedSinceRead === true || special !== undefined || OWN_NEXT.has(String(code));
  const next = own ? given.suggestedAction : NEXT[failure.kind];
  return next === undefined ? failure : { ...failure, suggestedAction: next };
}

/** Of the older tools, which may be taken for those of this surface. */
export function namingSwitch(failure: Failure, name: string): Failure {
  if (!/^(?:ls|(?:read|write|edit|delete)_file)$/.test(name)) return failure;
  return {
    ...failure,
    suggestedAction: `${failure.suggestedAction} The owner can have it offered with STET_FS_LEGACY=true.`,
  };
}

/** Refusals of this dialect that know better what to do than their kind. */
const OWN_NEXT: ReadonlySet<string> = new Set(["ExpectedCountMismatch", "FileTooLarge", "StoreFull"]);

/** What the schema found wrong, in the classes of this dialect. */
function classified(failure: Failure): Failure {
  const { kind, message, details } = failure;
  if (kind !== "invalid_input" || details?.code !== undefined) return failure;
  const [, code = "UNKNOWN_SCHEMA_ERROR"] = CLASSES.find(([words]) => words.test(message)) ?? [];
  return { ...failure, details: { ...details, code } };
}

const CLASSES: readonly (readonly [words: RegExp, code: string])[] = [
  [/` is missing\b/, "MISSING_REQUIRED"],
  [/` has no fields? `|^There (?:is|are) no parameters? `/, "EXTRA_FIELD"],
  [/` must be (?!one of)/, "TYPE_MISMATCH"],
];

interface Words {
  readonly code: string;
  readonly message: string;
  /** Beyond the fixed words: where, and what is near. */
  readonly more?: string | undefined;
}

function wordsFor(failure: Failure, path: string, params: Params, { mode, root }: Place): Words | undefined {
  const { kind, details } = failure;
  if (kind === "not_found" && params.command !== "write") {
    const message = `File '${path}' not found. Please check the file path and ensure the file exists.`;
    const { nearest } = details ?? {};
    return { code: "FileNotFound", message, more: Array.isArray(nearest) ? didYouMean(nearest) : undefined };
  }
  if ((kind === "old_text_not_found" || kind === "already_applied") && params.command === "edit") {
    const message = `String '${quoted(params.old_string)}' not found in file '${path}'. Please check the exact text to replace.`;
    return { code: "StringNotFound", message, more: failure.message };
  }
  if (details?.code === "ExpectedCountMismatch") {
    const [message = "", more] = failure.message.split("\n");
    return { code: "ExpectedCountMismatch", message, more };
  }
  if (mode === "store") return undefined;
  if (kind === "outside_workspace") {
    const message = `Access denied: path '${path}' is outside the configured filesystem root '${root}'. Only paths within the root are allowed in sandbox mode.`;
    return { code: "PathOutsideRoot", message };
  }
  if (kind !== "permission_denied" || details?.rule === undefined || details.rule === "root") return undefined;
  const message = `PolicyDenied: operation '${details.action}' on '${path}' denied by rule '${details.rule}' under root '${root}'`;
  const more = details.rule === "readOnly" ? "The workspace is read-only." : undefined;
  return { code: "PolicyDenied", message, more };
}

const LONGEST_QUOTE = 2000;

function quoted(text: string): string {
  return legible(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text);
}

export function filesText(failure: Failure): string | undefined {
  const { kind, message, suggestedAction, details } = failure;
  const said = suggestedAction === undefined || message.includes(suggestedAction);
  const next = said ? "" : `\n${suggestedAction}`;
  if (kind === "invalid_input" && details?.code !== "RootMismatch")
    return `Invalid parameters: ${message}\nNothing was done.${next}`;
  if (details?.code !== undefined) return message + refusedLine(failure) + next + diffInWords(failure);
  return details?.command === "read" || details?.command === "ls"
    ? inWords(failure, REFUSED[details.command])
    : undefined;
}

/** What did not happen, below the fixed words that do not say it. */
function refusedLine({ message, details }: Failure): string {
  const line = REFUSED[details?.command as Params["command"]] ?? "Nothing was done.";
  return message.includes(line) ? "" : `\n${line}`;
}

/** `what` ends in "exceeds" or "exceeding". */
export function tooLarge(what: string, size: number, maxBytes: number, advice: string): Refusal {
  const next = `${advice} or increase INSPECT_AGENTS_FS_MAX_BYTES.`;
  return new Refusal("file_too_large", `${what} maximum size limit: ${sizes(size, maxBytes)}. ${next}`, {
    next,
    details: { code: "FileTooLarge", size, maxBytes },
  });
}

export function storeFull(size: number, maxBytes: number): Refusal {
  const next = "Delete files that are no longer needed, write less, or have the owner increase STET_FS_STORE_BYTES.";
  const why = `The in-memory Files store would exceed its total limit: ${sizes(size, maxBytes)}.`;
  return new Refusal("file_too_large", `${why} ${next}`, { next, details: { code: "StoreFull", size, maxBytes } });
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
