// Paths as frameworks write them: "/" is the root of the workspace, and nothing is above it.
import { Refusal } from "../../core/failure.ts";
import { splitPath } from "../../core/paths.ts";
import type { Session } from "../../kernel/session.ts";

/**
 * Relative to the root. What begins with the name of something in the root is that: so listings and searches print it.
 * Only else may it be a real absolute path that lies in the workspace.
 */
export async function relativeIn(session: Session, path: string): Promise<string> {
  const virtual = belowRoot(path);
  const real = session.workspace.backend.relative?.(path);
  if (real === undefined || !path.startsWith("/")) return real ?? virtual;
  const [first] = splitPath(path).names;
  return first !== undefined && (await isIn(session, first)) ? virtual : real;
}

/** Relative to the root, and never a real absolute path: for frameworks whose own rules go by the path as it is written. */
export function onlyBelowRoot(path: string): string {
  const virtual = belowRoot(path);
  return splitPath(virtual).absolute ? `./${virtual}` : virtual;
}

/** Rules of such a framework see `/private/./k.txt`, or `\\` on Windows, as other files than those that are meant. */
export function refuseSecondSpelling(path: string): void {
  const meant = splitPath(path).names.join("/");
  if (!path.startsWith("/") || meant === path.split("/").filter(Boolean).join("/")) return;
  const why = `${path} is another spelling of ${rooted(meant)}.`;
  throw new Refusal("invalid_path", why, { path: meant || ".", next: `Use ${rooted(meant)} in its place.` });
}

/** As a framework writes it. */
export function rooted(path: string): string {
  return path === "." ? "/" : `/${path.replace(/^\/+/, "")}`;
}

function belowRoot(path: string): string {
  return path.replace(/^\/+/, "") || ".";
}

async function isIn({ workspace: { backend } }: Session, name: string): Promise<boolean> {
  try {
    return (await backend.resolve(name, { link: true })).kind !== "absent";
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
