// Edits by line hashes: turns a batch of operations on one text into splices, or refuses all of it.
import { strictOptions, validate } from "../../api/options.ts";
import { CALL_LIMITS } from "../../core/limits.ts";
import type { LineSpan } from "../../core/refusal-details.ts";
import { refuse } from "../../words/index.ts";
import { countLines } from "../text/lines.ts";
import { applySplices, type Splice } from "../text/splice.ts";
import {
  type AnchorIndex,
  type AnchorLine,
  anchorIndex,
  isNumbered,
  isShown,
  type Known,
  lineHash,
  refuseManyLines,
} from "./lines.ts";
import { type AnchorOperation, type OperationName, type ParsedOperation, parseOperations } from "./operations.ts";
import type { LowEntropyRule } from "./refuse.ts";
import { type AutoCorrection, resolveBatch, type Snapshot } from "./resolve.ts";
import { mergesOf, refuseOverlaps, splicesOf, type Target } from "./targets.ts";

export {
  ANCHOR_FORMAT_VERSION,
  type AnchorIndex,
  type AnchorLine,
  anchorIndex,
  contextHash,
  fileVersion,
  lineDigest,
  lineHash,
  type Quality,
} from "./lines.ts";
export type { AnchorOperation, OperationName } from "./operations.ts";
export type { LowEntropyRule } from "./refuse.ts";
export type { AnchoredDiff, AnchorView } from "./render.ts";
export type { AutoCorrection } from "./resolve.ts";

/** The caller's knowledge of the text, and how strict the edit is. */
export interface AnchorEditOptions extends Known {
  /** Whether a bracket or a blank line may be an anchor. */
  readonly lowEntropy?: LowEntropyRule | undefined;
}

const OPTIONS = strictOptions<AnchorEditOptions>({
  lowEntropy: true,
  shown: true,
  parts: true,
  numbered: true,
  repeated: true,
  older: true,
});

/** The result of an edit by hashes. */
export interface AnchorEdit {
  /** Splices of the text before. */
  readonly splices: readonly Splice[];
  /** The text after. */
  readonly text: string;
  /** Number of applied operations. */
  readonly operations: number;
  /** The lines that each operation names. */
  readonly targets: readonly ResolvedTarget[];
  /** Number of lines before. */
  readonly linesBefore: number;
  /** Number of lines after. */
  readonly linesAfter: number;
  /** Number of added lines. */
  readonly addedLines: number;
  /** Number of removed lines. */
  readonly removedLines: number;
  /** Anchors up to this line stay valid; later ones must be read again. */
  readonly anchorsValidThrough: number;
  /** The line after `anchorsValidThrough`. */
  readonly mustRefreshFromLine: number;
  /** Hashes of repeated lines that the edit adds or removes: without a number they may now mean another line. */
  readonly repeated: readonly string[];
  /** Corrections made without asking. */
  readonly autoCorrections: readonly AutoCorrection[];
  /** Notes for the caller. */
  readonly warnings: readonly string[];
}

/** The lines of an operation in the text before: 1-based and inclusive. */
export interface ResolvedTarget {
  readonly op: OperationName;
  readonly startLine: number;
  readonly endLine: number;
}

