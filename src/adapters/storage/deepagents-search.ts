// Listings and searches as deepagents takes them: paths from the root on.
import { CALL_LIMITS } from "../../core/limits.ts";
import { withoutCr } from "../../edit/text/lines.ts";
import type { CallOptions, Session } from "../../kernel/session.ts";
import { displayable } from "../../kernel/text/text.ts";
import { findFiles, grep, listDirectory } from "../../search/index.ts";
import { leavingOut } from "../../surfaces/workspace/excludes.ts";
import { rooted } from "../parts/framework-paths.ts";
import type { FileInfo } from "./deepagents-types.ts";

export async function entries(session: Session, path: string, call: CallOptions) {
  const request = { depth: 1, hidden: true, limit: CALL_LIMITS.results };
  const { entries } = await listDirectory(session, path, request, call);
  return { files: entries.map((entry) => infoOf({ ...entry, kind: entry.type })) };
}

export async function fitting(session: Session, path: string, pattern: string, call: CallOptions) {
  const { path: root } = await session.resolve(path, "search", call);
  const request = { root, pattern: pattern.replace(/^\/+/, ""), limit: CALL_LIMITS.results, ...leavingOut(undefined) };
  const { files, truncated } = await findFiles(session, request, call);
  return { files: files.map(infoOf), truncated };
}

export async function lines(
  session: Session,
  path: string,
  {
    pattern,
    glob,
    maxCount,
  }: { pattern: string; glob?: string | null | undefined; maxCount?: number | null | undefined },
  call: CallOptions,
) {
  const { path: root } = await session.resolve(path, "search", call);
  const limit = Math.min(maxCount ?? CALL_LIMITS.results, CALL_LIMITS.results);
  const { hits, truncated } = await grep(
    session,
    {
      root,
      pattern,
      literal: true,
      caseSensitive: true,
      firstPerLine: true,
      limit,
      ...(glob != null && { include: [glob] }),
      ...leavingOut(undefined),
    },
    call,
  );
  return {
    matches: hits.map((hit) => ({ path: rooted(hit.path), line: hit.line, text: displayable(withoutCr(hit.text)) })),
    truncated,
  };
}

function infoOf(file: {
  readonly path: string;
  readonly kind: string;
  readonly size: number;
  readonly mtimeMs: number;
}): FileInfo {
  const is_dir = file.kind === "directory";
  const path = rooted(file.path) + (is_dir ? "/" : "");
  return { path, is_dir, size: is_dir ? 0 : file.size, modified_at: new Date(file.mtimeMs).toISOString() };
}
