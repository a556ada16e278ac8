// Refusals in the words of this surface: its parameter names, its tools, its closest lines.
import type { Failure } from "../../core/failure.ts";
import { linesBetween, rangeOf } from "../../core/plural.ts";
import type { Candidate } from "../../edit/replace/suggest.ts";
import { followable } from "../answer/followable.ts";
import { legibleDiff, legibleFailure } from "../answer/legible.ts";
import type { AnyTool } from "../tool.ts";
import { isMedia } from "./paths.ts";
import { FREE_BYTES } from "./tools/edit.ts";

export function inThisDialect(given: Failure, tool: AnyTool): Failure {
  return legibleFailure(worded(followable(given, tool), tool));
}

function worded(failure: Failure, tool: AnyTool): Failure {
  if (failure.kind === "command_failed") return badPattern(failure, tool);
  if (failure.kind === "file_too_large" && isMedia(failure.path ?? "")) return { ...failure, ...whole(failure) };
  if (failure.details?.special !== undefined) return failure;
  if (tool.effect === "read") return { ...failure, ...READING[failure.kind] };
  if (tool.name === "Write" && failure.details?.missing !== undefined) return { ...failure, ...NO_PARENT };
  return tool.name === "Edit"
    ? (EDITING[failure.kind]?.(failure) ?? failure)
    : { ...failure, ...WRITING[failure.kind] };
}

/** The closest lines stand on lines of their own, and so does what to do. */
export function refusalText({ kind, message, suggestedAction }: Failure, tool: AnyTool): string | undefined {
  if (kind !== "old_text_not_found") return undefined;
  return `${tool.refused} ${message}\n${suggestedAction}`;
}

type Kind = Failure["kind"];
type LineRange = Pick<Candidate, "startLine" | "endLine">;
type Words = Partial<Pick<Failure, "suggestedAction">>;

const AGAIN: Words = { suggestedAction: "Read the file again and re-apply your edit." };

/** Only where the caller asked for that: directories are made otherwise. */
const NO_PARENT: Words = { suggestedAction: "Correct the path, or leave out create_dirs: the directory is then made." };

const DIRECTORY: Words = { suggestedAction: "Name a file in it; Glob with this `path` and the pattern * lists them." };

/** There are no lines to choose from; what names a parameter that helps stays. */
function whole({ suggestedAction }: Failure): Words {
  return suggestedAction?.includes("lines")
    ? { suggestedAction: "Make it smaller: it can only be read as a whole." }
    : {};
}

const READING: Partial<Record<Kind, Words>> = {
  not_a_file: DIRECTORY,
  not_found: { suggestedAction: "Check the path; Glob finds files by pattern." },
};

const WRITING: Partial<Record<Kind, Words>> = { stale_file: AGAIN, not_a_file: DIRECTORY };

function badPattern(failure: Failure, tool: AnyTool): Failure {
  const across = failure.suggestedAction?.includes("multiline") && Object.hasOwn(tool.input.shape, "multiline");
  if (across) return failure;
  return { ...failure, suggestedAction: "Correct the pattern; put \\ before a character that is meant literally." };
}

const EDITING: Partial<Record<Kind, (failure: Failure) => Failure>> = {
  old_text_not_found: notFound,
  multiple_matches: notUnique,
  stale_file: (failure) => (failure.details?.changedSinceRead === true ? failure : { ...failure, ...AGAIN }),
  not_a_file: (failure) => ({ ...failure, ...DIRECTORY }),
  unread_file: (failure) => ({
    ...failure,
    // A strict workspace asks it of small files too.
    ...(Number(failure.details?.size) > FREE_BYTES && {
      message: `${failure.path} has not been read in this session and is larger than ${FREE_BYTES} bytes.`,
    }),
  }),
};

const COPY = "Read the file again and copy the EXACT text to replace into old_string.";

function notFound(failure: Failure): Failure {
  if (failure.details?.empty === true) return failure;
  const candidates = (failure.details?.candidates ?? []) as readonly Candidate[];
  const at = failure.details?.newTextAt as LineRange | undefined;
  const there = at && linesBetween(at.startLine, at.endLine);
  const message = candidates.length === 0 ? nothingLike(failure) : closest(candidates);
  return {
    ...failure,
    message: there === undefined ? message : `${message}\nText equal to new_string is at ${there}.`,
    // Whether that is this very edit, made before, only its caller can tell.
    suggestedAction:
      there === undefined
        ? COPY
        : `If ${there} ${at === undefined || at.startLine === at.endLine ? "is" : "are"} this change, nothing is left to do. Else: ${COPY}`,
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
}

/** Where no similar lines were looked for, nothing is said of them. */
function nothingLike({ details }: Failure): string {
  return `old_string not found in file${details?.lookedForSimilar === false ? "" : ", and nothing in it is similar"}.`;
}

function closest(candidates: readonly Candidate[]): string {
  const [first, ...others] = candidates.map((candidate) => {
    const { similarity, text } = candidate;
    return `  ${linesBetween(candidate.startLine, candidate.endLine)} (~${percent(similarity)} match): '${oneLine(text, 80)}'`;
  });
  const differences = (candidates[0]?.differences ?? []).map((difference) => `    ${legibleDiff(difference)}`);
  return ["old_string not found in file. Closest lines in the file:", first, ...differences, ...others].join("\n");
}

function notUnique(failure: Failure): Failure {
  const { matchCount, matchRanges, level } = (failure.details ?? {}) as {
    readonly matchCount?: number;
    readonly matchRanges?: readonly { readonly startLine: number }[];
    readonly level?: string;
  };
  const changed = failure.details?.changedSinceRead === true;
  const lines = [...new Set((matchRanges ?? []).map(({ startLine }) => startLine))];
  const shown = `${lines.slice(0, 20).join(", ")}${lines.length > 20 ? ", …" : ""}`;
  const isExact = level === undefined || level === "exact" || level === "line_endings";
  const fix = isExact ? `${MAKE_UNIQUE}, or set replace_all to replace all of them.` : `${MAKE_UNIQUE}.`;
  return {
    ...failure,
    message: `old_string is not unique (appears ${matchCount} times at ${lines.length === 1 ? "line" : "lines"} [${shown}]).`,
    suggestedAction: changed && failure.suggestedAction !== undefined ? failure.suggestedAction : fix,
    details: {
      occurrences_count: matchCount,
      line_numbers: lines,
      ...(level !== undefined && { strategy: level }),
      ...(changed && changesIn(failure)),
    },
  };
}

const MAKE_UNIQUE = "Fix: add text before or after it that only the right place has";

/** What is told of a file that has changed since it was read, without what this dialect says in its own names. */
function changesIn({ details }: Failure): Record<string, unknown> {
  const { matchCount: _matchCount, matchRanges: _matchRanges, level: _level, ...changes } = details ?? {};
  return changes;
}

function percent(similarity: number): string {
  return `${Math.floor(similarity * 100)}%`;
}

function oneLine(text: string, longest: number): string {
  const line = legibleDiff(text).replaceAll("\n", "\\n");
  return line.length <= longest ? line : `${line.slice(0, longest - 1).replace(/\p{Surrogate}$/u, "")}…`;
}
