// The words of this dialect: complete sentences that name the path as it was given. `details.code` marks them.
import { type Failure, Refusal } from "../../kernel/failure.ts";
import { inWords } from "../call.ts";
import { followable } from "../followable.ts";
import { legible, legibleFailure, printable } from "../legible.ts";
import { changesText } from "../since-read.ts";
import type { AnyTool } from "../tool.ts";
import type { Params } from "./params.ts";
import type { Place } from "./place.ts";

/** The refusal in the words of this dialect, where it has some. */
export function inDialect(refusal: Refusal, params: Params, place: Place): Refusal {
  const { failure } = refusal;
  const path = "file_path" in params ? params.file_path : "";
  const words = wordsFor(failure, printable(path), params, place);
  return new Refusal(failure.kind, words?.message ?? failure.message, {
    ...(path !== "" && { path }),
    recoverable: failure.recoverable,
    cause: refusal,
    details: { ...failure.details, command: params.command, ...(words !== undefined && { code: words.code }) },
    ...(failure.suggestedAction !== undefined && { next: failure.suggestedAction }),
  });
}

/** What to do next, where the kernel speaks of what this tool does not have. */
const NEXT: Partial<Record<Failure["kind"], string>> = {
  stale_file: "Read the file again and re-apply your edit.",
  multiple_matches: "Give more of the text around it in old_string, or set replace_all.",
  not_a_file: "Name a file.",
  not_found: "Check the path; ls lists what is there.",
};

export function followed(given: Failure, tool: AnyTool): Failure {
  const failure = classified(legibleFailure(followable(given, tool)));
  const { code, changedSinceRead } = failure.details ?? {};
  const next = changedSinceRead === true || code === "ExpectedCountMismatch" ? undefined : NEXT[failure.kind];
  return next === undefined ? failure : { ...failure, suggestedAction: next };
}

/** What the schema found wrong, in the classes of this dialect. */
function classified(failure: Failure): Failure {
  const { kind, message, details } = failure;
  if (kind !== "invalid_input" || details?.code !== undefined) return failure;
  const [, code = "UNKNOWN_SCHEMA_ERROR"] = CLASSES.find(([words]) => words.test(message)) ?? [];
  return { ...failure, details: { ...details, code } };
}

const CLASSES: readonly (readonly [words: RegExp, code: string])[] = [
  [/` is missing\b/, "MISSING_REQUIRED"],
  [/` has no field `|^There is no parameter `/, "EXTRA_FIELD"],
  [/` must be (?!one of)/, "TYPE_MISMATCH"],
];

function wordsFor({ kind, details }: Failure, path: string, params: Params, { mode, root }: Place) {
  if (kind === "not_found" && params.command !== "write") {
    return {
      code: "FileNotFound",
      message: `File '${path}' not found. Please check the file path and ensure the file exists.`,
    };
  }
  if (kind === "old_text_not_found" && params.command === "edit") {
    const message = `String '${quoted(params.old_string)}' not found in file '${path}'. Please check the exact text to replace.`;
    return { code: "StringNotFound", message };
  }
  if (mode === "store") return undefined;
  if (kind === "outside_workspace") {
    const message = `Access denied: path '${path}' is outside the configured filesystem root '${root}'. Only paths within the root are allowed in sandbox mode.`;
    return { code: "PathOutsideRoot", message };
  }
  if (kind !== "permission_denied" || details?.rule === undefined || details.rule === "root") return undefined;
  const message = `PolicyDenied: operation '${details.action}' on '${path}' denied by rule '${details.rule}' under root '${root}'`;
  return { code: "PolicyDenied", message };
}

const LONGEST_QUOTE = 2000;

function quoted(text: string): string {
  return legible(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text);
}

export function filesText(failure: Failure): string | undefined {
  const { kind, message, details } = failure;
  if (kind === "invalid_input" && details?.code !== "RootMismatch")
    return `Invalid parameters: ${message}\n${failure.suggestedAction}`;
  if (details?.code !== undefined) return message + changesText(failure);
  return details?.command === "read" || details?.command === "ls"
    ? inWords(failure, `Nothing was ${details.command === "ls" ? "listed" : "read"}.`)
    : undefined;
}

/** `what` ends in "exceeds" or "exceeding". */
export function tooLarge(what: string, size: number, maxBytes: number, advice: string): Refusal {
  const sizes = `${size.toLocaleString("en-US")} bytes > ${maxBytes.toLocaleString("en-US")} bytes`;
  return new Refusal(
    "file_too_large",
    `${what} maximum size limit: ${sizes}. ${advice} or increase INSPECT_AGENTS_FS_MAX_BYTES.`,
    {
      details: { code: "FileTooLarge", size, maxBytes },
    },
  );
}

export function storeFull(size: number, maxBytes: number): Refusal {
  const sizes = `${size.toLocaleString("en-US")} bytes > ${maxBytes.toLocaleString("en-US")} bytes`;
  return new Refusal(
    "file_too_large",
    `The in-memory Files store would exceed its total limit: ${sizes}. Delete files that are no longer needed, write less, or have the owner increase STET_FS_STORE_BYTES.`,
    { details: { code: "StoreFull", size, maxBytes } },
  );
}

export function tooManyStores(most: number): Refusal {
  return new Refusal("too_many_files", `There are ${most} stores already, and that is the limit.`, {
    next: "Use one of them: the same `instance` as before, or none.",
    details: { code: "TooManyStores", most },
  });
}

export function deleteDisabled(path: string): Refusal {
  const why =
    "delete is disabled in sandbox mode; set INSPECT_AGENTS_FS_MODE=store to delete from the in-memory Files store";
  return new Refusal("unsupported", why, { path, details: { code: "SandboxUnsupported" } });
}

export function readOnly(path: string, command: string): Refusal {
  return new Refusal("permission_denied", `SandboxReadOnly: ${command} is disabled while the sandbox is read-only`, {
    path,
    details: { code: "SandboxReadOnly" },
  });
}

export function linkDenied(path: string): Refusal {
  const why = `Access denied: '${printable(path)}' is a symbolic link. Symbolic links are not allowed in sandbox mode for security reasons.`;
  return new Refusal("permission_denied", why, { path, details: { code: "SymlinkDenied" } });
}
