// Deleted files: listed, and brought back.
import { listTrash, restore } from "../../kernel/history/trash.ts";
import type { AppliedAnswer, TrashAnswer, TrashLine } from "../wire.ts";
import { textIn, textOf } from "./request.ts";
import { sessionOf, type Visit, workspaceOf } from "./visit.ts";

const MAX = 500;

/** What the policy lets agents read: it is left out for the owner, too. */
export async function trash(visit: Visit): Promise<TrashAnswer> {
  const workspace = await workspaceOf(visit);
  const items: TrashLine[] = [];
  for await (const { id, path, size, deletedAt, agent, tool } of listTrash(workspace, { signal: visit.signal })) {
    if (items.length >= MAX) return { items, more: true };
    items.push({ id, path, size, deletedAt, tool, ...(agent !== undefined && { agent }) });
  }
  return { items, more: false };
}

export async function restoreTrashed(visit: Visit): Promise<AppliedAnswer> {
  const to = textIn(visit.fields, "to");
  const options = { tool: "page", signal: visit.signal, ...(to !== undefined && { to }) };
  const { entry, files, warnings } = await restore(await sessionOf(visit), textOf(visit.fields, "id"), options);
  return { ...(entry !== undefined && { entry: entry.seq }), files: files.length, warnings };
}
