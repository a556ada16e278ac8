// The six operations: their shapes, and the check that turns what a caller sent into them or says what is wrong.
import { Refusal } from "../../core/failure.ts";
import { splitLines } from "../text/lines.ts";
import { preview } from "./lines.ts";

export interface SingleAnchor {
  /** 4 to 32 characters of a line hash or of a context hash, or both parts as shown: "12#a1b2c3". */
  readonly hash: string;
  /** Which of several lines with this hash, 1-based. */
  readonly occurrence?: number;
  /** The line number shown beside the hash. Advisory: the hash decides, the number separates equal lines. */
  readonly line?: number;
}

export interface RangeAnchors {
  readonly start_hash: string;
  readonly end_hash: string;
}

export type AnchorOperation =
  | ({ readonly op: "replace_line" | "insert_after" | "insert_before"; readonly content: string } & SingleAnchor)
  | ({ readonly op: "delete_line" } & SingleAnchor)
  | ({ readonly op: "replace_range"; readonly content: string } & RangeAnchors)
  | ({ readonly op: "delete_range" } & RangeAnchors);

export type OperationName = AnchorOperation["op"];

/** One anchor of an operation, parsed. */
export interface Anchor {
  readonly field: "hash" | "start_hash" | "end_hash";
  readonly given: string;
  readonly prefix: string;
  readonly line?: number;
  readonly occurrence?: number;
}

/** A number or an occurrence that was sent beside the hash names the line that is not meant. */
export function withoutPosition({ given, line, occurrence }: Anchor): string {
  const sent = [...(line !== undefined && !given.includes("#") ? ["line"] : []), ...(occurrence ? ["occurrence"] : [])];
  return sent.length === 0 ? "" : ` without "${sent.join('" and "')}"`;
}

export interface ParsedOperation {
  /** Position in the batch, 1-based, as refusals name it. */
  readonly number: number;
  readonly op: OperationName;
  /** One anchor, or the two ends of a range. */
  readonly anchors: readonly [Anchor] | readonly [Anchor, Anchor];
  /** The new lines; none for a deletion. One trailing newline of the content only ends its last line. */
  readonly lines: readonly string[];
}

const SINGLE: readonly string[] = ["hash", "occurrence", "line"];
const RANGE: readonly string[] = ["start_hash", "end_hash"];
const FIELDS: Readonly<Record<OperationName, readonly string[]>> = {
  replace_line: [...SINGLE, "content"],
  insert_after: [...SINGLE, "content"],
  insert_before: [...SINGLE, "content"],
  delete_line: SINGLE,
  replace_range: [...RANGE, "content"],
  delete_range: RANGE,
};

/** Null counts as absent and numbers may come as digits in a string; everything else must be as documented. */
export function parseOperations(operations: unknown): ParsedOperation[] {
  if (!Array.isArray(operations)) throw invalid("operations must be an array of operations.");
  if (operations.length === 0) {
    throw new Refusal("empty_operations", "operations is empty: there is nothing to do.", {
      next: "Provide at least one operation.",
      details: { suggested_action: "provide_at_least_one_operation" },
    });
  }
  return operations.map((operation: unknown, at) => parseOperation(operation, at + 1));
}

function parseOperation(given: unknown, number: number): ParsedOperation {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw invalid(`Operation ${number} must be an object with an "op".`);
  }
  const fields = new Map(Object.entries(given).filter(([, value]) => value !== null && value !== undefined));
  const op = fields.get("op");
  if (!isOperationName(op)) {
    throw invalid(`Operation ${number} needs an "op" that is one of ${Object.keys(FIELDS).join(", ")}.`);
  }
  const where = `Operation ${number} (${op})`;
  refuseOtherFields(op, where, fields);
  const lines = FIELDS[op].includes("content") ? contentLines(where, fields) : [];
  const single = FIELDS[op].includes("hash");
  return {
    number,
    op,
    lines,
    anchors: single
      ? [parseAnchor(where, "hash", fields)]
      : [parseAnchor(where, "start_hash", fields), parseAnchor(where, "end_hash", fields)],
  };
}

