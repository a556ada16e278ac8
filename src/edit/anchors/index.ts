// Edits by line hashes: a batch of operations on one snapshot of a text becomes splices, or is refused as a whole.
import type { LineRange } from "../../core/backend.ts";
import { Refusal } from "../../core/failure.ts";
import { strictOptions, validate } from "../../core/options.ts";
import { linesBetween } from "../../core/plural.ts";
import { already } from "../ladder/refuse.ts";
import { applySplices, type Splice } from "../text/splice.ts";
import { anchorIndex, refuseManyLines } from "./lines.ts";
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

/** What a caller of an edit by hashes knows. */
export interface AnchorEditOptions {
  /** The rule for a bracket or a blank line as anchor. */
  readonly lowEntropy?: LowEntropyRule | undefined;
  /** The lines of the current text that the caller knows; all by default. */
  readonly shown?: readonly LineRange[] | undefined;
  /** Those whose numbers it was given by a read, and that nothing has moved since; all of `shown` by default, none beside `seenText`. */
  readonly numbered?: readonly LineRange[] | undefined;
  /** The text that it read before its own edits. A hash that is unique there and now is followed; a repeated one must not have moved. */
  readonly seenText?: string | undefined;
  /** The lines that it was shown of that text; all by default. */
  readonly seenLines?: readonly LineRange[] | undefined;
  /** The lines of the current text that it has read since its own edits. */
  readonly again?: readonly LineRange[] | undefined;
  /** From this line on its own edits have moved lines since it read them. */
  readonly movedFrom?: number | undefined;
  /** It was shown an older version as well: what was not shown of this text may have been shown of that. */
  readonly older?: boolean | undefined;
}

const OPTIONS = strictOptions<AnchorEditOptions>({
  lowEntropy: true,
  shown: true,
  numbered: true,
  seenText: true,
  seenLines: true,
  again: true,
  movedFrom: true,
  older: true,
});

/** What an edit by hashes did. */
export interface AnchorEdit {
  /** On the text as it was. */
  readonly splices: readonly Splice[];
  /** As it is afterwards. */
  readonly text: string;
  /** How many operations were applied. */
  readonly operations: number;
  /** Where each operation acted. */
  readonly targets: readonly ResolvedTarget[];
  /** How many the text had. */
  readonly linesBefore: number;
  /** How many it has. */
  readonly linesAfter: number;
  /** How many are new. */
  readonly addedLines: number;
  /** How many are gone. */
  readonly removedLines: number;
  /** Line numbers and anchors up to here are as they were read; from the next line on they must be read again. */
  readonly anchorsValidThrough: number;
  /** The line after `anchorsValidThrough`. */
  readonly mustRefreshFromLine: number;
  /** Corrections of the operations. */
  readonly autoCorrections: readonly AutoCorrection[];
  /** Notes for the caller. */
  readonly warnings: readonly string[];
}

/** Where an operation acted in the text before the edit: 1-based and inclusive. */
export interface ResolvedTarget {
  readonly op: OperationName;
  readonly startLine: number;
  readonly endLine: number;
}

/** Applies operations that name lines by their hashes, all to the same text, or throws a Refusal. */
export function editByAnchors(
  text: string,
  operations: readonly AnchorOperation[],
  options: AnchorEditOptions = {},
): AnchorEdit {
  validate(options, OPTIONS);
  const parsed = parseOperations(operations);
  refuseManyLines(text);
  const file = snapshotOf(text, options);
  refusePastedAnchors(parsed, file);
  const { targets, corrections } = resolveBatch(parsed, file, options.lowEntropy ?? "explicit");
  refuseOverlaps(targets);

  const splices = splicesOf(file.current, targets);
  const after = applySplices(text, splices);
  if (after === text) throw alreadySo(targets);
  const linesBefore = file.current.count;
  const addedLines = total(targets, ({ operation }) => operation.lines.length);
  const removedLines = total(targets, ({ from, to }) => to - from);
  const firstMoved = (options.movedFrom ?? linesBefore + 1) - 1;
  const anchorsValidThrough = Math.min(firstMoved, linesBefore, ...targets.map(({ from }) => from));
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
    autoCorrections: [...corrections, ...mergesOf(targets)],
    warnings: remarks(parsed),
  };
}

function snapshotOf(text: string, options: AnchorEditOptions): Snapshot {
  const { seenText, seenLines, shown, numbered, again, older } = options;
  const current = anchorIndex(text);
  if (seenText === undefined || seenText === text) return { current, known: { shown, older, numbered } };
  const known = { shown, older, again, numbered: numbered ?? [] };
  return { current, known, read: { index: anchorIndex(seenText), known: { shown: seenLines, older } } };
}

/** `12#a1b2c3 [high]|` at the start of new text was copied from a read, if the hash is one of this very file. */
function refusePastedAnchors(operations: readonly ParsedOperation[], { current, read }: Snapshot): void {
  for (const { number, op, lines } of operations) {
    for (const line of lines) {
      const [pasted, hash] = /^[-+ ]?\d+#([0-9a-f]{6}) \[(?:low|med|high)\][^|]*\|/.exec(line) ?? [];
      if (hash === undefined) continue;
      if (current.find(hash).length === 0 && !read?.index.find(hash).length) continue;
      throw new Refusal(
        "invalid_input",
        `Operation ${number} (${op}): the content still carries the anchor "${pasted}".`,
        { next: "Send only the text after the bar.", details: { suggested_action: "correct_operation" } },
      );
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

/** Each operation puts in place of its lines what they are already. */
function alreadySo(targets: readonly Target[]): Refusal {
  const startLine = Math.min(...targets.map(({ from, line }) => Math.min(from + 1, line)));
  const endLine = Math.max(...targets.map(({ to, line }) => Math.max(to, line)));
  const why = `The new text is the same as the old one, at ${linesBetween(startLine, endLine)}.`;
  return already({ startLine, endLine }, why);
}

function total(targets: readonly Target[], amount: (target: Target) => number): number {
  return targets.reduce((sum, target) => sum + amount(target), 0);
}
