// Refusals in the words of this surface: its parameter names, its tools, its closest lines.
import type { Candidate } from "../../edit/suggest.ts";
import type { Failure } from "../../kernel/failure.ts";
import { displayable } from "../../kernel/text.ts";
import { followable } from "../followable.ts";
import { legibleFailure } from "../legible.ts";
import type { AnyTool } from "../tool.ts";
import { FREE_BYTES } from "./edit.ts";
import { isMedia } from "./paths.ts";

export function inThisDialect(given: Failure, tool: AnyTool): Failure {
  return legibleFailure(worded(followable(given, tool), tool));
}

function worded(failure: Failure, tool: AnyTool): Failure {
  if (failure.kind === "command_failed") return badPattern(failure, tool);
  if (failure.kind === "file_too_large" && isMedia(failure.path ?? "")) return { ...failure, ...whole(failure) };
  if (failure.details?.special !== undefined) return failure;
  if (tool.effect === "read") return { ...failure, ...READING[failure.kind] };
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
type Words = Partial<Pick<Failure, "suggestedAction">>;

const AGAIN: Words = { suggestedAction: "Read the file again and re-apply your edit." };

const DIRECTORY: Words = { suggestedAction: "Name a file in it; Glob with this `path` lists them." };

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
  stale_file: (failure) => ({ ...failure, ...AGAIN }),
  not_a_file: (failure) => ({ ...failure, ...DIRECTORY }),
  unread_file: (failure) => ({
    ...failure,
    message: `${failure.path} has not been read in this session and is larger than ${FREE_BYTES} bytes.`,
  }),
};

const COPY = "Read the file again and copy the EXACT text to replace into old_string.";

function notFound(failure: Failure): Failure {
  const candidates = (failure.details?.candidates ?? []) as readonly Candidate[];
  const [nearest] = candidates;
  if (nearest === undefined) {
    const message = "old_string not found in file, and nothing in it is similar.";
    return { ...failure, message, suggestedAction: COPY, details: { suggestion: COPY, closest_matches: [] } };
  }
  const places = candidates.map((candidate) => {
    const { similarity, text } = candidate;
    return `  line ${lineRange(candidate)} (~${percent(similarity)} match): '${oneLine(text, 80)}'`;
  });
  const differences = nearest.differences.map((difference) => `    ${displayable(difference)}`);
  const [first, ...others] = places;
  return {
    ...failure,
    message: ["old_string not found in file. Closest lines in the file:", first, ...differences, ...others].join("\n"),
    suggestedAction: COPY,
    details: {
      suggestion: COPY,
      closest_matches: candidates.map((candidate) => ({
        line_range: lineRange(candidate),
        similarity: percent(candidate.similarity),
        text: oneLine(candidate.text, 100),
      })),
    },
  };
}

function notUnique(failure: Failure): Failure {
  const { matchCount, matchRanges, level } = (failure.details ?? {}) as {
    readonly matchCount?: number;
    readonly matchRanges?: readonly { readonly startLine: number }[];
    readonly level?: string;
  };
  const changed = failure.details?.changedSinceRead === true;
  const lines = (matchRanges ?? []).map(({ startLine }) => startLine);
  return {
    ...failure,
    message: `old_string is not unique (appears ${matchCount} times at lines [${lines.slice(0, 20).join(", ")}${lines.length > 20 ? ", …" : ""}]).`,
    suggestedAction: changed && failure.suggestedAction !== undefined ? failure.suggestedAction : MAKE_UNIQUE,
    details: {
      occurrences_count: matchCount,
      line_numbers: lines,
      ...(level !== undefined && { strategy: level }),
      ...(changed && changesIn(failure)),
    },
  };
}

const MAKE_UNIQUE =
  "Fix: add lines before or after it that only the right place has, or set replace_all to replace all of them.";

/** What is told of a file that has changed since it was read, without what this dialect says in its own names. */
function changesIn({ details }: Failure): Record<string, unknown> {
  const { matchCount: _matchCount, matchRanges: _matchRanges, level: _level, ...changes } = details ?? {};
  return changes;
}

function lineRange({ startLine, endLine }: Candidate): string {
  return startLine === endLine ? `${startLine}` : `${startLine}-${endLine}`;
}

function percent(similarity: number): string {
  return `${Math.floor(similarity * 100)}%`;
}

function oneLine(text: string, longest: number): string {
  const line = displayable(text).replaceAll("\n", "\\n");
  return line.length <= longest ? line : `${line.slice(0, longest - 1).replace(/\p{Surrogate}$/u, "")}…`;
}
