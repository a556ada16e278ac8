// Paths as frameworks write them: "/" is the root of the workspace, and nothing is above it.
import type { Session } from "../../kernel/session.ts";

/** Relative to the root. A real absolute path counts as one where it lies in the workspace. */
export function relativeIn({ workspace: { backend } }: Session, path: string): string {
  return backend.relative?.(path) ?? (path.replace(/^\/+/, "") || ".");
}

/** As a framework writes it. */
export function rooted(path: string): string {
  return path === "." ? "/" : `/${path.replace(/^\/+/, "")}`;
}
