// list_trash: what can be brought back. restore_file: a deleted file, back from the trash, never over another.
import * as z from "zod";
import { printable } from "../../../core/printable.ts";
import { listTrash, looksLikeId, restore, type Trashed } from "../../../kernel/history/trash.ts";
import { deadlineOf } from "../../../kernel/progress.ts";
import type { Session } from "../../../kernel/session.ts";
import { plural } from "../../../words/plural.ts";
import { defineTool } from "../../tool.ts";
import { PATH_ALIASES, pathIn, proofFor } from "../fields.ts";

export const restore_file = defineTool({
  name: "restore_file",
  title: "Restore file",
  description: "Bring a deleted file back. Fails if its place is taken.",
  effect: "write",
  additive: true,
  actions: ["restore"],
  input: z.object({
    trashedPath: z.string().describe("Its id in the trash, or its old path"),
    targetPath: z.string().optional().describe("Where to, if not to its old path"),
  }),
  aliases: {
    trashedTo: "trashedPath",
    trashId: "trashedPath",
    trash_id: "trashedPath",
    trashed_path: "trashedPath",
    id: "trashedPath",
    path: "trashedPath",
    toPath: "targetPath",
    target_path: "targetPath",
  },
  output: z.object({
    restored: z.literal(true),
    path: z.string(),
    from: z.string(),
    sha256: z.string().optional(),
    sizeBytes: z.int(),
  }),
  refused: "Nothing was restored.",
  async run({ session, call, warn }, { trashedPath, targetPath }) {
    const idOrPath = await trashedAs(session, trashedPath);
    const to = targetPath === undefined ? {} : { to: pathIn(session, targetPath) };
    const { files, from, entry, warnings } = await restore(session, idOrPath, { ...call, ...to });
    warn(...warnings);
    const [file] = files;
    const sha256 = proofFor(file!, entry);
    const version = sha256 === undefined ? {} : { sha256 };
    return { restored: true as const, path: file!.path, from: from.id, ...version, sizeBytes: file!.size };
  },
  text: ({ path, sizeBytes, sha256 }) =>
    `Restored ${printable(path)} — ${sha256 === undefined ? "a symbolic link" : `${plural(sizeBytes, "byte")}, sha256=${sha256}`}`,
});

/** An id, or the path that the file had. */
async function trashedAs(session: Session, raw: string): Promise<string> {
  if (looksLikeId(raw)) return raw;
  const { backend } = session.workspace;
  return (await backend.resolve(pathIn(session, raw), { link: true, existed: true })).path;
}

export const list_trash = defineTool({
  name: "list_trash",
  title: "List trash",
  description: "List deleted files in the trash, newest first, with the ids that bring them back.",
  effect: "read",
  actions: ["read"],
  input: z.object({
    path: z.string().optional().describe("Only deletions of this path"),
    maxResults: z.int().min(1).default(100),
  }),
  aliases: { ...PATH_ALIASES, limit: "maxResults", max_results: "maxResults" },
  output: z.object({
    entries: z.array(
      z.object({
        trashedPath: z.string(),
        originalPath: z.string(),
        originalSha256: z.string(),
        sizeBytes: z.int(),
        trashedAt: z.string(),
        sessionId: z.string(),
        agentName: z.string().optional(),
        toolName: z.string(),
      }),
    ),
    truncated: z.boolean(),
  }),
  refused: "Nothing was listed.",
  async run({ session, call }, { path, maxResults }) {
    const { backend } = session.workspace;
    const at =
      path === undefined
        ? {}
        : { path: (await backend.resolve(pathIn(session, path), { link: true, existed: true })).path };
    const found: Trashed[] = [];
    const deadline = deadlineOf(session, call);
    for await (const item of listTrash(session.workspace, { ...at, deadline })) {
      deadline.check();
      found.push(item);
      if (found.length > maxResults) break;
    }
    const entries = found.slice(0, maxResults).map((item) => ({
      trashedPath: item.id,
      originalPath: item.path,
      originalSha256: item.sha,
      sizeBytes: item.size,
      trashedAt: item.deletedAt,
      sessionId: item.session,
      ...(item.agent !== undefined && { agentName: item.agent }),
      toolName: item.tool,
    }));
    return { entries, truncated: found.length > maxResults };
  },
  text({ entries, truncated }, { path }) {
    if (entries.length === 0)
      return path === undefined ? "The trash is empty." : `The trash has no ${printable(path)}.`;
    const lines = entries.map(
      ({ trashedPath, originalPath, sizeBytes, trashedAt, sessionId, agentName }) =>
        `${printable(trashedPath)}  ${printable(originalPath)} (${plural(sizeBytes, "byte")}) deleted ${printable(trashedAt)} by ${printable(agentName ?? sessionId)}`,
    );
    return [...lines, ...(truncated ? ["There are more: name a path or raise maxResults."] : [])].join("\n");
  },
});
