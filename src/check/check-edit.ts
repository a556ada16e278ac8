// Checks an edit by its texts before and after, and returns what looks like damage.
import { diffLines, type Region } from "../edit/diff/diff.ts";
import { lineTexts } from "../edit/text/lines.ts";
import { omissionPlaceholders } from "../edit/text/omission.ts";
import type { SyntaxProblem } from "./finding.ts";
import { type Language, languageOf } from "./languages.ts";
import { repeatWarnings } from "./repeats.ts";
import { firstBranches, newImbalances } from "./structure.ts";
import { type Judgement, judge, type ParseLimit, type SyntaxReport } from "./syntax.ts";
import { type Edit, MAX_OF_A_KIND, type Warning } from "./warning.ts";

/** Returns warnings about an edit, in the order of lines. Never throws, whatever the texts are. */
export async function checkEdit(edit: Edit): Promise<readonly Warning[]> {
  return isUnremarkable(edit) ? [] : (await examineEdit(edit)).warnings;
}

/** Returns the warnings and the parser's report on the new text, which is parsed once for both. */
export async function examineEdit(
  edit: Edit,
  limit: ParseLimit = {},
): Promise<{ readonly warnings: readonly Warning[]; readonly syntax: SyntaxReport | null }> {
  const { path, after } = edit;
  const now = after === null ? null : await judge(path, after, limit);
  const warnings = isUnremarkable(edit) ? [] : await warningsOn(edit, now, limit);
  return { warnings, syntax: now && { parser: now.parser, errors: now.errors } };
}

function isUnremarkable({ before, after }: Edit): boolean {
  return after === null || after === before || after.trim() === "";
}

async function warningsOn(edit: Edit, now: Judgement | null, limit: ParseLimit): Promise<readonly Warning[]> {
  const { path, before, after } = edit;
  const language = languageOf(path);
  const isCreated = (before ?? "").trim() === "";
  const isSound = now?.errors.length === 0 && now.nameErrors.length === 0;
  const was = before === null || isSound ? null : await judge(path, before, limit);
  const [oldLines, newLines] = [lineTexts(before ?? ""), lineTexts(after ?? "")];
  const regions = isCreated ? [] : diffLines(oldLines, newLines);
  const structure = structureWarnings(edit, language, now, isCreated);
  const warnings = [
    ...structure,
    ...(now?.advisory && structure.length > 0 ? [] : syntaxWarnings(regions, newLines.length, was, now, isCreated)),
    ...repeatWarnings({ before: oldLines, after: newLines, regions }, language.kind === "code"),
    ...omissionWarnings(edit),
  ];
  return warnings.sort((a, b) => a.line - b.line);
}

function syntaxWarnings(
  regions: readonly Region[],
  lineCount: number,
  was: Judgement | null,
  now: Judgement | null,
  isCreated: boolean,
): Warning[] {
  const problem = now?.errors[0] ?? now?.nameErrors[0];
  if (!now || !problem) return [];
  const parses = now.errors.length === 0;
  const isNews = was?.errors.length === 0 && !(parses && was.nameErrors.length > 0);
  if (!isCreated && !isNews) return [];
  const created = `the new file ${parses ? "is not valid" : "does not parse"}`;
  const edited = parses
    ? "the file was valid before this edit"
    : "the file parsed before this edit and does not parse after it";
  const message = `${isCreated ? created : edited}: ${problem.message} (${now.parser})`;
  const severity = isCreated || parses || now.advisory ? "note" : "suspicious";
  return [{ check: "syntax", line: shownLine(regions, problem, lineCount), message, severity }];
}

/** Returns the first edited line within the problem, which may begin far above the mistake. */
function shownLine(regions: readonly Region[], { line, endLine = line }: SyntaxProblem, lineCount: number): number {
  const edited = regions.find(({ bStart, bEnd }) => Math.max(bStart + 1, bEnd) >= line && bStart + 1 <= endLine);
  const shown = edited ? Math.max(edited.bStart + 1, line) : line;
  return Math.max(1, Math.min(shown, lineCount));
}

/** Counts delimiters unless a parser knows better: one that rejects the new text, or a grammar that accepts it. */
function structureWarnings(
  { before, after }: Edit,
  { lexis, directives }: Language,
  now: Judgement | null,
  isCreated: boolean,
): Warning[] {
  if (!lexis || (now && (!now.advisory || now.errors.length === 0))) return [];
  const weighed = directives ? firstBranches : (text: string) => text;
  const severity = isCreated ? "note" : "suspicious";
  return newImbalances(weighed(before ?? ""), weighed(after ?? ""), lexis).map((found) => ({ ...found, severity }));
}

/** Finds placeholders that the old text lacks, such as `// ... rest of the code`. */
export function omissionWarnings({ path, before, after }: Edit): Warning[] {
  const found = omissionPlaceholders(after ?? "");
  if (found.length === 0) return [];
  const old = new Set(omissionPlaceholders(before ?? "").map(({ text }) => text));
  const isCreated = (before ?? "").trim() === "";
  return found
    .filter(({ text }) => !old.has(text))
    .slice(0, MAX_OF_A_KIND)
    .map(({ line, text }) => ({
      check: "omission_placeholder",
      line,
      message: `${JSON.stringify(text)} stands for text that was left out`,
      severity: languageOf(path).kind === "code" && !isCreated ? "suspicious" : "note",
    }));
}
