// Words about edits by hashes: malformed operations, and anchors that lead nowhere, to several lines or to a bracket.
import type { LineSpan } from "../core/refusal-details.ts";
import { linesBetween, plural } from "./plural.ts";
import type { Catalogue } from "./row.ts";

export const READ_AGAIN = "Read the file again with hashes and use the new anchors.";
export const FILL_EMPTY = "The file is empty: use insert_after with the hash d41d8c to add its first lines.";

const LINE_FIELDS =
  'Single-line operations take one "hash"; only replace_range and delete_range take "start_hash" and "end_hash".';
const RANGE_FIELDS =
  'Range operations take "start_hash" and "end_hash"; a line number goes in front of the hash, as in "12#a1b2c3".';

type Operation = { readonly number: number; readonly op: string };
type OneLine = { line: number; hash: string; occurrence?: number | undefined };
type Malformed = { number?: number; op?: string; field?: string; names?: readonly string[]; lines?: readonly number[] };

const MALFORMED = {
  no_list: () => "operations must be an array of operations.",
  no_object: ({ number }: Malformed) => `Operation ${number} must be an object with an "op".`,
  op: ({ number, names = [] }: Malformed) => `Operation ${number} needs an "op" that is one of ${names.join(", ")}.`,
  content: (of: Malformed) => `${nameOf(of)} needs "content", a string with the new text.`,
  hash: (of: Malformed) => `${nameOf(of)} needs "${of.field}", the hash of a line as a string.`,
  number: (of: Malformed) => `${nameOf(of)}: "${of.field}" must be a whole number from 1 up.`,
  lines: ({ field, lines = [], ...of }: Malformed) =>
    `${nameOf(of)} names two lines: "${field}" says ${lines[0]} and "line" says ${lines[1]}.`,
  fields: ({ names = [], ...of }: Malformed) =>
    `${nameOf(of)} does not take ${names.map((name) => `"${name}"`).join(", ")}. ${of.op?.endsWith("_range") ? RANGE_FIELDS : LINE_FIELDS}`,
};

type FaultFacts = {
  given: string;
  line?: number;
  occurrence?: number;
  named?: number;
  operation?: number;
  count?: number;
};
/** A reason not to accept an anchor. `given`: the anchor or its hash, as the caller wrote it. */
export type AnchorFault = FaultFacts & { readonly fault: keyof typeof FAULTS };

const FAULTS = {
  file_unread: () => "you have not read the file, so no number counts",
  no_occurrence: ({ occurrence }: FaultFacts) => `there is no occurrence ${occurrence}`,
  other_occurrence: ({ occurrence, line, named }: FaultFacts) =>
    `occurrence ${occurrence} is line ${line}, not line ${named}`,
  other_line: ({ line, given }: FaultFacts) => `line ${line} does not have the hash ${given}`,
  too_short: ({ given, count }: FaultFacts) => `${given.length} characters are too few to name a line among ${count}`,
  not_shown: ({ line }: FaultFacts) => `line ${line} has not been shown to you in this version`,
  not_shown_inside: ({ line, operation }: FaultFacts) =>
    `line ${line}, inside the range of operation ${operation}, has not been shown to you in this version`,
  uncounted: ({ line, given }: FaultFacts) =>
    `you have not read line ${line} with hashes since lines changed, so ${given} may mean another line now`,
};

/** Lines to read again. `tooLong`: one of them that no read shows to its end; `isWide`: more than one read shows. */
export type ToRead = LineSpan & { readonly tooLong: number | undefined; readonly isWide: boolean };

/**
 * An anchor that leads to several lines. `near`: the one that may be meant, and the anchor that leads to it alone.
 * `isCounted`: each can be named by its number or occurrence.
 */
export type AmbiguousAnchor = {
  readonly field: string;
  readonly given: string;
  readonly prefix: string;
  readonly line?: number | undefined;
  readonly occurrence?: number | undefined;
  readonly near: { readonly line: number; readonly anchor: string; readonly isLow: boolean } | undefined;
  readonly hasOwnHashes: boolean;
  readonly isCounted: boolean;
  readonly read: ToRead | undefined;
};

type Described = { anchor: string; hash: string; matches: number };
type Candidate = { number: number; line: number; preview: string; own: readonly string[] };
type LowLine = { line: number; content: string; occurrence: number };

