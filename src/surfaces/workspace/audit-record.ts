// Journal entries as audit records: one record per file that was changed, one per change that was refused.
import * as z from "zod";
import type { Entry, EntryChange } from "../../core/backend.ts";
import { movedAway } from "../../kernel/history/entry.ts";
import { idsIn, type Trashed } from "../../kernel/history/trash.ts";
import type { Action } from "../../kernel/policy/policy.ts";
import { displayable } from "../../kernel/text/text.ts";
import { kindOf } from "./words.ts";

export const auditRecord = z.object({
  seq: z.int(),
  timestamp: z.string(),
  sessionId: z.string().optional(),
  agentName: z.string().optional(),
  toolName: z.string(),
  operation: z.enum(["create", "update", "delete", "move", "restore"]),
  path: z.string(),
  toPath: z.string().optional(),
  beforeSha256: z.string().optional(),
  afterSha256: z.string().optional(),
  trashedTo: z.string().optional(),
  overwroteSha256: z.string().optional(),
  overwroteTrashedTo: z.string().optional(),
  proof: z.string().optional(),
  diff: z.string().optional(),
  success: z.boolean(),
  error: z.string().optional(),
  errorKind: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
});
export type AuditRecord = z.output<typeof auditRecord>;

/** Without diffs, which take some work. `trashed`: those deletions of the entry that are still in the trash. */
export function recordsOf(entry: Entry, trashed: readonly Trashed[] = []): AuditRecord[] {
  const { seq, at, session, agent, tool, changes, details } = entry;
  const common = {
    seq,
    timestamp: at,
    // Who noticed what another program did is not who did it.
    ...(entry.outcome !== "external" && { sessionId: session, ...(agent !== undefined && { agentName: agent }) }),
    toolName: tool,
    ...(details !== undefined && { details }),
  };
  if (entry.outcome === "refused") return refusedRecords(entry).map((record) => ({ ...common, ...record }));
  const moved = movedAway(entry);
  const kept = changes.filter(({ path, to }) => to !== null || !moved.has(path));
  return kept.map((change) => ({ ...common, ...changeFields(change, entry, trashed), success: true }));
}

/** Every path that a record speaks of; a refused patch may have named more than the record can show. */
export function pathsOf({ path, toPath, success, details }: AuditRecord): string[] {
  const named = !success && Array.isArray(details?.paths) ? details.paths.map(String) : [];
  return [path, ...(toPath === undefined ? [] : [toPath]), ...named];
}

function changeFields(
  { path, from, to, movedFrom, proof }: EntryChange,
  entry: Entry,
  trashed: readonly Trashed[],
): Pick<AuditRecord, "operation" | "path"> & Partial<AuditRecord> {
  const trashId = trashed.find((each) => each.path === path)?.id;
  const after = to === null ? {} : { afterSha256: to };
  if (movedFrom !== undefined) {
    const source = entry.changes.find((each) => each.path === movedFrom);
    return {
      operation: "move",
      path: movedFrom,
      toPath: path,
      ...(source?.from != null && { beforeSha256: source.from }),
      ...after,
      ...(from !== null && !movedAway(entry).has(path) && { overwroteSha256: from }),
      ...(trashId !== undefined && { overwroteTrashedTo: trashId }),
      ...(source?.proof !== undefined && { proof: source.proof }),
    };
  }
  const restored = to !== null && idsIn(entry, "restored").length > 0;
  return {
    operation: restored ? "restore" : from === null ? "create" : to === null ? "delete" : "update",
    path,
    ...(from !== null && { beforeSha256: from }),
    ...after,
    ...(trashId !== undefined && { trashedTo: trashId }),
    ...(proof !== undefined && { proof }),
  };
}

type Operation = AuditRecord["operation"];

const OPERATIONS: Readonly<Partial<Record<Action, Operation>>> = {
  create: "create",
  write: "update",
  edit: "update",
  undo: "update",
  delete: "delete",
  purge: "delete",
  move: "move",
  restore: "restore",
};

/** None, where nothing was to be changed: what was only to be read is in the journal, and no write. */
function refusedRecords(entry: Entry): Omit<AuditRecord, "seq" | "timestamp" | "toolName">[] {
  const { error, message, details } = entry;
  const paths = Array.isArray(details?.paths) ? details.paths.map(String) : [];
  const [action] = Array.isArray(details?.actions) ? (details.actions as readonly Action[]) : [];
  // A call that named nothing was one that changes: of reads at least the path is known.
  const operation = action === undefined ? "update" : OPERATIONS[action];
  if (operation === undefined) return [];
  const proofs = Array.isArray(details?.proofs) ? details.proofs.map(String) : [];
  const proof = proofs.length === paths.length ? proofs[0] : undefined;
  const [path = "", toPath] = operation === "move" ? paths : [paths[0]];
  return [
    {
      operation,
      path,
      ...(toPath !== undefined && { toPath }),
      ...(proof !== undefined && { proof }),
      success: false,
      ...(message !== undefined && { error: displayable(message) }),
      ...(error !== undefined && { errorKind: kindOf(error) }),
    },
  ];
}
