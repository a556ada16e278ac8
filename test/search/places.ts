// The three ways a search can run, with the same files: in memory, on disk with ripgrep, on disk without it.
import type { CallOptions, Path, Session, WorkspaceOptions } from "stet";
import { type FindRequest, findFiles, type GrepRequest, type GrepResult, grep } from "stet/search";
import { directoryWith, memoryWorkspace, workspaceIn } from "../support/workspace.ts";

export type Files = Readonly<Record<string, string | Uint8Array>>;

export interface Place {
  find(request: Partial<FindRequest>, options?: CallOptions): ReturnType<typeof findFiles>;
  grep(request: Partial<GrepRequest> & { pattern: string }, options?: CallOptions): Promise<GrepResult>;
}

export const PLACES: readonly (readonly [name: string, open: (files: Files, options?: WorkspaceOptions) => Place])[] = [
  ["memory", (files, options) => placeOf(memoryWorkspace(files, options).session(), "javascript")],
  ["disk", (files, options) => placeOf(diskSession(directoryWith(files), options), "ripgrep")],
  ["disk without ripgrep", (files, options) => placeOf(diskSession(directoryWith(files), options), "javascript")],
];

export function diskSession(root: string, options?: WorkspaceOptions): Session {
  return workspaceIn(root, options).session();
}

export function placeOf(session: Session, engine: GrepResult["engine"]): Place {
  const root = "" as Path;
  return {
    find: (request, options) =>
      withEngine(engine, () => findFiles(session, { root, limit: 1000, ...request }, options)),
    grep: (request, options) => withEngine(engine, () => grep(session, { root, limit: 1000, ...request }, options)),
  };
}

/** Searches that run at the same time share the setting; the last of them takes it back. */
async function withEngine<T>(engine: GrepResult["engine"], work: () => Promise<T>): Promise<T> {
  if (engine !== "javascript") return work();
  if (inJavaScript === 0) before = process.env.STET_SEARCH;
  inJavaScript++;
  process.env.STET_SEARCH = "javascript";
  try {
    return await work();
  } finally {
    inJavaScript--;
    if (inJavaScript === 0 && before === undefined) delete process.env.STET_SEARCH;
    else if (inJavaScript === 0) process.env.STET_SEARCH = before;
  }
}

let inJavaScript = 0;
let before: string | undefined;

/** "path:line:column:text" */
export function shown({ hits }: GrepResult): string[] {
  return hits.map(({ path, line, column, text }) => `${path}:${line}:${column}:${text}`);
}
