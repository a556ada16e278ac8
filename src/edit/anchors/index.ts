// Edits by line hashes: turns a batch of operations on one text into splices, or refuses all of it.
import { strictOptions, validate } from "../../api/options.ts";
import { CALL_LIMITS } from "../../core/limits.ts";
import type { LineSpan } from "../../core/refusal-details.ts";
import { refuse } from "../../words/index.ts";
import { countLines } from "../text/lines.ts";
import { applySplices, type Splice } from "../text/splice.ts";
import type { AutoCorrection, Snapshot } from "./lead.ts";
import {
  type AnchorIndex,
  type AnchorLine,
  anchorIndex,
  isNumbered,
  isShown,
  type Known,
  lineHash,
  refuseManyLines,
  repeatsOf,
} from "./lines.ts";
import { type AnchorOperation, type OperationName, type ParsedOperation, parseOperations } from "./operations.ts";
import type { LowEntropyRule } from "./refuse.ts";
import { resolveBatch } from "./resolve.ts";
import { mergesOf, refuseOverlaps, splicesOf, type Target } from "./targets.ts";

export type { AutoCorrection } from "./lead.ts";
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

/** The caller's knowledge of the text, and how strict the edit is. */
export interface AnchorEditOptions extends Known {
  /** Whether a bracket or a blank line may be an anchor. */
  readonly lowEntropy?: LowEntropyRule | undefined;
}

const OPTIONS = strictOptions<AnchorEditOptions>({
  lowEntropy: true,
  shown: true,
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
  /** Hashes of repeated lines that the edit adds or removes, and context hashes: they may now mean another line. */
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
  const touched = targets.flatMap(({ operation, from, to }) => [
    ...new Set([...file.index.lines.slice(from, to).map(({ hash }) => hash), ...operation.lines.map(lineHash)]),
  ]);
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
    targets: targets.map(({ operation: { op }, from, to, line }) => {
      return { op, startLine: line, endLine: to > from ? to : line };
    }),
    linesBefore,
    linesAfter: linesBefore + addedLines - removedLines,
    addedLines,
    removedLines,
    anchorsValidThrough,
    repeated: doubtful(file.index, anchorIndex(after), touched, Math.max(...targets.map(({ to }) => to))),
    autoCorrections: [...corrections, ...mergesOf(targets)],
    warnings: remarks(parsed),
  };
}

/**
 * Names that may mean another line in the text `now`: hashes of repeated lines, or of one that moved, as far as operations
 * have `touched` them, and context hashes that other lines have taken over. Lines behind `last` have moved.
 */
function doubtful(old: AnchorIndex, now: AnchorIndex, touched: readonly string[], last: number): string[] {
  const twice = repeatsOf(touched);
  const isRepeated = (hash: string) => old.find(hash).length > 1 || now.find(hash).length > 1;
  const isDoubtful = (hash: string) => old.find(hash).length > 0 && (twice.has(hash) || isRepeated(hash));
  const had = new Map<string, number>();
  for (const { hash, number } of old.lines) if (isRepeated(hash)) had.set(old.contextHash(number), number);
  const contexts = now.lines.flatMap(({ hash, number }) => {
    const was = isRepeated(hash) ? had.get(now.contextHash(number)) : undefined;
    return was === undefined || number === (was > last ? was + now.count - old.count : was)
      ? []
      : now.contextHash(number);
  });
  return [...[...new Set(touched)].filter(isDoubtful), ...contexts];
}

/** Returns `AnchorEdit.repeated` for a text that is replaced by another; none if there are too many lines for anchors. */
export function repeatedIn(before: string, after: string): string[] {
  if (Math.max(countLines(before), countLines(after)) > CALL_LIMITS.anchoredLines) return [];
  const [old, now] = [anchorIndex(before), anchorIndex(after)];
  return doubtful(old, now, [...new Set(old.lines.map(({ hash }) => hash))], old.count);
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