export const ANCHORS = {
  operations_empty: (_: object) => ({
    kind: "empty_operations",
    why: "operations is empty: there is nothing to do.",
    next: "Provide at least one operation.",
    details: { suggested_action: "provide_at_least_one_operation" },
  }),
  operation_malformed: (facts: Malformed & { problem: keyof typeof MALFORMED }) =>
    invalid(MALFORMED[facts.problem](facts)),
  operation_has_pasted_anchor: ({ pasted, ...operation }: Operation & { pasted: string }) =>
    invalid(
      `${nameOf(operation)}: the content still carries the anchor "${pasted}".`,
      "Send only the text after the bar.",
    ),
  operations_overlap: ({ both, conflicts }: { both: readonly (Operation & LineSpan)[]; conflicts: object }) => ({
    kind: "overlapping_operations",
    why: `Operations ${both.map(({ number, op }) => `${number} (${op})`).join(" and ")} overlap: they address ${both.map(placeOf).join(" and ")}.`,
    next: both.some(({ op }) => op.endsWith("_range"))
      ? "Rewrite them as one replace_range over the whole block."
      : both.every(({ op }) => op.startsWith("insert_"))
        ? "Rewrite them as one replace_line of that line, with the line itself between the new ones in its content."
        : "Send only one of them for that line.",
    details: { suggested_action: "rewrite_as_single_block", error_family: "overlapping_operations", conflicts },
  }),
  range_of_one_line: ({ line, hash, occurrence, ...operation }: Operation & OneLine) => ({
    kind: "invalid_range_order",
    why: `${nameOf(operation)}: start_hash and end_hash are both line ${line}, so the range is a no-op (start equals end).`,
    next: `Use ${operation.op.replace("_range", "_line")} with "hash": "${hash}"${occurrence ? `, "occurrence": ${occurrence}` : ""} for a single line.`,
    details: {
      suggested_action: "re-read_file",
      error_family: "invalid_range_order",
      operation: operation.number,
      start_line: line,
      end_line: line,
    },
  }),

  anchor_unreadable: ({ field, hash, ...operation }: Operation & { field: string; hash: string }) => ({
    kind: "anchor_not_found",
    why: `${nameOf(operation)}: "${field}" is ${JSON.stringify(hash)}, which is not an anchor. An anchor is 4 to 32 hex characters such as "a1b2c3", with or without its line number: "12#a1b2c3".`,
    next: "Copy the 6 characters after the # of the line you mean.",
    details: { suggested_action: "reformat_anchor", anchor: field, hash },
  }),
  anchors_stale: (facts: {
    /** Hashes that no line has. */
    unknown: readonly string[];
    faults: readonly AnchorFault[];
    missingHashes: readonly string[];
    hasRead: boolean;
    /** To read the lines is all that is missing. */
    isUnread: boolean;
    isEmpty: boolean;
    read: ToRead | undefined;
  }) => {
    const missing = `no line of the current file has the hash ${facts.unknown.join(" or ")}`;
    const why = capital([...(facts.unknown.length > 0 ? [missing] : []), ...facts.faults.map(reasonOf)].join("; "));
    const because = facts.hasRead
      ? "the file is as you last read or edited it, so the anchor is mistyped or of an older version"
      : "you have not read the file in this session, so it may have changed since";
    return {
      kind: "anchor_stale",
      why: `${why}${facts.isUnread ? "" : `; ${because}`}.`,
      next: facts.isEmpty ? FILL_EMPTY : reading(facts.read),
      details: {
        suggested_action: "re-read_file",
        error_family: "anchor_stale",
        missingHashes: facts.missingHashes,
      },
    };
  },
  anchor_ambiguous: (facts: {
    operation: Operation;
    fault: AnchorFault | undefined;
    /** The candidates are equal with the lines around them, too. */
    isContext: boolean;
    shown: readonly Candidate[];
    /** Both ends of a range, where both are ambiguous. */
    ends: readonly AmbiguousAnchor[];
    anchors: readonly Described[];
    others: number;
  }) => {
    const { anchor, hash, matches } = facts.anchors[0]!;
    const shown = facts.shown.map(
      ({ number, line, preview, own }) =>
        `#${number} line ${line}${own.length > 0 ? ` (${own.join(" ")})` : ""}: "${preview}"`,
    );
    const more = matches > shown.length ? `, and ${matches - shown.length} more` : "";
    const others = facts.others > 0 ? ` (${plural(facts.others, "more ambiguous anchor")} in the batch.)` : "";
    return {
      kind: facts.isContext ? "anchor_context_ambiguous" : "anchor_ambiguous",
      why: `${nameOf(facts.operation)}: ${facts.fault ? `${reasonOf(facts.fault)}; ` : ""}${anchor} ${hash} matches ${plural(matches, "line")}: ${shown.join(", ")}${more}.${others}`,
      next: [...new Set(facts.ends.map(advice))].join(" "),
      details: {
        suggested_action: "re-read_with_context",
        error_family: "anchor_ambiguous",
        ...facts.anchors[0]!,
        ambiguous_anchors: facts.anchors,
      },
    };
  },
  anchor_low_entropy: (facts: {
    lines: readonly LowLine[];
    /** How many lines the first anchor may mean. */
    occurrences: number | undefined;
    /** The anchors of lines near by. Each means another line: sent in place of this one, it changes that. */
    near: readonly string[];
    /** Those of them between which the first line stands, if the caller may use them at once. */
    range: readonly string[];
    /** The anchor to send with its occurrence, where that is allowed. */
    insist: string | undefined;
  }) => {
    const { lines, range, insist } = facts;
    const { line, content, occurrence } = lines[0]!;
    const repeats = "lines like this repeat, so a hash does not single one out";
    const because = facts.occurrences === 1 ? "another line like it would have its hash" : repeats;
    const named = insist && `If line ${line} is meant, send "hash": "${insist}", "occurrence": ${occurrence}.`;
    const around =
      range[0] && `To write it with its neighbours, use replace_range from "${range[0]}" to "${range[1]}".`;
    return {
      kind: "anchor_low_entropy",
      why: `${lines.length > 1 ? "Lines" : "Line"} ${lines.map((each) => each.line).join(", ")} (${content === "" ? "blank" : `"${content}"`}) cannot serve as anchor: ${because}.`,
      next:
        [named, around].filter(Boolean).join(" ") ||
        "Read it again with hashes, and replace a range whose ends are distinctive lines.",
      details: {
        suggested_action: "use_neighbor_anchor",
        error_family: "anchor_low_entropy",
        ...(lines.length === 1 && { line, content, occurrence }),
        occurrences: facts.occurrences,
        neighbor_anchors: facts.near,
        low_entropy_anchors: lines,
      },
    };
  },
  anchored_lines_too_many: ({ lines, maxLines }: { lines: number; maxLines: number }) => ({
    kind: "file_too_large",
    why: `The file has ${lines} lines; anchors are made for files of up to ${maxLines}.`,
    next: "Leave it as it is, or read it without hashes.",
    details: { lines, maxLines },
  }),
} satisfies Catalogue;

