// The words of this dialect: complete sentences that name the path as it was given. `details.code` marks them.
import { type Failure, Refusal } from "../../kernel/failure.ts";
import type { Params } from "./params.ts";
import type { Place } from "./place.ts";

/** The refusal in the words of this dialect, where it has some. */
export function inDialect(refusal: Refusal, params: Params, place: Place): Refusal {
  const { failure } = refusal;
  const path = "file_path" in params ? params.file_path : "";
  const { code, message } = wordsFor(failure, path, params, place) ?? {};
  if (message === undefined) return refusal;
  return new Refusal(failure.kind, message, {
    path,
    recoverable: failure.recoverable,
    cause: refusal,
    details: { ...failure.details, code },
    ...(failure.suggestedAction !== undefined && { next: failure.suggestedAction }),
  });
}

function wordsFor({ kind, details }: Failure, path: string, params: Params, { mode, root }: Place) {
  if (kind === "not_found") {
    return {
      code: "FileNotFound",
      message: `File '${path}' not found. Please check the file path and ensure the file exists.`,
    };
  }
  if (kind === "old_text_not_found" && params.command === "edit") {
    const message = `String '${params.old_string}' not found in file '${path}'. Please check the exact text to replace.`;
    return { code: "StringNotFound", message };
  }
  if (mode === "store") return undefined;
  if (kind === "outside_workspace") {
    const message = `Access denied: path '${path}' is outside the configured filesystem root '${root}'. Only paths within the root are allowed in sandbox mode.`;
    return { code: "PathOutsideRoot", message };
  }
  if (kind !== "permission_denied" || details?.rule === undefined) return undefined;
  const message = `PolicyDenied: operation '${details.action}' on '${path}' denied by rule '${details.rule}' under root '${root}'`;
  return { code: "PolicyDenied", message };
}

export function filesText({ kind, message, details }: Failure): string | undefined {
  if (kind === "invalid_input" && details?.code !== "RootMismatch") return `Invalid parameters: ${message}`;
  return details?.code === undefined ? undefined : message;
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
  const why = `Access denied: '${path}' is a symbolic link. Symbolic links are not allowed in sandbox mode for security reasons.`;
  return new Refusal("permission_denied", why, { path, details: { code: "SymlinkDenied" } });
}