function isOperationName(op: unknown): op is OperationName {
  return typeof op === "string" && Object.hasOwn(FIELDS, op);
}

function refuseOtherFields(op: OperationName, where: string, fields: ReadonlyMap<string, unknown>): void {
  // An empty content says nothing that a deletion does not already say.
  const others = [...fields.keys()].filter(
    (name) => name !== "op" && !FIELDS[op].includes(name) && !(name === "content" && fields.get(name) === ""),
  );
  if (others.length === 0) return;
  const advice = FIELDS[op].includes("hash")
    ? 'Single-line operations take one "hash"; only replace_range and delete_range take "start_hash" and "end_hash".'
    : 'Range operations take "start_hash" and "end_hash"; a line number goes in front of the hash, as in "12#a1b2c3".';
  throw invalid(`${where} does not take ${others.map((name) => `"${name}"`).join(", ")}. ${advice}`);
}

function contentLines(where: string, fields: ReadonlyMap<string, unknown>): string[] {
  const content = fields.get("content");
  if (typeof content !== "string") throw invalid(`${where} needs "content", a string with the new text.`);
  return content === "" ? [""] : splitLines(content).map((line) => line.text);
}

// As it is shown: `12#a1b2c3 [high]` in a file, `(ctx=575a0972)` where several lines have the hash.
const ANCHOR = /^\(?(?:(\d{1,9})?#)?(?:(?:hash|ctx)=)?([0-9a-f]{4,32})\)?(?:\s*\[(?:low|med|high)\])?$/i;

function parseAnchor(where: string, field: Anchor["field"], fields: ReadonlyMap<string, unknown>): Anchor {
  const given = fields.get(field);
  if (typeof given !== "string") throw invalid(`${where} needs "${field}", the hash of a line as a string.`);
  const parts = ANCHOR.exec(given.trim());
  if (parts === null) throw unreadableAnchor(where, field, given);
  const inHash = parts[1] === undefined ? undefined : Number(parts[1]);
  const line = field === "hash" ? positive(where, "line", fields) : undefined;
  if (inHash === 0) throw unreadableAnchor(where, field, given);
  if (line !== undefined && inHash !== undefined && line !== inHash) {
    throw invalid(`${where} names two lines: "${field}" says ${inHash} and "line" says ${line}.`);
  }
  const occurrence = field === "hash" ? positive(where, "occurrence", fields) : undefined;
  const hint = line ?? inHash;
  return {
    field,
    given: given.trim().replace(/\s*\[.*$/, ""),
    prefix: parts[2]!.toLowerCase(),
    ...(hint !== undefined && { line: hint }),
    ...(occurrence !== undefined && { occurrence }),
  };
}

function positive(where: string, name: string, fields: ReadonlyMap<string, unknown>): number | undefined {
  const given = fields.get(name);
  if (given === undefined) return undefined;
  const value = typeof given === "string" && /^\d+$/.test(given.trim()) ? Number(given) : given;
  if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return value;
  throw invalid(`${where}: "${name}" must be a whole number from 1 up.`);
}

function unreadableAnchor(where: string, field: string, given: string): Refusal {
  const shownGiven = preview(given, 60);
  return new Refusal(
    "anchor_not_found",
    `${where}: "${field}" is ${JSON.stringify(shownGiven)}, which is not an anchor. An anchor is 4 to 32 hex characters such as "a1b2c3", with or without its line number: "12#a1b2c3".`,
    {
      next: "Copy the 6 characters after the # of the line you mean.",
      details: { suggested_action: "reformat_anchor", anchor: field, hash: shownGiven },
    },
  );
}

function invalid(why: string): Refusal {
  return new Refusal("invalid_input", why, {
    next: "Correct the operation and send the whole batch again.",
    details: { suggested_action: "correct_operation" },
  });
}
