// Takes a patch out of the shell heredoc or the Markdown fence that it may come wrapped in.

import { type PatchText, parseError } from "./sections.ts";

/** Line numbers stay those of the text that was sent. */
export function unwrap(lines: readonly string[]): PatchText {
  let patch = skipBlank({ lines, at: 0, end: lines.length });
  for (let closing = closingOf(patch); closing !== undefined; closing = closingOf(patch)) {
    const last = lastFilled(patch);
    if (last <= patch.at || lines[last]!.trim() !== closing) {
      throw parseError(
        last + 1,
        "is missing",
        `${JSON.stringify(closing)}, which ends what line ${patch.at + 1} begins`,
      );
    }
    patch = skipBlank({ lines, at: patch.at + 1, end: last });
  }
  return patch;
}

function closingOf(patch: PatchText): string | undefined {
  const line = patch.at < patch.end ? patch.lines[patch.at]!.trim() : "";
  if (/^(\*\*\* |--- |diff )/.test(line)) return undefined;
  if (/^```[\w-]*$/.test(line)) return "```";
  return line.match(/^[\w ./|-]*<<-?\s*(['"]?)(\w+)\1[\w ./|-]*$/)?.[2];
}

export function skipBlank(patch: PatchText): PatchText {
  while (patch.at < patch.end && patch.lines[patch.at]!.trim() === "") patch.at++;
  return patch;
}

/** Blank lines at the end are left to the parser: in a hunk they can be context. */
export function lastFilled(patch: PatchText): number {
  let last = patch.end - 1;
  while (last > patch.at && patch.lines[last]!.trim() === "") last--;
  return last;
}
