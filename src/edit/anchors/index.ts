// Edits by line hashes: a batch of operations on one snapshot of a text becomes splices, or is refused as a whole.

import type { LineRange } from "../../core/backend.ts";
import { linesBetween } from "../../core/counted.ts";
import { Refusal } from "../../core/failure.ts";
import { strictOptions, validate } from "../../core/options.ts";
import { already } from "../ladder/refuse.ts";
import { applySplices, type Splice } from "../text/splice.ts";
import { resolveBatch } from "./batch.ts";
import { fileVersion } from "./lines/hash.ts";
import { anchorIndex, refuseManyLines } from "./lines/line-index.ts";
import { type AnchorOperation, type OperationName, type ParsedOperation, parseOperations } from "./operations.ts";
import type { LowEntropyRule } from "./resolve/low-entropy.ts";
import type { AutoCorrection, Snapshot } from "./resolve/resolve.ts";
import { sameLinesFromTop, seenVersion } from "./resolve/seen.ts";
import { splicesOf } from "./splices.ts";
import { mergesOf, refuseOverlaps, refuseSameAnchorConflicts, type Target } from "./targets.ts";

export type { AnchoredDiff } from "./lines/diff.ts";
export { ANCHOR_FORMAT_VERSION, contextHash, fileVersion, lineDigest, lineHash } from "./lines/hash.ts";
export { type AnchorIndex, type AnchorLine, anchorIndex, type Quality, versionOf } from "./lines/line-index.ts";
export type { AnchorView } from "./lines/render.ts";
export type { AnchorOperation, OperationName } from "./operations.ts";
export type { LowEntropyRule } from "./resolve/low-entropy.ts";
export type { AutoCorrection } from "./resolve/resolve.ts";

/** What is known about the caller of an edit by hashes. */
export interface AnchorEditOptions {
  /** What to do with a bracket or a blank line as anchor. */
  readonly lowEntropy?: LowEntropyRule | undefined;
  /** The version the anchors were read from, as "fv_" and 8 characters. */
  readonly expectedFileVersion?: string | undefined;
  /** The text the anchors were read from. Every anchor is then settled there and its line followed into the current text. */
  readonly seenText?: string | undefined;
  /** The lines that the caller was shown of that text, or of the current one where no other was read. */
  readonly shown?: readonly LineRange[] | undefined;
  /** The lines of the current text whose numbers it was given by a read, and that nothing has moved since; `shown` unless told. */
  readonly numbered?: readonly LineRange[] | undefined;
  /** The lines of the current text that it has read since its own edits. */
  readonly again?: readonly LineRange[] | undefined;
  /** From this line on its own edits have moved lines since it read them. */
  readonly movedFrom?: number | undefined;
  /** It was shown an older version as well: what was not shown of this text may have been shown of that. */
  readonly older?: boolean | undefined;
  /** All that has changed since `seenText` is the caller's own work: the lines that it knows of the current text. */
  readonly own?: readonly LineRange[] | undefined;
}

const OPTIONS = strictOptions<AnchorEditOptions>({
  lowEntropy: true,
  expectedFileVersion: true,
  seenText: true,
  shown: true,
  numbered: true,
  again: true,
  movedFrom: true,
  older: true,
  own: true,
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
  /** What was put right in the operations. */
  readonly autoCorrections: readonly AutoCorrection[];
  /** The text was not the version the caller read, and every anchor was found in it all the same. */
  readonly crossVersion: boolean;
  /** What the caller should know. */
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
  refuseSameAnchorConflicts(parsed);
  refuseManyLines(text);
  const file = snapshotOf(text, options);
  refusePastedAnchors(parsed, file);
  const { targets, corrections, warnings } = resolveBatch(parsed, file, options.lowEntropy ?? "explicit");
  refuseOverlaps(targets);

  const splices = splicesOf(file.current, targets);
  const after = applySplices(text, splices);
  if (after === text) throw alreadySo(targets);
  const linesBefore = file.current.count;
  const addedLines = total(targets, ({ operation }) => operation.lines.length);
  const removedLines = total(targets, ({ from, to }) => to - from);
  const linesAfter = linesBefore + addedLines - removedLines;
  const asRead = file.seen && file.crossVersion ? sameLinesFromTop(file.seen.index, file.current) : linesBefore;
  const unmoved = Math.min(asRead, (options.movedFrom ?? linesBefore + 1) - 1);
  const validThrough = targets.reduce((least, target) => Math.min(least, target.from), unmoved);
  return {
    splices,
    text: after,
    operations: targets.length,
    targets: targets.map(({ operation, from, to, line }) => ({
      op: operation.op,
      startLine: line,
      endLine: to > from ? to : line,
    })),
    linesBefore,
    linesAfter,
    addedLines,
    removedLines,
    anchorsValidThrough: validThrough,
    mustRefreshFromLine: validThrough + 1,
    autoCorrections: [...corrections, ...mergesOf(targets)],
    crossVersion: file.crossVersion,
    warnings: [...warnings, ...remarks(parsed, file)],
  };
}

/** The text that was read counts; numbers only if the caller did not name yet another one. */
function snapshotOf(text: string, options: AnchorEditOptions): Snapshot {
  const { expectedFileVersion: expected, seenText, shown, numbered, again, older, own } = options;
  const current = anchorIndex(text);
  const isNamed = expected === current.fileVersion;
  const isOther = expected !== undefined && !isNamed;
  if (seenText === undefined || seenText === text) {
    // Numbers of a version that is not at hand count for nothing.
    const known = isOther ? { numbered: [] } : { shown, older, numbered };
    return { current, known, crossVersion: isOther };
  }
  const isThird = isOther && expected !== fileVersion(seenText);
  const seen = {
    ...seenVersion(anchorIndex(seenText), current),
    known: { shown, older, numbered: isThird ? [] : own ? shown : numbered },
  };
  const known = { shown: own, older, again, numbered: isThird ? [] : own ? numbered : isNamed ? undefined : [] };
  return { current, known, seen, crossVersion: own === undefined || isThird };
}

/** `12#a1b2c3 [high]|` at the start of new text was copied from what we showed, if the hash is one of this very file. */
function refusePastedAnchors(operations: readonly ParsedOperation[], { current, seen }: Snapshot): void {
  for (const { number, op, lines } of operations) {
    for (const line of lines) {
      const pasted = /^[-+ ]?\d+#([0-9a-f]{6}) \[(?:low|med|high)\][^|]*\|/.exec(line);
      if (pasted === null) continue;
      if (current.find(pasted[1]!).length === 0 && !seen?.index.find(pasted[1]!).length) continue;
      throw new Refusal(
        "invalid_input",
        `Operation ${number} (${op}): the content still carries the anchor "${pasted[0]}".`,
        {
          next: "Send only the text after the bar.",
          details: { suggested_action: "correct_operation" },
        },
      );
    }
  }
}

function remarks(operations: readonly ParsedOperation[], { crossVersion }: Snapshot): string[] {
  const blanked = operations.filter(
    ({ op, lines }) => op.startsWith("replace") && lines.length === 1 && lines[0] === "",
  );
  return [
    ...(crossVersion ? ["The file has changed since you read it; every anchor was still found."] : []),
    ...blanked.map(
      ({ number, op }) =>
        `Operation ${number} (${op}) leaves one empty line: the content is empty. To remove lines use delete_line or delete_range.`,
    ),
  ];
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
