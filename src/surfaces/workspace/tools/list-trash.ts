// list_trash: what restore_file can bring back.
import * as z from "zod";
import { printable } from "../../../core/printable.ts";
import { listTrash, type Trashed } from "../../../kernel/history/trash.ts";
import { deadlineOf } from "../../../kernel/progress.ts";
import { plural } from "../../../words/plural.ts";
import { defineTool } from "../../tool.ts";
import { PATH_ALIASES } from "../fields.ts";
import { pathIn } from "../paths.ts";

export const list_trash = defineTool({
  name: "list_trash",
  title: "List trash",
  description: "List deleted files, newest first; restore_file brings them back.",
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
