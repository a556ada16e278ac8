// A yes before something goes that cannot be had again so easily: given as --yes, or to the question in a terminal.
import type { Given, Terminal } from "./command.ts";

export const YES_OPTION = { yes: { type: "boolean", short: "y" } } as const;

/** `what`: as in "drop 3 versions". Without a yes, says what to do to give one; the command then ends with exit code 1. */
export async function agreed(terminal: Terminal, { values }: Given, what: string): Promise<boolean> {
  if (values.yes === true) return true;
  const answer = values.json === true ? undefined : terminal.answer;
  if (answer !== undefined) {
    terminal.err(`Really ${what}? [y/N] `);
    if (/^y(?:es)?$/i.test((await answer()).trim())) return true;
  }
  const next = answer === undefined ? ` Repeat it with --yes to ${what}.` : "";
  terminal.err(`Nothing was changed.${next}\n`);
  return false;
}
