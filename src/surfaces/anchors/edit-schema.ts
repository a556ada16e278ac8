// What `edit` takes and gives.
import * as z from "zod";

const OPERATIONS = [
  "replace_line",
  "replace_range",
  "insert_after",
  "insert_before",
  "delete_line",
  "delete_range",
] as const;

/** Flat, since models fill flat objects best; which fields go with which op is checked when the operations are read. */
const operation = z.strictObject({
  op: z.enum(OPERATIONS),
  hash: z.string().optional().describe('Single-line ops: hash of the line, as "a1b2c3" or "12#a1b2c3".'),
  start_hash: z.string().optional().describe("Range ops: first line."),
  end_hash: z.string().optional().describe("Range ops: last line, inclusive."),
  content: z.string().optional().describe("New text of replace and insert ops."),
  occurrence: z.number().int().min(1).optional().describe("Which of several lines with this hash, from 1."),
  line: z.number().int().min(1).optional().describe("Line number shown beside the hash (advisory)."),
});

export const editInput = z.object({
  path: z.string().describe("File to edit."),
  operations: z.array(operation).describe("Applied to one snapshot, all or none."),
  expected_file_version: z.string().optional().describe("Version the edit is for (fv_…). Another one is refused."),
  safety_check: z
    .enum(["strict", "warn", "off"])
    .default("strict")
    .describe("What to do when the result looks damaged: refuse, apply and warn, do not look."),
  dry_run: z.boolean().default(false).describe("Check everything, write nothing."),
  file_path: z.string().optional().describe("Deprecated: use path."),
});

/** One operation may be written flat, its fields beside `path`; beside `operations` they would be a second word on what to do. */
export function withOperations(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (given.operations != null || given.op == null) return given;
  const isField = ([name]: readonly [string, unknown]): boolean => Object.hasOwn(operation.shape, name);
  const fields = Object.entries(given);
  return {
    ...Object.fromEntries(fields.filter((field) => !isField(field))),
    operations: [Object.fromEntries(fields.filter(isField))],
  };
}

export type EditInput = z.output<typeof editInput>;

const correction = z.object({ type: z.string(), detail: z.string() });

/** One object for both outcomes: a dry run has no new version, a real edit has no `valid`. */
export const editOutput = z.object({
  ok: z.literal(true),
  path: z.string(),
  operations: z.number(),
  linesBefore: z.number(),
  linesAfter: z.number(),
  addedLines: z.number(),
  removedLines: z.number(),
  anchors_valid_through: z.number(),
  must_refresh_from_line: z.number(),
  safety_status: z.enum(["clean", "noted", "suspicious", "unchecked"]),
  safety_warnings: z.array(z.string()),
  baseline_continuity: z.enum(["clean", "mixed"]),
  writer_type: z.literal("edit"),
  auto_corrections: z.array(correction).optional(),
  deprecation_warnings: z.array(z.string()).optional(),
  new_anchors: z.array(z.string()).optional(),
  diff_preview: z.array(z.string()).optional(),
  file_version: z.string().optional(),
  sha256: z.string().optional(),
  snapshot_id: z.string().optional().describe("sha256 of the version before, which is kept."),
  syntax_check: z
    .object({ valid: z.boolean(), errors: z.array(z.object({ line: z.number(), message: z.string() })) })
    .optional(),
  dry_run: z.literal(true).optional(),
  valid: z.boolean().optional(),
  validated_at_file_version: z.string().optional(),
  invalidation_scope: z.object({ anchors_valid_through: z.number(), must_refresh_from_line: z.number() }).optional(),
});

export type EditData = z.output<typeof editOutput>;