function invalid(why: string, next = "Correct the operation and send the whole batch again.") {
  return { kind: "invalid_input", why, next, details: { suggested_action: "correct_operation" } } as const;
}

function nameOf({ number, op }: Malformed): string {
  return `Operation ${number} (${op})`;
}

function placeOf({ op, startLine, endLine }: Operation & LineSpan): string {
  const [, side] = /^insert_(.*)/.exec(op) ?? [];
  return side ? `the place ${side} line ${startLine}` : linesBetween(startLine, endLine);
}

function reasonOf(facts: AnchorFault): string {
  return FAULTS[facts.fault](facts);
}

/** A read that names no lines shows the first ones. */
function reading(read: ToRead | undefined): string {
  if (read === undefined) return READ_AGAIN;
  const { startLine, endLine, tooLong, isWide } = read;
  if (tooLong !== undefined)
    return `Line ${tooLong} is longer than a read shows, so it has no anchor: leave it as it is, or write the whole file.`;
  if (isWide) return "Read the lines that you mean again with hashes and use the new anchors.";
  return `Read ${linesBetween(startLine, endLine)} with read_file, hashes true, offset ${startLine - 1}, limit ${endLine - startLine + 1}, and use the new anchors.`;
}

function advice({ field, prefix, near, isCounted, ...anchor }: AmbiguousAnchor): string {
  const { line, occurrence } = anchor;
  // What was sent beside the hash names the line that is not meant.
  const sent = [...(line && !anchor.given.includes("#") ? ["line"] : []), ...(occurrence ? ["occurrence"] : [])];
  const without = sent.length === 0 ? "" : ` without "${sent.join('" and "')}"`;
  if (near?.isLow) return `If line ${near.line} is meant, add "occurrence": 1.`;
  if (near) return `If line ${near.line} is meant, send "${field}": "${near.anchor}"${without}.`;
  if (field !== "hash" && !near && isCounted) return `Name the line with its number, as "${field}": "N#${prefix}".`;
  const add = `${line === undefined ? "add" : "in place of the number"} the "occurrence" (the number after #) of the line you mean`;
  if (anchor.hasOwnHashes)
    return `Send one of the hashes shown in brackets as "hash"${without}${isCounted ? `, or ${add}` : ""}.`;
  return field === "hash" && isCounted ? `${capital(add)}.` : reading(anchor.read);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
