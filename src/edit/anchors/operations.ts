// The six operations: their types, and a parser that refuses malformed ones.
import { refuse } from "../../words/index.ts";
import { splitLines } from "../text/lines.ts";
import { startOf } from "./lines.ts";

export interface SingleAnchor {
  /** 4 to 32 characters of a line hash or context hash, also with its line number: "12#a1b2c3". */
  readonly hash: string;
  /** Which of several lines with this hash, 1-based. */
  readonly occurrence?: number;
  /** The line number beside the hash. The hash decides; the number distinguishes equal lines. */
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
  readonly line: number | undefined;
  readonly occurrence: number | undefined;
}

export interface ParsedOperation {
  /** Position in the batch, 1-based. */
  readonly number: number;
  readonly op: OperationName;
  /** A single anchor, or the two ends of a range. */
  readonly anchors: readonly [Anchor] | readonly [Anchor, Anchor];
  /** The new lines; none for a deletion. A trailing newline of the content starts no further line. */
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

/** Parses operations. Null counts as absent, and a number may be a string of digits. */
export function parseOperations(operations: unknown): ParsedOperation[] {
  if (!Array.isArray(operations)) throw refuse("operation_malformed", { problem: "no_list" });
  if (operations.length === 0) throw refuse("operations_empty", {});
  return operations.map((operation: unknown, at) => parseOperation(operation, at + 1));
}

function parseOperation(given: unknown, number: number): ParsedOperation {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw refuse("operation_malformed", { number, problem: "no_object" });
  }
  const fields = new Map(Object.entries(given).filter(([, value]) => value !== null && value !== undefined));
  const op = fields.get("op");
  if (!isOperationName(op)) throw refuse("operation_malformed", { number, problem: "op", names: Object.keys(FIELDS) });
  const named = { number, op };
  refuseOtherFields(named, fields);
  const lines = FIELDS[op].includes("content") ? contentLines(named, fields) : [];
  const single = FIELDS[op].includes("hash");
  const anchors = single
    ? ([parseAnchor(named, "hash", fields)] as const)
    : ([parseAnchor(named, "start_hash", fields), parseAnchor(named, "end_hash", fields)] as const);
  return { ...named, lines, anchors };
}

function isOperationName(op: unknown): op is OperationName {
  return typeof op === "string" && Object.hasOwn(FIELDS, op);
}

type Named = Pick<ParsedOperation, "number" | "op">;

function refuseOtherFields(named: Named, fields: ReadonlyMap<string, unknown>): void {
  const own = FIELDS[named.op];
  // A deletion may have an empty content.
  const names = [...fields.keys()].filter(
    (name) => name !== "op" && !own.includes(name) && !(name === "content" && fields.get(name) === ""),
  );
  if (names.length > 0) throw refuse("operation_malformed", { ...named, problem: "fields", names });
}

function contentLines(named: Named, fields: ReadonlyMap<string, unknown>): string[] {
  const content = fields.get("content");
  if (typeof content !== "string") throw refuse("operation_malformed", { ...named, problem: "content" });
  return content === "" ? [""] : splitLines(content).map((line) => line.text);
}

// Accepts anchors as shown: `12#a1b2c3 [high]` in a read, `(ctx=575a0972)` in a refusal.
const ANCHOR = /^\(?(?:(\d{1,9})?#)?(?:(?:hash|ctx)=)?([0-9a-f]{4,32})\)?(?:\s*\[(?:low|med|high)\])?$/i;

function parseAnchor(named: Named, field: Anchor["field"], fields: ReadonlyMap<string, unknown>): Anchor {
  const given = fields.get(field);
  if (typeof given !== "string") throw refuse("operation_malformed", { ...named, problem: "hash", field });
  const parts = ANCHOR.exec(given.trim());
  const inHash = parts?.[1] === undefined ? undefined : Number(parts[1]);
  const line = field === "hash" ? positive(named, "line", fields) : undefined;
  if (parts === null || inHash === 0) throw refuse("anchor_unreadable", { ...named, field, hash: startOf(given, 60) });
  if (line !== undefined && inHash !== undefined && line !== inHash) {
    throw refuse("operation_malformed", { ...named, problem: "lines", field, lines: [inHash, line] });
  }
  return {
    field,
    given: given.trim().replace(/\s*\[.*$/, ""),
    prefix: parts[2]!.toLowerCase(),
    line: line ?? inHash,
    occurrence: field === "hash" ? positive(named, "occurrence", fields) : undefined,
  };
}

function positive(named: Named, field: string, fields: ReadonlyMap<string, unknown>): number | undefined {
  const given = fields.get(field);
  if (given === undefined) return undefined;
  const value = typeof given === "string" && /^\d+$/.test(given.trim()) ? Number(given) : given;
  if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return value;
  throw refuse("operation_malformed", { ...named, problem: "number", field });
}
