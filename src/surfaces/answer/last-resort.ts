// What to do about a refusal that does not say it: no model is left with a bare no.
import type { Failure, FailureKind } from "../../core/failure.ts";

export function withNext(failure: Failure): Failure {
  if (failure.suggestedAction !== undefined && failure.suggestedAction !== "") return failure;
  return { ...failure, suggestedAction: nextFor(failure.kind) };
}

/** Names no tool and no parameter, so it holds for whatever is offered. */
export function nextFor(kind: FailureKind): string {
  return NEXT[kind] ?? OTHERWISE;
}

const OTHERWISE = "Correct the call and try again; if it is refused again, tell the owner of the workspace.";
const LATER = "Try again; if it is refused again, tell the owner of the workspace.";

const NEXT: Readonly<Partial<Record<FailureKind, string>>> = {
  not_found: "Check the path.",
  already_exists: "Choose another path.",
  stale_file: "Read the file again and re-apply your change.",
  invalid_path: "Use another path.",
  outside_workspace: "Use a path inside the workspace.",
  permission_denied: "Go on without it, or ask the owner of the workspace.",
  path_changed: LATER,
  not_a_file: "Name a file.",
  not_a_directory: "Name a directory.",
  binary_file: "Leave it as it is: it is not text.",
  file_too_large: "Use a smaller file, or less text.",
  cancelled: "Call it again if it is still wanted.",
  timeout: "Try again, or ask for less in one call.",
  io_error: LATER,
  disk_full: LATER,
  busy: LATER,
  journal_damaged: "Tell the owner of the workspace.",
  not_kept: "Go on without that version: it cannot be brought back.",
  unsupported: "Do it another way, or leave it.",
};
