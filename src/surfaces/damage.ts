// Damage that a change did, told with its result: text that parsed before and does not now, text that was left out.
import type { Warning } from "../check/index.ts";
import type { ChangedFile } from "../kernel/report.ts";
import type { Session } from "../kernel/session.ts";
import { legible, printable } from "./legible.ts";

/** Larger files are not looked at: comparing their lines alone would take too long. */
const MOST_CHARACTERS = 512 * 1024;

/**
 * In words. Nothing where it cannot be said in time: a parser that has to be loaded first is ready for the next call.
 * `linted`: a linter tells what does not parse.
 */
export async function damageIn(
  { workspace }: Session,
  files: readonly ChangedFile[],
  { linted = false }: { readonly linted?: boolean } = {},
): Promise<readonly string[]> {
  const { checkMs } = workspace.limits;
  const found: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(resolve, checkMs, "late");
  });
  for (const file of files) {
    const warnings = await Promise.race([warningsOn(file, checkMs), late]);
    if (warnings === "late") break;
    const untold = warnings.filter(({ check }) => !(linted && check === "syntax"));
    found.push(...untold.map((warning) => inWords(file, warning)));
  }
  clearTimeout(timer);
  return found;
}

async function warningsOn(file: ChangedFile, checkMs: number): Promise<readonly Warning[]> {
  if (file.size > MOST_CHARACTERS || file.before === file.after || file.movedFrom !== undefined) return [];
  const { beforeText: before, afterText: after } = file;
  if (before === undefined || typeof after !== "string" || (before?.length ?? 0) > MOST_CHARACTERS) return [];
  const { examineEdit } = await import("../check/index.ts");
  // Where the new text is broken the old one is parsed too.
  const { warnings } = await examineEdit({ path: file.path, before, after }, { withinMs: checkMs / 2 });
  return warnings.filter((warning) => isDamage(warning, before === null));
}

/** What is merely unusual is not told here. */
function isDamage({ check, severity }: Warning, created: boolean): boolean {
  return severity === "suspicious" || check === "omission_placeholder" || (created && check === "syntax");
}

function inWords({ path }: ChangedFile, { line, message, check }: Warning): string {
  const what = check.startsWith("unbalanced_") ? `${check.replace("_", " ")}, ${message}` : message;
  return legible(`${printable(path)}, line ${line}: ${what}.`, path);
}
