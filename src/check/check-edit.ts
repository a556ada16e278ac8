// Checks an edit by its texts before and after: what looks like damage, as data.
import { diffLines, type Region } from "../edit/diff/diff.ts";
import { lineTexts } from "../edit/text/lines.ts";
import { type DelimiterChange, delimiterChanges } from "./delimiters/delimiters.ts";
import { firstBranches } from "./delimiters/directives.ts";
import { boundaryEchoes, type Echo, repeatedLines } from "./echo.ts";
import type { SyntaxProblem } from "./finding.ts";
import { type Language, languageOf } from "./language.ts";
import { omissionWarnings } from "./omissions.ts";
import { luaProblem } from "./parsers/lua-blocks.ts";
import { duplicateLines, extraBraces, orphanElses } from "./suspects.ts";
import { type Hurry, type Judgement, judge, type SyntaxReport } from "./syntax.ts";
import { type Edit, MOST_OF_A_KIND, type Warning } from "./warning.ts";

/** What is suspicious or noteworthy about an edit, in the order of lines. Never throws, whatever the texts hold. */
export async function checkEdit(edit: Edit): Promise<readonly Warning[]> {
  return isUnremarkable(edit) ? [] : (await examineEdit(edit)).warnings;
}

/** The same, with what the parser says of the new text, which it reads once for both. Hurried, it may be not asked at all. */
export async function examineEdit(
  edit: Edit,
  hurry: Hurry = {},
): Promise<{ readonly warnings: readonly Warning[]; readonly syntax: SyntaxReport | null }> {
  const { path, after } = edit;
  const now = after === null ? null : await judge(path, after, hurry);
  const warnings = isUnremarkable(edit) ? [] : await warningsOn(edit, now, hurry);
  return { warnings, syntax: now && { parser: now.parser, errors: now.errors } };
}

function isUnremarkable({ before, after }: Edit): boolean {
  return after === null || after === before || after.trim() === "";
}

async function warningsOn(
  { path, before, after }: Edit,
  now: Judgement | null,
  hurry: Hurry,
): Promise<readonly Warning[]> {
  const sound = now?.errors.length === 0;
  const was = before === null || (sound && now.slips.length === 0) ? null : await judge(path, before, hurry);
  const edit = compare(path, before ?? "", after ?? "", sound);
  const warnings = [
    ...syntaxWarnings(edit, was, now),
    ...structureWarnings(edit, was, now),
    ...repetitionWarnings(edit),
    ...omissionWarnings({ path, before, after }),
  ];
  return warnings.sort((a, b) => a.line - b.line);
}

interface Comparison {
  readonly language: Language;
  readonly created: boolean;
  readonly before: string;
  readonly after: string;
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  /** Lines that changed; none for a created file. */
  readonly regions: readonly Region[];
  /** Not counted where a parser vouches for the new text. */
  readonly delimiters: readonly DelimiterChange[];
}

function compare(path: string, before: string, after: string, sound: boolean): Comparison {
  const language = languageOf(path);
  const created = before.trim() === "";
  const oldLines = lineTexts(before);
  const newLines = lineTexts(after);
  const regions = created ? [] : diffLines(oldLines, newLines);
  const counted = language.directives ? firstBranches : (text: string) => text;
  const delimiters = language.lexis && !sound ? delimiterChanges(counted(before), counted(after), language.lexis) : [];
  return { language, created, before, after, oldLines, newLines, regions, delimiters };
}

function syntaxWarnings(edit: Comparison, was: Judgement | null, now: Judgement | null): Warning[] {
  const problem = now?.errors[0] ?? now?.slips[0];
  if (!now || !problem) return [];
  const said = `${problem.message} (${now.parser})`;
  const parses = now.errors.length === 0;
  const warning = { check: "syntax", line: showingLine(edit, problem) } as const;
  if (edit.created) {
    return [
      { ...warning, message: `the new file ${parses ? "is not valid" : "does not parse"}: ${said}`, severity: "note" },
    ];
  }
  if (was?.errors.length !== 0 || (parses && was.slips.length > 0)) return [];
  if (parses) return [{ ...warning, message: `the file was valid before this edit: ${said}`, severity: "note" }];
  const message = `the file parsed before this edit and does not parse after it: ${said}`;
  const doubtful = edit.language.doubtful && edit.delimiters.every((change) => change.net === 0);
  return [{ ...warning, message, severity: doubtful ? "doubtful" : "suspicious" }];
}

