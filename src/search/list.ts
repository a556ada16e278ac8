// A directory tree, level by level, so that a cut list has what lies nearest.
import { COUNT, FLAG, strictOptions } from "../api/options.ts";
import type { Listed, Path, Resolved } from "../core/backend.ts";
import type { Deadline } from "../core/deadline.ts";
import { Refusal } from "../core/failure.ts";
import { yieldEvery } from "../core/yield-every.ts";
import { withNearNames } from "../kernel/read/near-names.ts";
import type { CallOptions, Session } from "../kernel/session.ts";
import { refuse } from "../words/index.ts";
import { openCall } from "./call.ts";
import { comparePaths } from "./engine.ts";

/** One name in a directory. */
export interface ListedEntry extends Listed {
  /** A link is not followed. */
  readonly type: "file" | "directory" | "symlink";
  /** 1: directly in the directory that was asked for. */
  readonly depth: number;
}

/** What of a directory is wanted. */
export interface ListRequest {
  /** How many levels; 1 is what lies directly in it. */
  readonly depth: number;
  /** Also names that begin with a dot. */
  readonly hidden: boolean;
  /** Levels after the one that passes it are not looked at. */
  readonly limit: number;
  /** Whether to find out if something lies below the last level. */
  readonly lookDeeper?: boolean;
}

const ORDER = { directory: 0, file: 1, symlink: 2 } as const;

/** What is in a directory. */
export interface ListResult {
  /** Where it is. */
  readonly path: Path;
  /** Sorted by depth, type and name; the last level may pass the limit. */
  readonly entries: readonly ListedEntry[];
  /** Something lies below the last level; false where that was not looked at. */
  readonly deeper: boolean;
}

const REQUEST = strictOptions<ListRequest>({ depth: COUNT, hidden: FLAG, limit: COUNT, lookDeeper: FLAG });

/** What is in a directory, level by level. Links are not followed; what the policy hides is not there. */
export async function listDirectory(
  session: Session,
  path: string,
  request: ListRequest,
  call: CallOptions = {},
): Promise<ListResult> {
  const { deadline } = openCall(session, request, REQUEST, call);
  const { depth, hidden, limit, lookDeeper = false } = request;
  const at = await session.resolve(path, "list", call);
  if (at.kind !== "directory") throw await noDirectory(session, at);
  const found: ListedEntry[] = [];
  let directories: readonly Path[] = [at.path];
  let deeper = false;
  const levels = depth + (lookDeeper ? 1 : 0);
  for (let level = 1; level <= levels && found.length <= limit && directories.length > 0; level++) {
    const entries: ListedEntry[] = [];
    for (const directory of directories) {
      deadline.check();
      for (const entry of await visible(session, directory, { hidden, depth: level, deadline })) entries.push(entry);
      deeper = level > depth && entries.length > 0;
      if (deeper) break;
    }
    if (level > depth) break;
    entries.sort(
      (a, b) => ORDER[a.type] - ORDER[b.type] || comparePaths(a.name, b.name) || comparePaths(a.path, b.path),
    );
    for (const entry of entries) found.push(entry);
    directories = entries.filter(({ type }) => type === "directory").map(({ path }) => path);
  }
  return { path: at.path, entries: found, deeper };
}

async function noDirectory({ workspace }: Session, { path, kind }: Resolved): Promise<Refusal> {
  if (kind === "file") return refuse("file_listed", { path });
  if (kind !== "absent") return refuse("special_file", { path });
  return withNearNames(workspace, refuse("directory_missing", { path }));
}

async function visible(
  session: Session,
  directory: Path,
  { hidden, depth, deadline }: { hidden: boolean; depth: number; deadline: Deadline },
): Promise<ListedEntry[]> {
  const { backend, policy } = session.workspace;
  const entries: ListedEntry[] = [];
  const yieldNow = yieldEvery();
  try {
    for await (const listed of backend.list(directory)) {
      await yieldNow();
      deadline.check();
      const type = typeOf(listed.kind);
      if (type === undefined || (!hidden && listed.name.startsWith("."))) continue;
      if (policy.allows(listed.path, "list")) entries.push({ ...listed, type, depth });
    }
  } catch (error) {
    // A directory below that is gone or closed by now hides its own entries, not those of the others.
    deadline.check();
    if (depth === 1 || !(error instanceof Refusal)) throw error;
  }
  return entries;
}

function typeOf(kind: string): ListedEntry["type"] | undefined {
  if (kind === "link") return "symlink";
  return kind === "file" || kind === "directory" ? kind : undefined;
}
