// Refusals in the words of this surface: its parameter names, its tools, its closest lines.
import type { Candidate, LineSpan } from "../../core/refusal-details.ts";
import { linesBetween, rangeOf } from "../../words/plural.ts";
import { type Dialect, nextFor, type Row, type Rows, type Said } from "../refusal.ts";
import { legibleDiff } from "../shared/legible.ts";
import { isMedia } from "./paths.ts";
import { FREE_BYTES } from "./tools/edit.ts";

const AGAIN = "Read the file again and re-apply your edit.";

const rows: Rows = {
  pattern_unusable: ({ facts: { problem }, tool }) => {
    const across = problem !== "characters" && Object.hasOwn(tool.input?.shape ?? {}, "multiline");
    return across ? undefined : CORRECT;
  },
  command_failed: () => CORRECT,
  // There are no lines to choose from.
  too_large: ({ failure: { path = "" }, tool }) =>
    tool.effect === "read" && isMedia(path) ? { next: "Make it smaller: it can only be read as a whole." } : undefined,
  binary: replaceable,
  odd_bytes: replaceable,
  not_found: ({ details, tool, offers }) => {
    const isMissing = details.missing !== undefined;
    if (tool.name === "Write")
      // Only where the caller asked for that: directories are made otherwise.
      return isMissing
        ? { next: "Correct the path, or leave out create_dirs: the directory is then made." }
        : undefined;
    if (tool.name !== "Edit")
      return { next: `Check the path${offers("Glob") ? "; Glob finds files by pattern" : ""}.` };
    const find = offers("Glob") && "ind it with Glob";
    const create = offers("Write") && "reate it with Write";
    if (find && create) return { next: `F${find}, or c${create}.` };
    return { next: find ? `F${find}.` : create ? `C${create}.` : nextFor("not_found") };
  },
  special_file: () => undefined,
  not_a_file: ({ details, offers }) => {
    if (details.special !== undefined) return undefined;
    const listed = offers("Glob") ? "; Glob with this `path` and the pattern * lists them" : "";
    return { next: `Name a file in it${listed}.` };
  },
  stale_file: ({ tool }) => (tool.effect === "read" ? undefined : { next: AGAIN }),
  old_text_missing: ({ facts: { candidates, ...facts } }) => {
    const at = facts.newTextAt;
    const there = at && linesBetween(at.startLine, at.endLine);
    const nothing = facts.lookedForSimilar === false ? "" : ", and nothing in it is similar";
    const missed = candidates.length === 0 ? `old_string not found in file${nothing}.` : closest(candidates);
    return {
      why: `${missed}\n${there === undefined ? "" : `Text equal to new_string is at ${there}.\n`}`,
      // Whether that is this very edit, made before, only its caller can tell.
      next:
        there === undefined
          ? COPY
          : `If ${there} ${at?.startLine === at?.endLine ? "is" : "are"} this change, nothing is left to do. Else: ${COPY}`,
      details: {
        suggestion: COPY,
        closest_matches: candidates.map((candidate) => ({
          line_range: rangeOf(candidate.startLine, candidate.endLine),
          similarity: percent(candidate.similarity),
          text: oneLine(candidate.text, 100),
        })),
        ...(at !== undefined && { new_string_at: at }),
      },
    };
  },
  multiple_matches: notUnique,
  empty_old_text: ({ offers }) => ({
    why: "The required parameter `old_string` is missing or empty.",
    next: `Give the exact text to replace${offers("Write") ? "; Write replaces a whole file" : ""}.`,
  }),
  unread: ({ facts: { path, size } }) =>
    // A strict workspace asks it of small files too.
    size > FREE_BYTES
      ? { why: `${path} has not been read in this session and is larger than ${FREE_BYTES} bytes.` }
      : undefined,
};

export const WORDS: Dialect = { rows };

const CORRECT: Row = { next: "Correct the pattern; put \\ before a character that is meant literally." };
const COPY = "Read the file again and copy the EXACT text to replace into old_string.";

function replaceable({ tool, offers }: Said<object>): Row | undefined {
  if (tool.effect === "read" || !offers("Write")) return undefined;
  return { next: "Do not edit it as text; Write replaces it as a whole." };
}

function closest(candidates: readonly Candidate[]): string {
  const [first, ...others] = candidates.map(({ startLine, endLine, similarity, text }) => {
    return `  ${linesBetween(startLine, endLine)} (~${percent(similarity)} match): '${oneLine(text, 80)}'`;
  });
  const differences = (candidates[0]?.differences ?? []).map((difference) => `    ${legibleDiff(difference)}`);
  return ["old_string not found in file. Closest lines in the file:", first, ...differences, ...others].join("\n");
}

function notUnique({ details, failure }: Said): Row {
  const { matchCount, matchRanges = [], level, ...changes } = details;
  const lines = [...new Set(matchRanges.map(({ startLine }: LineSpan) => startLine))];
  const shown = `${lines.slice(0, 20).join(", ")}${lines.length > 20 ? ", …" : ""}`;
  const isExact = level === undefined || level === "exact" || level === "line_endings";
  const unique = "Fix: add text before or after it that only the right place has";
  return {
    why: `old_string is not unique (appears ${matchCount} times at ${lines.length === 1 ? "line" : "lines"} [${shown}]).`,
    next: isExact ? `${unique}, or set replace_all to replace all of them.` : `${unique}.`,
    details: {
      occurrences_count: matchCount,
      line_numbers: lines,
      ...(level !== undefined && { strategy: level }),
      ...(failure.details?.changedSinceRead === true && changes),
    },
  };
}

function percent(similarity: number): string {
  return `${Math.floor(similarity * 100)}%`;
}

function oneLine(text: string, longest: number): string {
  const line = legibleDiff(text).replaceAll("\n", "\\n");
  return line.length <= longest ? line : `${line.slice(0, longest - 1).replace(/\p{Surrogate}$/u, "")}…`;
}