/** The first edited line within what the parser could not make sense of: that may begin far above the mistake. */
function showingLine({ regions, newLines }: Comparison, { line, endLine = line }: SyntaxProblem): number {
  const edited = regions.find(({ bStart, bEnd }) => Math.max(bStart + 1, bEnd) >= line && bStart + 1 <= endLine);
  const shown = edited ? Math.max(edited.bStart + 1, line) : line;
  return Math.max(1, Math.min(shown, newLines.length));
}

/** Guesses at structure, worth something where there is no parser, and less where it did not understand the old text either. */
function structureWarnings(edit: Comparison, was: Judgement | null, now: Judgement | null): Warning[] {
  const { language, after, newLines, regions, delimiters, created } = edit;
  const vouched = now !== null && (now.errors.length === 0 || was?.errors.length === 0);
  if (language.kind !== "code" || vouched) return [];
  const severity = created ? "note" : now ? "doubtful" : "suspicious";
  const unbalanced = delimiters
    .filter((change) => change.isDamage)
    .map(({ delimiter, line, message }): Warning => {
      return { check: `unbalanced_${delimiter}`, line, message, severity };
    });
  const braceLost = delimiters.some(({ delimiter, net }) => delimiter === "braces" && net < 0);
  const extra = braceLost && language.lexis ? extraBraces(after, newLines, regions, language.lexis) : [];
  return [...unbalanced, ...brokenBlocks(edit, severity), ...orphanElses(newLines, regions), ...extra];
}

function brokenBlocks({ language, before, after }: Comparison, severity: Warning["severity"]): Warning[] {
  if (language.name !== "lua" || luaProblem(before) !== undefined) return [];
  const problem = luaProblem(after);
  if (problem === undefined) return [];
  const message = `the blocks were closed before this edit and are not after it: ${problem.message} (stet's check of Lua's blocks)`;
  return [{ check: "syntax", line: problem.line, message, severity }];
}

/** Copies of lines: right beside them, as at the borders of a replacement, or elsewhere. What is told once is not told again. */
function repetitionWarnings({ language, oldLines, newLines, regions, created }: Comparison): Warning[] {
  if (created) return [];
  const echoes = boundaryEchoes(oldLines, newLines, regions, MOST_OF_A_KIND);
  const beside = repeatedLines(oldLines, newLines, regions);
  const isEcho = ({ line, of }: (typeof beside)[number]): boolean =>
    echoes.some(({ first, last }) => [line, of].some((one) => first <= one && one <= last));
  const twins = beside.flatMap(({ line, of }) => [line, of]);
  return [
    ...echoes.map(
      (echo): Warning => ({
        check: "boundary_echo",
        line: echo.first,
        message: `${echoText(echo)} there already: the new text seems to include its surroundings`,
        severity: echo.usual
          ? "note"
          : language.kind === "code"
            ? "suspicious"
            : echo.first === echo.last
              ? "doubtful"
              : "note",
      }),
    ),
    ...beside
      .filter((pair) => !isEcho(pair))
      .slice(0, MOST_OF_A_KIND)
      .map(
        ({ line, of }): Warning => ({
          check: "duplicate_line",
          line,
          message: `identical lines at ${of}, ${line}`,
          severity: "doubtful",
        }),
      ),
    ...duplicateLines(oldLines, newLines, regions, new Set(twins)),
  ];
}

function echoText({ first, last, of }: Echo): string {
  if (first === last) return `line ${first} repeats line ${of}, which was`;
  return `lines ${first}-${last} repeat lines ${of}-${of + last - first}, which were`;
}
