// Damage that a change did, told with its result: text that parsed before and does not now, text that was left out.
import { examineEdit, omissionWarnings } from "../../check/check-edit.ts";
import type { Edit, Warning } from "../../check/warning.ts";
import { printable } from "../../core/printable.ts";
import type { ChangedFile } from "../../kernel/change/report.ts";
import type { Session } from "../../kernel/session.ts";
import { legible } from "./legible.ts";

/** Larger files are not looked at: comparing their lines alone would take too long. */
const MOST_CHARACTERS = 512 * 1024;

/**
 * In words. What a parser cannot say in time is not said: one that has to be started first is ready for later calls. What
 * was left out needs none and is always told.
 * `linted`: a linter tells what does not parse.
 */
export async function damageIn(
  { workspace }: Session,
  files: readonly ChangedFile[],
  { linted = false }: { readonly linted?: boolean } = {},
): Promise<readonly string[]> {
  const until = performance.now() + workspace.limits.checkMs;
  const found: string[] = [];
  for (const file of files) {
    const edit = editOf(file, files);
    if (edit === undefined) continue;
    // Where the new text is broken the old one is parsed too.
    const withinMs = (until - performance.now()) / 2;
    const warnings = withinMs > 0 ? (await examineEdit(edit, { withinMs })).warnings : omissionWarnings(edit);
    const untold = warnings.filter((warning) => isDamage(warning) && !(linted && warning.check === "syntax"));
    found.push(...untold.map((warning) => inWords(file, warning)));
  }
  return found;
}

/** Undefined: not to be looked at. What was moved is compared with what it was before it moved. */
function editOf(file: ChangedFile, files: readonly ChangedFile[]): Edit | undefined {
  const source = file.movedFrom === undefined ? file : files.find(({ path }) => path === file.movedFrom);
  if (source === undefined || file.size > MOST_CHARACTERS || source.before === file.after) return undefined;
  const { path, afterText: after } = file;
  const before = source.beforeText;
  if (before === undefined || typeof after !== "string" || (before?.length ?? 0) > MOST_CHARACTERS) return undefined;
  return { path, before, after };
}

/** What is merely unusual is not told here. */
function isDamage({ check, severity }: Warning): boolean {
  return severity === "suspicious" || check === "omission_placeholder" || check === "syntax";
}

function inWords({ path }: ChangedFile, { line, message, check }: Warning): string {
  const what = check.startsWith("unbalanced_") ? `${check.replace("_", " ")}, ${message}` : message;
  return legible(`${printable(path)}, line ${line}: ${what}.`, path);
}
