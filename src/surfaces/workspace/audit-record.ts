// Journal entries as audit records: one record per file that was changed, one per change that was refused.

import { z } from "zod";
import type { Entry, EntryChange } from "../../backends/backend.ts";
import { elsewhereOf } from "../../kernel/history/elsewhere.ts";
import type { Action } from "../../kernel/policy.ts";
import { displayable } from "../../kernel/text.ts";
import { kindOf } from "./failure.ts";

export const auditRecord = z.object({
  seq: z.int(),
  timestamp: z.string(),
  sessionId: z.string(),
  agentName: z.string().optional(),
  toolName: z.string(),
  operation: z.enum(["create", "update", "delete", "move", "restore"]),
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
  if (entry.outcome === "refused") return refusedRecords(entry).map((record) => ({ ...common, ...record }));
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

/** Of entries that do not say what was to be done. */
const OPERATIONS_OF_TOOLS: Readonly<Record<string, Operation>> = {
  create_file: "create",
  restore_file: "restore",
  delete_file: "delete",
  move_file: "move",
};

const READING_TOOLS: ReadonlySet<string> = new Set([
  ...["read_file", "list_directory", "search_files", "glob", "audit_log", "list_trash"],
  ...["Read", "Glob", "Grep", "ls"],
]);

/** None, where nothing was to be changed: what was only to be read is in the journal, and no write. */
function refusedRecords(entry: Entry): Omit<AuditRecord, "seq" | "timestamp" | "sessionId" | "toolName">[] {
  const { tool, error, message, details } = entry;
  const paths = Array.isArray(details?.paths) ? details.paths.map(String) : [];
  const actions = Array.isArray(details?.actions) ? (details.actions as readonly Action[]) : undefined;
  const at = typeof details?.at === "number" ? details.at : 0;
  const operation = actions === undefined ? operationOfTool(tool) : OPERATIONS[actions[at]!];
  if (operation === undefined) return [];
  const [path = "", toPath] = operation === "move" ? movePaths(paths, actions, at) : [paths[at]];
  return [
    {
      operation,
      path,
      ...(toPath !== undefined && { toPath }),
      success: false,
      ...(message !== undefined && { error: displayable(message) }),
      ...(error !== undefined && { errorKind: kindOf(error) }),
    },
  ];
}

function operationOfTool(tool: string): Operation | undefined {
  return READING_TOOLS.has(tool) ? undefined : (OPERATIONS_OF_TOOLS[tool] ?? "update");
}

/** Where from and where to: the two paths of a move stand next to each other, and moves may follow one another. */
function movePaths(paths: readonly string[], actions: readonly Action[] = [], at: number): readonly string[] {
  let first = at;
  while (actions[first - 1] === "move") first--;
  const from = at - ((at - first) % 2);
  return paths.slice(from, from + 2);
}
