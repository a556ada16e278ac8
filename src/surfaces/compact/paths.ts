// Paths as this surface takes and gives them: Git Bash drives on Windows, absolute in results.
import { join } from "node:path";
import { Refusal } from "../../core/failure.ts";
import { shown } from "../../core/printable.ts";
import type { Session } from "../../kernel/session.ts";

/** Git Bash writes C:/Users as /c/Users. Elsewhere that is a path like any other. */
export function nativePath(raw: string, platform: NodeJS.Platform = process.platform): string {
  if (platform !== "win32") return raw;
  const [, drive, rest] = /^\/([A-Za-z])(\/.*)?$/s.exec(raw) ?? [];
  return drive === undefined ? raw : `${drive.toUpperCase()}:${rest ?? "/"}`;
}

/** Where other programs find it; in a workspace without a directory the root is "/". */
export function absolutePath(session: Session, path: string): string {
  const { directory } = session.workspace.backend;
  return directory === undefined ? `/${path}` : join(directory, path);
}

/** An absolute glob in the workspace, relative to its root; any other glob as it is. */
export function relativeGlob(session: Session, glob: string): { readonly glob: string; readonly fromRoot: boolean } {
  const native = nativePath(glob);
  if (native.split(/[\\/]/).includes("..")) throw outside(glob);
  if (!/^(?:\/|[A-Za-z]:[\\/])/.test(native)) return { glob, fromRoot: false };
  const { backend } = session.workspace;
  const relative = backend.relative === undefined ? native.slice(1) : backend.relative(native);
  if (relative === undefined) throw outside(glob);
  return { glob: relative === "." || relative === "" ? "*" : relative, fromRoot: true };
}

/** By its name a picture or a PDF. */
export function isMedia(path: string): boolean {
  return /\.(?:pdf|png|jpe?g|gif|webp|bmp|ico|svg|tiff?)$/i.test(path);
}

function outside(glob: string): Refusal {
  return new Refusal("outside_workspace", `The pattern ${shown(glob)} leads outside the directory that is searched.`, {
    path: glob,
    next: "Give a pattern that is relative to `path`, without `..`.",
  });
}
