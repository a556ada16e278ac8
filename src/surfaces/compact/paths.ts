// Paths as this surface takes and gives them: Git Bash drives on Windows, absolute in results.
import { join } from "node:path";
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

/** By its name a picture or a PDF. */
export function isMedia(path: string): boolean {
  return /\.(?:pdf|png|jpe?g|gif|webp|bmp|ico|svg|tiff?)$/i.test(path);
}
