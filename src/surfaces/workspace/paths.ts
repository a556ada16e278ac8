// Paths in this dialect: relative to the root, or absolute where there is a directory that they can lie in.
import { Refusal } from "../../core/failure.ts";
import { splitPath } from "../../core/paths.ts";
import { shown } from "../../core/printable.ts";
import type { Session } from "../../kernel/session.ts";

/** Relative from here on, so that answers and refusals name no other. */
export function pathIn({ workspace: { backend } }: Session, raw: string): string {
  if (backend.directory !== undefined || !splitPath(raw).absolute) return backend.relative?.(raw) ?? raw;
  throw new Refusal("outside_workspace", `${shown(raw)} is an absolute path.`, {
    path: raw,
    next: "Use a path relative to the root of the workspace.",
  });
}

/** A directory to start from: "" and "." are the root. */
export function directoryIn(session: Session, raw: string): string {
  return raw.trim() === "" ? "." : pathIn(session, raw);
}
