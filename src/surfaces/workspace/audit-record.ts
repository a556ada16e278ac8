// Journal entries as audit records: one record per file, refusals included.

import { z } from "zod";
import type { Entry, EntryChange } from "../../backends/backend.ts";
import { elsewhereOf } from "../../kernel/history/elsewhere.ts";
import { displayable } from "../../kernel/text.ts";
import { kindOf } from "./failure.ts";

export const auditRecord = z.object({
  seq: z.int(),
  timestamp: z.string(),
  sessionId: z.string(),
  agentName: z.string().optional(),
  toolName: z.string(),
  operation: z.enum(["create", "update", "delete", "move"]),
  path: z.string(),
  toPath: z.string().optional(),
  beforeSha256: z.string().optional(),
  afterSha256: z.string().optional(),
  diff: z.string().optional(),
  diffFrom: z.enum(["versions", "journal"]).optional(),
  elsewhere: z.literal(true).optional(),
  success: z.boolean(),
  error: z.string().optional(),
  errorKind: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
});
export type AuditRecord = z.output<typeof auditRecord>;

/** Without diffs, which take some work. */
export function recordsOf(entry: Entry): AuditRecord[] {
  const { seq, at, session, agent, tool, details } = entry;
  const common = {
    seq,
    timestamp: at,
    sessionId: session,
    ...(agent !== undefined && { agentName: agent }),
    toolName: tool,
    ...elsewhereOf(entry),
    ...(details !== undefined && { details }),
  };
  if (entry.outcome === "refused") return [{ ...common, ...refusedFields(entry) }];
  const movedAway = new Set(entry.changes.map(({ movedFrom }) => movedFrom));
  const kept = entry.changes.filter(({ path, to }) => to !== null || !movedAway.has(path));
  return kept.map((change) => ({ ...common, ...changeFields(change), success: true }));
}

/** Every path that a record speaks of; a refused patch may have named more than the record can show. */
export function pathsOf({ path, toPath, success, details }: AuditRecord): string[] {
  const named = !success && Array.isArray(details?.paths) ? details.paths.map(String) : [];
  return [path, ...(toPath === undefined ? [] : [toPath]), ...named];
}

function changeFields({ path, from, to, movedFrom }: EntryChange): Pick<AuditRecord, "operation" | "path" | "toPath"> {
  const versions = { ...(from !== null && { beforeSha256: from }), ...(to !== null && { afterSha256: to }) };
  if (movedFrom !== undefined) return { operation: "move", path: movedFrom, toPath: path, ...versions };
  return { operation: from === null ? "create" : to === null ? "delete" : "update", path, ...versions };
}

const OPERATIONS: Readonly<Record<string, AuditRecord["operation"]>> = {
  create_file: "create",
  restore_file: "create",
  delete_file: "delete",
  move_file: "move",
};

function refusedFields({
  tool,
  error,
  message,
  details,
}: Entry): Omit<AuditRecord, "seq" | "timestamp" | "sessionId" | "toolName"> {
  const [path, toPath] = Array.isArray(details?.paths) ? details.paths.map(String) : [];
  const operation = OPERATIONS[tool] ?? "update";
  return {
    operation,
    path: path ?? "",
    ...(operation === "move" && toPath !== undefined && { toPath }),
    success: false,
    ...(message !== undefined && { error: displayable(message) }),
    ...(error !== undefined && { errorKind: kindOf(error) }),
  };
}