/** Applies operations that name lines of the text by their hashes, or throws a Refusal. */
export function editByAnchors(
  text: string,
  operations: readonly AnchorOperation[],
  options: AnchorEditOptions = {},
): AnchorEdit {
  validate(options, OPTIONS);
  const parsed = parseOperations(operations);
  refuseManyLines(text);
  const file: Snapshot = { index: anchorIndex(text), known: options };
  refusePastedAnchors(parsed, file);
  const { targets, corrections } = resolveBatch(parsed, file, options.lowEntropy ?? "explicit");
  refuseOverlaps(targets);

  const splices = splicesOf(file.index, targets);
  const after = applySplices(text, splices);
  if (after === text) throw refuse("edit_already_applied", { ...rangeOf(targets), how: "same" });
  const linesBefore = file.index.count;
  const addedLines = total(targets, ({ operation }) => operation.lines.length);
  const removedLines = total(targets, ({ from, to }) => to - from);
  const isMoved = ({ number }: AnchorLine) => isShown(number, options.shown) && !isNumbered(number, options);
  const firstMoved = file.index.lines.findIndex(isMoved);
  const anchorsValidThrough = Math.min(
    firstMoved === -1 ? linesBefore : firstMoved,
    linesBefore,
    ...targets.map(({ from }) => from),
  );
  return {
    splices,
    text: after,
    operations: targets.length,
    targets: targets.map(({ operation: { op }, from, to, line }) => {
      return { op, startLine: line, endLine: to > from ? to : line };
    }),
    linesBefore,
    linesAfter: linesBefore + addedLines - removedLines,
    addedLines,
    removedLines,
    anchorsValidThrough,
    mustRefreshFromLine: anchorsValidThrough + 1,
    repeated: repeatedBy(file.index, targets),
    autoCorrections: [...corrections, ...mergesOf(targets)],
    warnings: remarks(parsed),
  };
}

function repeatedBy(index: AnchorIndex, targets: readonly Target[]): string[] {
  /** Number of lines that one operation adds and none of it takes away: the only one of its kind may also go elsewhere. */
  const added = new Map<string, number>();
  for (const { operation, from, to } of targets) {
    const change = new Map<string, number>();
    const count = (hash: string, by: number) => change.set(hash, (change.get(hash) ?? 0) + by);
    for (const { hash } of index.lines.slice(from, to)) count(hash, -1);
    for (const line of operation.lines) count(lineHash(line), 1);
    for (const [hash, by] of change) added.set(hash, (added.get(hash) ?? 0) + Math.max(by, 0));
  }
  return [...added].flatMap(([hash, more]) => {
    const before = index.find(hash).length;
    return before > 0 && before + more > 1 ? hash : [];
  });
}

/** Returns `AnchorEdit.repeated` for a text that is replaced by another; none if there are too many lines for anchors. */
export function repeatedIn(before: string, after: string): string[] {
  if (Math.max(countLines(before), countLines(after)) > CALL_LIMITS.anchoredLines) return [];
  const [old, now] = [anchorIndex(before), anchorIndex(after)];
  const hashes = new Set(old.lines.map(({ hash }) => hash));
  return [...hashes].filter((hash) => Math.max(old.find(hash).length, now.find(hash).length) > 1);
}

/** Refuses new lines that start with an anchor of this file, copied from a read: `12#a1b2c3 [high]|`. */
function refusePastedAnchors(operations: readonly ParsedOperation[], { index }: Snapshot): void {
  for (const { number, op, lines } of operations) {
    for (const line of lines) {
      const [pasted, hash] = /^[-+ ]?\d+#([0-9a-f]{6}) \[(?:low|med|high)\][^|]*\|/.exec(line) ?? [];
      if (hash === undefined) continue;
      if (index.find(hash).length === 0) continue;
      throw refuse("operation_has_pasted_anchor", { number, op, pasted: pasted! });
    }
  }
}

function remarks(operations: readonly ParsedOperation[]): string[] {
  const blanked = operations.filter(
    ({ op, lines }) => op.startsWith("replace") && lines.length === 1 && lines[0] === "",
  );
  return blanked.map(
    ({ number, op }) =>
      `Operation ${number} (${op}) leaves one empty line: the content is empty. To remove lines use delete_line or delete_range.`,
  );
}

function rangeOf(targets: readonly Target[]): LineSpan {
  const startLine = Math.min(...targets.map(({ from, line }) => Math.min(from + 1, line)));
  return { startLine, endLine: Math.max(...targets.map(({ to, line }) => Math.max(to, line))) };
}

function total(targets: readonly Target[], amount: (target: Target) => number): number {
  return targets.reduce((sum, target) => sum + amount(target), 0);
}
